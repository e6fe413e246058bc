import * as z from "zod";
import {
  CONCURRENT_TASKS_MAX,
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_HEADERS_MAX,
  MODEL_OUTPUT_TOKENS_DEFAULT,
  MODEL_OUTPUT_TOKENS_MAX,
  MODEL_TURNS_DEFAULT,
  MODEL_TURNS_MAX,
  TEAM_AGENTS_MAX,
  TOKEN_PRICE_MAX,
} from "./limits.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  ID_CHARACTERS_MAX,
  LIST_ITEMS_MAX,
  SEARCH_CHARACTERS_MAX,
  URL_BYTES_MAX,
} from "../kernel/limits.ts";
import {
  pageQuery,
  agentIdentifier,
  credentialFieldName,
  displayName,
  secretText,
  REDACT_INPUT,
  customIssue,
} from "../http/validation.ts";
import { EXECUTOR_TYPES, MODEL_PROVIDERS } from "./model/agent.ts";
import { isFramingHeader, isReservedHeader } from "../kernel/header-name.ts";
import { headerNameSchema } from "../tools/connectors/schemas.ts";
import { mayBeCredentialName } from "../kernel/credential-name.ts";

/** A query often contains a secret, which would be visible. */
const cardUrlText = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !/[?#]/.test(text), {
    error: "must have no query and no fragment; a secret goes into apiKey, which is encrypted",
    params: REDACT_INPUT,
  });

/** The query is shown to every key that can read agents, so it must not contain credentials. */
const baseUrlText = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !text.includes("#"), {
    error: "must have no fragment",
    params: REDACT_INPUT,
  })
  .refine((text) => !hasCredentialParameter(text), {
    error:
      "must have no credential in its query: put it in apiKey or headers, which are encrypted and never shown",
    params: REDACT_INPUT,
  });

function hasCredentialParameter(text: string): boolean {
  const names = [...(URL.parse(text)?.searchParams.keys() ?? [])];
  return names.some(mayBeCredentialName);
}

/** Values are secrets. If omitted, stored headers are kept under the same conditions as `apiKey`; null deletes them. */
const headers = z
  .record(headerNameSchema, secretText)
  .check(({ value, issues }) => {
    const names = Object.keys(value);
    if (names.length > MODEL_HEADERS_MAX) {
      const rule = `must have at most ${MODEL_HEADERS_MAX} headers, got ${names.length}`;
      issues.push(customIssue(rule, undefined));
    }
    for (const [index, name] of names.entries()) {
      const problem = findHeaderProblem(name, names.slice(0, index));
      if (problem !== null) issues.push(customIssue(problem, undefined, name));
    }
  })
  .nullable()
  .optional();

function findHeaderProblem(name: string, before: readonly string[]): string | null {
  const isReserved = name.toLowerCase() !== "authorization" && isReservedHeader(name);
  if (isReserved || isFramingHeader(name)) {
    return "must be left out: the service itself sets connection and body headers";
  }
  const isTwice = before.some((one) => one.toLowerCase() === name.toLowerCase());
  return isTwice ? "must be given once: header names are case-insensitive" : null;
}

/** If omitted, a stored key is kept if the executor's type and origin stay the same; null deletes it. */
const apiKey = secretText.nullable().optional();

const tokenPrice = z.number().min(0).max(TOKEN_PRICE_MAX).default(0);

