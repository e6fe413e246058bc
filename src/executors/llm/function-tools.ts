import {
  appendNameSuffix,
  buildFunctionSchema,
  FUNCTION_NAME_CHARACTERS_MAX,
  hashFunctionName,
  sanitizeFunctionName,
} from "../../tools/schema/function-schema.ts";
import type { UsableCapability } from "../contract.ts";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { asJson, jsonSizeOf } from "../../kernel/json.ts";
import { LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX, LLM_FUNCTIONS_BYTES_MAX } from "./limits.ts";
import { buildSystemFunctions } from "./system-functions.ts";

export interface LlmFunctions {
  readonly offered: readonly LanguageModelV3FunctionTool[];
  /** Capabilities by function name; empty if the model searches for them. */
  readonly capabilitiesByName: ReadonlyMap<string, UsableCapability>;
  readonly usesSearch: boolean;
}

/** A function for each granted capability, or two functions to search and call them if there are too many. */
export function buildLlmFunctions(granted: {
  readonly capabilities: readonly UsableCapability[];
  readonly total: number;
}): LlmFunctions {
  const capabilitiesByName = nameCapabilities(granted.capabilities);
  const tools = [...capabilitiesByName].map(createCapabilityFunction);
  const bytes = tools.reduce((sum, tool) => sum + jsonSizeOf(asJson(tool.inputSchema)), 0);
  const usesSearch = granted.total > granted.capabilities.length || bytes > LLM_FUNCTIONS_BYTES_MAX;
  const system = buildSystemFunctions(usesSearch);
  return usesSearch
    ? { offered: system, capabilitiesByName: new Map(), usesSearch }
    : { offered: [...tools, ...system], capabilitiesByName, usesSearch };
}

function createCapabilityFunction([name, capability]: readonly [
  string,
  UsableCapability,
]): LanguageModelV3FunctionTool {
  const { toolName, name: title, parameters } = capability;
  const description =
    `${toolName}: ${capability.description === "" ? title : capability.description}`
      .slice(0, LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX)
      .toWellFormed();
  return { type: "function", name, description, inputSchema: buildFunctionSchema(parameters) };
}

/**
 * Capabilities by function name: `toolId__capability`, at most 64 letters, digits, `_` and `-`. A name that had to be
 * changed ends in a hash.
 */
export function nameCapabilities<Capability extends Pick<UsableCapability, "toolId" | "id">>(
  capabilities: readonly Capability[],
): ReadonlyMap<string, Capability> {
  const named = new Map<string, Capability>();
  for (const capability of capabilities) {
    const { toolId, id } = capability;
    const plain = `${toolId}__${id}`;
    const sanitized = sanitizeFunctionName(plain);
    const isPlain =
      sanitized === plain && plain.length <= FUNCTION_NAME_CHARACTERS_MAX && !named.has(plain);
    let name = isPlain
      ? plain
      : appendNameSuffix(sanitized, hashFunctionName(JSON.stringify([toolId, id])));
    for (let copy = 2; named.has(name); copy += 1) name = appendNameSuffix(sanitized, String(copy));
    named.set(name, capability);
  }
  return named;
}
