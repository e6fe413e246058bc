import type { Json, JsonObject } from "../../../domain/json.ts";
import { beginningWithin, bytesOf } from "./cut.ts";
import type { Fence } from "./fence.ts";
import { PROMPT_CONTEXT_BYTES_MAX, PROMPT_VALUE_BYTES_MAX } from "./limits.ts";

const REFERENCE = /^\$context\.(.+)$/s;

/** The task's context as the model is shown it, a paragraph for each value; long ones are cut. */
export function shownContext(context: JsonObject, fence: Fence): string[] {
  const keys = Object.keys(context);
  if (keys.length === 0) return ["The task has no context."];
  let left = PROMPT_CONTEXT_BYTES_MAX;
  const lines = Object.entries(context).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const room = Math.min(PROMPT_VALUE_BYTES_MAX, left);
    const beginning = beginningWithin(text, room);
    left -= bytesOf(beginning ?? text);
    if (beginning === null) return `${key}: ${text}`;
    const note = `[cut: this shows ${beginning.length} of ${text.length} characters; "$context.${key}" hands all of them to a function]`;
    return `${key}: ${beginning}\n${note}`;
  });
  return [`The task's context:\n${fence.around(lines.join("\n\n"))}`];
}

/** The parameters with `$context.<key>` replaced by that value of the context, where there is one. */
export function withContext(parameters: JsonObject, context: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, resolved(value, context)]),
  );
}

function resolved(value: Json, context: JsonObject): Json {
  if (typeof value !== "string") return value;
  const key = REFERENCE.exec(value)?.[1];
  if (key === undefined || !Object.hasOwn(context, key)) return value;
  return context[key] ?? null;
}