const modelExecutor = z
  .strictObject({
    type: z.literal("model"),
    provider: z.enum(MODEL_PROVIDERS).default("openai-compatible"),
    model: displayName,
    baseUrl: baseUrlText.optional(),
    apiKey,
    headers,
    instructions: z.string().min(1).max(INSTRUCTIONS_CHARACTERS_MAX).optional(),
    temperature: z.number().min(0).max(2).optional(),
    prices: z
      .strictObject({ inputPerMillion: tokenPrice, outputPerMillion: tokenPrice })
      .default({ inputPerMillion: 0, outputPerMillion: 0 }),
    maxTurns: z.int().min(1).max(MODEL_TURNS_MAX).default(MODEL_TURNS_DEFAULT),
    maxOutputTokens: z
      .int()
      .min(1)
      .max(MODEL_OUTPUT_TOKENS_MAX)
      .default(MODEL_OUTPUT_TOKENS_DEFAULT),
  })
  .refine(({ provider, baseUrl }) => provider !== "openai-compatible" || baseUrl !== undefined, {
    path: ["baseUrl"],
    error: "is required: where the endpoint's paths begin, such as https://api.openai.com/v1",
  })
  .refine(({ provider, baseUrl }) => provider !== "workers-ai" || baseUrl === undefined, {
    path: ["baseUrl"],
    error: "must be left out: Workers AI is a part of the platform, not an address",
  })
  .refine(({ provider, headers: given }) => provider !== "workers-ai" || (given ?? null) === null, {
    path: ["headers"],
    error: "must be left out: Workers AI is not called over HTTP",
    params: REDACT_INPUT,
  })
  .refine(({ provider, apiKey: key }) => provider !== "workers-ai" || (key ?? null) === null, {
    path: ["apiKey"],
    error: "must be left out: Workers AI needs none",
    params: REDACT_INPUT,
  });

const a2aExecutor = z
  .strictObject({
    type: z.literal("a2a"),
    cardUrl: cardUrlText,
    apiKey,
    apiKeyHeader: credentialFieldName.optional(),
  })
  .refine(
    ({ apiKey: key, apiKeyHeader }) => apiKeyHeader === undefined || typeof key === "string",
    {
      path: ["apiKeyHeader"],
      error: "must be sent together with apiKey",
      params: REDACT_INPUT,
    },
  );

/** The executor of an agent, with its secrets. */
export const executorBody = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("builtin") }),
  modelExecutor,
  a2aExecutor,
  z.strictObject({ type: z.literal("worker") }),
]);
export type ExecutorBody = z.output<typeof executorBody>;

const idText = z.string().min(1).max(ID_CHARACTERS_MAX);
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX);
const skills = z.array(displayName).max(LIST_ITEMS_MAX).transform(removeDuplicates);
const teams = z.array(idText).max(LIST_ITEMS_MAX).transform(removeDuplicates);
const maxConcurrentTasks = z.int().min(1).max(CONCURRENT_TASKS_MAX).nullable();

/** Query of GET /agents. */
export const listAgentsQuery = z.object({
  teamId: idText.optional(),
  executor: z.enum(EXECUTOR_TYPES).optional(),
  enabled: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
  search: z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional(),
  ...pageQuery,
});

/** Body of POST /agents. An A2A agent's card provides omitted names, descriptions and skills. */
export const registerAgentBody = z.strictObject({
  id: agentIdentifier,
  name: displayName.optional(),
  description: description.optional(),
  skills: skills.optional(),
  teams: teams.default([]),
  enabled: z.boolean().default(true),
  executor: executorBody.default({ type: "builtin" }),
  maxConcurrentTasks: maxConcurrentTasks.default(null),
  requireReview: z.boolean().default(false),
  requireTask: z.boolean().default(false),
});
export type RegisterAgentBody = z.output<typeof registerAgentBody>;

/** Body of PATCH /agents/:agentId: given fields are replaced. */
export const changeAgentBody = z
  .strictObject({
    name: displayName.optional(),
    description: description.optional(),
    skills: skills.optional(),
    teams: teams.optional(),
    enabled: z.boolean().optional(),
    executor: executorBody.optional(),
    maxConcurrentTasks: maxConcurrentTasks.optional(),
    requireReview: z.boolean().optional(),
    requireTask: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ChangeAgentBody = z.output<typeof changeAgentBody>;

function removeDuplicates(list: readonly string[]): string[] {
  return [...new Set(list)];
}

/** Query of GET /agents/teams. */
export const listTeamsQuery = z.object(pageQuery);

/** Body of PUT /agents/teams/:teamId: all members. The name defaults to the current one, or to the id. */
export const putTeamBody = z.strictObject({
  name: displayName.optional(),
  agents: z.array(z.string().min(1).max(ID_CHARACTERS_MAX)).max(TEAM_AGENTS_MAX),
});
