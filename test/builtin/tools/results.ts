import { isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import type { Problem } from "../../../src/kernel/result.ts";
import type { CapabilityHandlers } from "../../../src/tools/connectors/contract.ts";

/** The result of a capability that must succeed; otherwise the test fails with its problems. */
export async function answer(
  runs: CapabilityHandlers,
  capability: string,
  parameters: JsonObject,
): Promise<JsonObject> {
  const outcome = await runs[capability]?.(parameters);
  if (outcome?.ok) return outcome.value;
  throw new Error(`${capability} answered ${JSON.stringify(outcome)}`);
}

/** Returns the problems that a capability reports for parameters that it must reject. */
export async function problems(
  runs: CapabilityHandlers,
  capability: string,
  parameters: JsonObject,
): Promise<Problem[]> {
  const outcome = await runs[capability]?.(parameters);
  if (outcome !== undefined && !outcome.ok) return outcome.failure;
  throw new Error(`${capability} answered ${JSON.stringify(outcome)?.slice(0, 500)}`);
}

/** The only item in a result list that has these fields. */
export function itemWith(list: Json | undefined, fields: JsonObject): JsonObject {
  const items = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const found = items.filter((item) =>
    Object.entries(fields).every(([name, value]) => item[name] === value),
  );
  const [item] = found;
  if (item === undefined || found.length > 1) {
    throw new Error(
      `${found.length} items with ${JSON.stringify(fields)} in ${JSON.stringify(list)}`,
    );
  }
  return item;
}

/** A value as JSON text, which is how the workbench accepts documents. */
export function text(value: Json): string {
  return JSON.stringify(value);
}

/** An array of `count` items, each created from its index. */
export function many<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}
