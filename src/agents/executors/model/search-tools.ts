import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import { validate } from "../../../http/validate.ts";
import type { UsableCapability } from "../contract.ts";
import { bytesOf } from "./cut.ts";
import { FOUND_MAX, FUNCTIONS_MAX, RESULT_BYTES_MAX } from "./limits.ts";
import { bad, problemText, told, type Bench, type Made } from "./made.ts";
import { findShape, useShape } from "./own.ts";
import { schemaOf } from "../../../tools/parameter-schema.ts";
import { useCapability } from "./use-tool.ts";

/** `use_capability`: uses one that the model has found, by its ids. */
export async function useFound(input: JsonObject, bench: Bench): Promise<Made | string> {
  const read = validate(useShape, input);
  if (!read.ok) return bad(problemText("use_capability", read.failure));
  const { tool, capability } = read.value;
  const parameters = isJsonObject(input["parameters"]) ? input["parameters"] : {};
  const outcome = await useCapability(tool, capability, parameters, bench);
  if (typeof outcome === "string" || outcome.isOk) return outcome;
  // Only a call without a grant counts against the model, not one that a tool refused.
  const granted = await bench.hands.capabilities(capability, FUNCTIONS_MAX);
  const isGranted = granted?.shown.some((one) => one.toolId === tool && one.id === capability);
  return isGranted === true ? outcome : { ...outcome, isBad: true };
}

/** `find_capabilities`: what is granted and matches, with its parameters. */
export async function findCapabilities(input: JsonObject, { hands }: Bench): Promise<Made> {
  const read = validate(findShape, input);
  if (!read.ok) return bad(problemText("find_capabilities", read.failure));
  const found = await hands.capabilities(read.value.search, FOUND_MAX);
  const { shown = [], total = 0 } = found ?? {};
  if (shown.length === 0) return told("Nothing found. Try fewer or other words.");
  return { ...told(foundText(shown, total)), isForeign: true, isOk: true };
}

/** As many as fit; one that is too large by itself comes without the schemas of its parameters. */
function foundText(shown: readonly UsableCapability[], total: number): string {
  const lines: string[] = [];
  let left = RESULT_BYTES_MAX - FOUND_HEAD_BYTES;
  for (const capability of shown) {
    const { toolId: tool, id, name, description, parameters } = capability;
    const about = { tool, capability: id, name, description: description.slice(0, FOUND_TEXT_MAX) };
    const whole = JSON.stringify({ ...about, parameters: schemaOf(parameters) });
    const names = parameters.map((one) => `${one.name}: ${one.type}`).slice(0, FOUND_NAMES_MAX);
    const line = bytesOf(whole) <= left ? whole : JSON.stringify({ ...about, parameters: names });
    left -= bytesOf(line);
    if (left < 0) break;
    lines.push(line);
  }
  return `${lines.length} of ${total} that match:\n${lines.join("\n")}`;
}

const FOUND_HEAD_BYTES = 100;
const FOUND_TEXT_MAX = 1_000;
const FOUND_NAMES_MAX = 50;
