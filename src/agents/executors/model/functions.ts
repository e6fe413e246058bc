import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { JsonObject } from "../../../domain/json.ts";
import type { UsableCapability } from "../contract.ts";
import { bytesOf } from "./cut.ts";
import { FUNCTION_DESCRIPTION_CHARACTERS_MAX, FUNCTIONS_BYTES_MAX } from "./limits.ts";
import { functionNames } from "./names.ts";
import { OWN_FUNCTIONS, ownSchema, SEARCH_FUNCTIONS, type OwnFunction } from "./own.ts";
import { schemaOf } from "../../../tools/parameter-schema.ts";

/** The functions of one turn: what the model is shown, and what stands behind the names. */
export interface Functions {
  readonly shown: readonly LanguageModelV3FunctionTool[];
  /** Capabilities by their function's name; empty where they are searched for instead. */
  readonly byName: ReadonlyMap<string, UsableCapability>;
  readonly areSearched: boolean;
}

/** The granted capabilities as functions of their own, or two functions to search them with when there are too many. */
export function functionsOf(granted: {
  readonly shown: readonly UsableCapability[];
  readonly total: number;
}): Functions {
  const own = OWN_FUNCTIONS.map(ownTool);
  const names = functionNames(granted.shown);
  const tools = granted.shown.map((capability, place) => toolOf(capability, names[place] ?? ""));
  const bytes = tools.reduce((sum, one) => sum + bytesOf(one.schema), 0);
  if (granted.total > granted.shown.length || bytes > FUNCTIONS_BYTES_MAX) {
    const searching = SEARCH_FUNCTIONS.map(ownTool);
    return { shown: [...searching, ...own], byName: new Map(), areSearched: true };
  }
  const byName = new Map(granted.shown.map((one, place) => [names[place] ?? "", one]));
  return { shown: [...tools.map(({ tool }) => tool), ...own], byName, areSearched: false };
}

function toolOf(
  capability: UsableCapability,
  name: string,
): { tool: LanguageModelV3FunctionTool; schema: JsonObject } {
  const { toolName, name: title, description, parameters } = capability;
  const schema = schemaOf(parameters);
  const text = description === "" ? title : description;
  return { tool: functionTool(name, `${toolName}: ${text}`, schema), schema };
}

function ownTool(own: OwnFunction): LanguageModelV3FunctionTool {
  return functionTool(own.name, own.description, ownSchema(own));
}

function functionTool(
  name: string,
  description: string,
  schema: JsonObject,
): LanguageModelV3FunctionTool {
  const told = description.slice(0, FUNCTION_DESCRIPTION_CHARACTERS_MAX).toWellFormed();
  return { type: "function", name, description: told, inputSchema: schema };
}
