import { isData } from "../restore.ts";
import type { EventShape } from "../shapes.ts";

const WITH_CONTEXT: ReadonlySet<string> = new Set(["created", "retried", "updated"]);

/** The data of an event as in the feed and webhooks: with the size of a context instead of the context. */
export function feedDataOf({ type, data }: EventShape): EventShape["data"] {
  if (!WITH_CONTEXT.has(type) || !("context" in data)) return data;
  const { context, ...rest } = data;
  if (!isData(context)) return rest;
  return { ...rest, contextBytes: new TextEncoder().encode(JSON.stringify(context)).byteLength };
}
