import {
  appendNameSuffix,
  buildFunctionSchema,
  FUNCTION_NAME_CHARACTERS_MAX,
  hashFunctionName,
  sanitizeFunctionName,
} from "../../tools/schema/function-schema.ts";
import type { UsableCapability } from "../contract.ts";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { JsonObject } from "../../kernel/json.ts";
import { measureJsonBytes } from "./truncate.ts";
import { LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX, LLM_FUNCTIONS_BYTES_MAX } from "./limits.ts";
import {
  SYSTEM_FUNCTIONS,
  toFunctionJsonSchema,
  CAPABILITY_SEARCH_FUNCTIONS,
  type SystemFunction,
} from "./system-functions.ts";

/** The functions of one turn: what the model is shown, and what stands behind the names. */
export interface LlmFunctions {
  readonly offered: readonly LanguageModelV3FunctionTool[];
  /** Capabilities by their function's name; empty where they are searched for instead. */
  readonly capabilitiesByName: ReadonlyMap<string, UsableCapability>;
  readonly usesSearch: boolean;
}

/** The granted capabilities as functions of their own, or two functions to search them with when there are too many. */
export function buildLlmFunctions(granted: {
  readonly shown: readonly UsableCapability[];
  readonly total: number;
}): LlmFunctions {
  const own = SYSTEM_FUNCTIONS.map(createSystemFunction);
  const names = buildFunctionNames(granted.shown);
  const tools = granted.shown.map((capability, place) =>
    createCapabilityFunction(capability, names[place] ?? ""),
  );
  const bytes = tools.reduce((sum, one) => sum + measureJsonBytes(one.schema), 0);
  if (granted.total > granted.shown.length || bytes > LLM_FUNCTIONS_BYTES_MAX) {
    const searching = CAPABILITY_SEARCH_FUNCTIONS.map(createSystemFunction);
    return { offered: [...searching, ...own], capabilitiesByName: new Map(), usesSearch: true };
  }
  const byName = new Map(granted.shown.map((one, place) => [names[place] ?? "", one]));
  return {
    offered: [...tools.map(({ tool }) => tool), ...own],
    capabilitiesByName: byName,
    usesSearch: false,
  };
}

function createCapabilityFunction(
  capability: UsableCapability,
  name: string,
): { tool: LanguageModelV3FunctionTool; schema: JsonObject } {
  const { toolName, name: title, description, parameters } = capability;
  const schema = buildFunctionSchema(parameters);
  const text = description === "" ? title : description;
  return { tool: createFunctionTool(name, `${toolName}: ${text}`, schema), schema };
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

/**
 * A function's name for each capability, in their order: `toolId__capability`, of at most 64 letters,
 * digits, `_` and `-`. A name that had to be changed ends in a hash of what it stands for, so that it
 * stays the same whatever else is granted.
 */
export function buildFunctionNames(
  capabilities: readonly Pick<UsableCapability, "toolId" | "id">[],
): string[] {
  const taken = new Set<string>();
  return capabilities.map(({ toolId, id }) => {
    const plain = `${toolId}__${id}`;
    const tidy = sanitizeFunctionName(plain);
    const isPlain =
      tidy === plain && tidy.length <= FUNCTION_NAME_CHARACTERS_MAX && !taken.has(tidy);
    let name = isPlain
      ? tidy
      : appendNameSuffix(tidy, hashFunctionName(JSON.stringify([toolId, id])));
    for (let place = 2; taken.has(name); place += 1) name = appendNameSuffix(tidy, String(place));
    taken.add(name);
    return name;
  });
}
