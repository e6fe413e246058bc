import * as z from "zod";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { asJson, jsonSizeOf, toJsonObject } from "../../kernel/json.ts";
import { LIST_ITEMS_MAX, SEARCH_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { customIssue } from "../../http/validation.ts";
import { checkFileName } from "../../tasks/model/files.ts";
import {
  COMMENT_CHARACTERS_MAX,
  MEDIA_TYPE_CHARACTERS_MAX,
  NOTES_CHARACTERS_MAX,
} from "../../tasks/limits.ts";
import {
  appendNameSuffix,
  buildFunctionSchema,
  FUNCTION_NAME_CHARACTERS_MAX,
  hashFunctionName,
  sanitizeFunctionName,
} from "../../tools/schema/function-schema.ts";
import type { UsableCapability } from "../contract.ts";
import { qualityScoresSchema } from "../stored-outcome.ts";
import { LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX, LLM_FUNCTIONS_BYTES_MAX } from "./limits.ts";

export interface LlmFunctions {
  readonly offered: readonly LanguageModelV3FunctionTool[];
  /** Capabilities by function name; empty if the model searches for them. */
  readonly capabilitiesByName: ReadonlyMap<string, UsableCapability>;
  readonly usesSearch: boolean;
}

/** One function per granted capability, or two functions to find and use capabilities if there are too many. */
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
 * Capabilities by function name. A name has the form `toolId__capability` and at most 64 letters, digits, `_` and `-`.
 * A name that had to be changed ends in a hash, or in a number if that name is taken.
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

const POINT_CHARACTERS_MAX = 2_000;
const TYPE_CHARACTERS_MAX = 100;
const MEDIA_TYPE_PATTERN = /^[\w.+-]+\/[\w.+-]+(?: *; *[\w.-]+=[\w.+-]+)*$/;

const pointsSchema = z
  .array(z.string().min(1).max(POINT_CHARACTERS_MAX))
  .max(LIST_ITEMS_MAX)
  .nullish()
  .transform((list) => list ?? []);

export const deliverFileSchema = z.object({
  name: z
    .string()
    .check((ctx) => {
      const problem = checkFileName(ctx.value);
      if (problem !== null) ctx.issues.push(customIssue(problem, ctx.value));
    })
    .describe(
      'The file name, such as "report.md". An earlier file with the same name is replaced.',
    ),
  type: z
    .string()
    .min(1)
    .max(TYPE_CHARACTERS_MAX)
    .describe('The file type, as named in the request, such as "report".'),
  content: z.string().min(1).describe("The complete text of the file."),
  mediaType: z
    .string()
    .max(MEDIA_TYPE_CHARACTERS_MAX)
    .regex(MEDIA_TYPE_PATTERN, 'must be a media type such as "text/markdown"')
    .nullish()
    .describe(
      'The media type, such as "text/markdown", "text/csv" or "text/html". Defaults to text/plain.',
    ),
});

export const askSchema = z.object({
  question: z.string().trim().min(1).max(COMMENT_CHARACTERS_MAX),
  kind: z
    .enum(["input", "approval", "auth"])
    .nullish()
    .describe(
      "input: information is missing; approval: a person must approve first; auth: access is missing.",
    ),
});

export const finishSchema = z.object({
  summary: z.string().trim().min(1).max(NOTES_CHARACTERS_MAX).describe("The result of the task."),
  insights: pointsSchema.describe("The findings, one sentence each."),
  recommendations: pointsSchema.describe("What people should do next, one sentence each."),
  quality: qualityScoresSchema
    .nullish()
    .describe(
      "Your honest assessment of the work, with scores from 0 to 100. Omit it if you are unsure.",
    ),
  review: z
    .boolean()
    .nullish()
    .describe("Whether people should review the work before it counts as done."),
});
export type FinishArguments = z.output<typeof finishSchema>;

export const findCapabilitiesSchema = z.object({
  search: z
    .string()
    .trim()
    .min(1)
    .max(SEARCH_CHARACTERS_MAX)
    .describe("A few words. All of them must appear in a capability's name or description."),
});

export const useCapabilitySchema = z.object({
  tool: z.string().min(1).describe("The tool's id, from find_capabilities."),
  capability: z.string().min(1).describe("The capability's id, from find_capabilities."),
  parameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe("The parameters, matching the schema from find_capabilities."),
});

type SystemFunction = readonly [name: string, description: string, schema: z.ZodType];

const SYSTEM_FUNCTIONS: readonly SystemFunction[] = [
  ["deliver_file", "Delivers a text file that the task requested.", deliverFileSchema],
  [
    "ask",
    "Asks people a question and waits for the answer. Use this only if you cannot continue without the answer.",
    askSchema,
  ],
  [
    "finish",
    "Ends the task with its result. Call this on its own, after everything else is done.",
    finishSchema,
  ],
];

const SEARCH_FUNCTIONS: readonly SystemFunction[] = [
  [
    "find_capabilities",
    "Finds capabilities that you may use, with their parameters.",
    findCapabilitiesSchema,
  ],
  ["use_capability", "Uses a capability that find_capabilities returned.", useCapabilitySchema],
];

/** The functions that are offered in every turn, preceded by the search functions if `usesSearch` is true. */
function buildSystemFunctions(usesSearch: boolean): LanguageModelV3FunctionTool[] {
  const functions = usesSearch ? [...SEARCH_FUNCTIONS, ...SYSTEM_FUNCTIONS] : SYSTEM_FUNCTIONS;
  return functions.map(([name, description, schema]) => {
    const jsonSchema = toJsonObject(asJson(z.toJSONSchema(schema, { io: "input" })));
    const { $schema: _dialect, ...inputSchema } = jsonSchema;
    return { type: "function", name, description, inputSchema };
  });
}
