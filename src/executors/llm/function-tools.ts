import {
  appendNameSuffix,
  buildFunctionSchema,
  FUNCTION_NAME_CHARACTERS_MAX,
  hashFunctionName,
  sanitizeFunctionName,
} from "../../tools/schema/function-schema.ts";
import type { UsableCapability } from "../contract.ts";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { asJson, jsonSizeOf, type JsonObject } from "../../kernel/json.ts";
import { LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX, LLM_FUNCTIONS_BYTES_MAX } from "./limits.ts";
import {
  SYSTEM_FUNCTIONS,
  toFunctionJsonSchema,
  CAPABILITY_SEARCH_FUNCTIONS,
  type SystemFunction,
} from "./system-functions.ts";

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
  const own = SYSTEM_FUNCTIONS.map(createSystemFunction);
  const names = buildFunctionNames(granted.capabilities);
  const tools = granted.capabilities.map((capability, index) =>
    createCapabilityFunction(capability, names[index] ?? ""),
  );
  const bytes = tools.reduce((sum, tool) => sum + jsonSizeOf(asJson(tool.inputSchema)), 0);
  if (granted.total > granted.capabilities.length || bytes > LLM_FUNCTIONS_BYTES_MAX) {
    const search = CAPABILITY_SEARCH_FUNCTIONS.map(createSystemFunction);
    return { offered: [...search, ...own], capabilitiesByName: new Map(), usesSearch: true };
  }
  const capabilitiesByName = new Map(
    granted.capabilities.map((one, index) => [names[index] ?? "", one]),
  );
  return { offered: [...tools, ...own], capabilitiesByName, usesSearch: false };
}

function createCapabilityFunction(
  capability: UsableCapability,
  name: string,
): LanguageModelV3FunctionTool {
  const { toolName, name: title, description, parameters } = capability;
  const text = `${toolName}: ${description === "" ? title : description}`;
  return createFunctionTool(name, text, buildFunctionSchema(parameters));
}

function createSystemFunction(own: SystemFunction): LanguageModelV3FunctionTool {
  return createFunctionTool(own.name, own.description, toFunctionJsonSchema(own));
}

function createFunctionTool(
  name: string,
  description: string,
  schema: JsonObject,
): LanguageModelV3FunctionTool {
  const shortDescription = description
    .slice(0, LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX)
    .toWellFormed();
  return { type: "function", name, description: shortDescription, inputSchema: schema };
}

/** `toolId__capability`, at most 64 letters, digits, `_` and `-`. A name that had to be changed ends in a hash. */
export function buildFunctionNames(
  capabilities: readonly Pick<UsableCapability, "toolId" | "id">[],
): string[] {
  const taken = new Set<string>();
  return capabilities.map(({ toolId, id }) => {
    const plain = `${toolId}__${id}`;
    const sanitized = sanitizeFunctionName(plain);
    const isPlain =
      sanitized === plain &&
      sanitized.length <= FUNCTION_NAME_CHARACTERS_MAX &&
      !taken.has(sanitized);
    let name = isPlain
      ? sanitized
      : appendNameSuffix(sanitized, hashFunctionName(JSON.stringify([toolId, id])));
    for (let copy = 2; taken.has(name); copy += 1) name = appendNameSuffix(sanitized, String(copy));
    taken.add(name);
    return name;
  });
}
