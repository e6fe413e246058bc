import * as z from "zod";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { asJson, toJsonObject } from "../../kernel/json.ts";
import { checkFileName } from "../../tasks/model/files.ts";
import { LIST_ITEMS_MAX, SEARCH_CHARACTERS_MAX } from "../../kernel/limits.ts";
import {
  MEDIA_TYPE_CHARACTERS_MAX,
  NOTES_CHARACTERS_MAX,
  COMMENT_CHARACTERS_MAX,
} from "../../tasks/limits.ts";
import { qualityScoresSchema } from "../stored-outcome.ts";
import { customIssue } from "../../http/validation.ts";

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
    .describe('The file\'s name, such as "report.md". The same name replaces an earlier file.'),
  type: z
    .string()
    .min(1)
    .max(TYPE_CHARACTERS_MAX)
    .describe("What it is, in the word under which it was asked for, such as report."),
  content: z.string().min(1).describe("The whole text of the file."),
  mediaType: z
    .string()
    .max(MEDIA_TYPE_CHARACTERS_MAX)
    .regex(MEDIA_TYPE_PATTERN, 'must be a media type such as "text/markdown"')
    .nullish()
    .describe('Such as "text/markdown", "text/csv" or "text/html"; text/plain when left out.'),
});

export const askSchema = z.object({
  question: z.string().trim().min(1).max(COMMENT_CHARACTERS_MAX),
  kind: z
    .enum(["input", "approval", "auth"])
    .nullish()
    .describe(
      "input: something is not known; approval: a person must agree first; auth: access is missing.",
    ),
});

export const finishSchema = z.object({
  summary: z.string().trim().min(1).max(NOTES_CHARACTERS_MAX).describe("The result of the task."),
  insights: pointsSchema.describe("The findings, a sentence each."),
  recommendations: pointsSchema.describe("What people should do now, a sentence each."),
  quality: qualityScoresSchema
    .nullish()
    .describe("Your own honest judgement of the work, 0 to 100 each; leave it out if unsure."),
  review: z
    .boolean()
    .nullish()
    .describe("true: people should look at it before it counts as done."),
});
export type FinishArguments = z.output<typeof finishSchema>;

export const findCapabilitiesSchema = z.object({
  search: z
    .string()
    .trim()
    .min(1)
    .max(SEARCH_CHARACTERS_MAX)
    .describe("A few words; all of them must occur in a capability's name or description."),
});

export const useCapabilitySchema = z.object({
  tool: z.string().min(1).describe("The tool's id, from find_capabilities."),
  capability: z.string().min(1).describe("The capability's id, from find_capabilities."),
  parameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe("The parameters, by the schema from find_capabilities."),
});

type SystemFunction = readonly [name: string, description: string, schema: z.ZodType];

const SYSTEM_FUNCTIONS: readonly SystemFunction[] = [
  ["deliver_file", "Delivers a text file that the task requests.", deliverFileSchema],
  [
    "ask",
    "Asks people and stops until they answer. Only if you cannot continue without the answer.",
    askSchema,
  ],
  [
    "finish",
    "Ends the task with its result. Call it alone, after everything else is done.",
    finishSchema,
  ],
];

const SEARCH_FUNCTIONS: readonly SystemFunction[] = [
  [
    "find_capabilities",
    "Finds capabilities of the tools that you may use, with their parameters.",
    findCapabilitiesSchema,
  ],
  ["use_capability", "Uses a capability that find_capabilities has shown.", useCapabilitySchema],
];

/** The functions of every turn, and before them those to search for capabilities if `usesSearch`. */
export function buildSystemFunctions(usesSearch: boolean): LanguageModelV3FunctionTool[] {
  const functions = usesSearch ? [...SEARCH_FUNCTIONS, ...SYSTEM_FUNCTIONS] : SYSTEM_FUNCTIONS;
  return functions.map(([name, description, schema]) => {
    const jsonSchema = toJsonObject(asJson(z.toJSONSchema(schema, { io: "input" })));
    const { $schema: _dialect, ...inputSchema } = jsonSchema;
    return { type: "function", name, description, inputSchema };
  });
}
