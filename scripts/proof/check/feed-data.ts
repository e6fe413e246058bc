import { isData } from "../restore.ts";
import type { EventShape } from "../responses.ts";

const WITH_CONTEXT: ReadonlySet<string> = new Set(["created", "retried", "updated"]);
const SIZED: ReadonlySet<string> = new Set(["work", "response"]);
const SIZED_BYTES_MIN = 4_097;

/**
 * An event's data as the feed and webhooks contain it. The context and large `work` and `response` values are replaced
 * by their sizes.
 */
export function feedDataOf({ type, data }: EventShape): EventShape["data"] {
  const entries = Object.entries(data).map(([name, value]): [string, unknown] => {
    const bytes = SIZED.has(name) ? bytesOf(value) : 0;
    return bytes < SIZED_BYTES_MIN ? [name, value] : [`${name}Bytes`, bytes];
  });
  const sized = Object.fromEntries(entries);
  if (!WITH_CONTEXT.has(type) || !("context" in sized)) return sized;
  const { context, ...rest } = sized;
  return isData(context) ? { ...rest, contextBytes: bytesOf(context) } : rest;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
