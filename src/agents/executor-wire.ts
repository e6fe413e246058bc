import * as z from "zod";
import { MODEL_PROVIDERS } from "../domain/agent.ts";
import {
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_HEADERS_MAX,
  MODEL_OUTPUT_TOKENS_DEFAULT,
  MODEL_OUTPUT_TOKENS_MAX,
  MODEL_TURNS_DEFAULT,
  MODEL_TURNS_MAX,
  TOKEN_PRICE_MAX,
  URL_BYTES_MAX,
} from "../domain/limits.ts";
import { displayName } from "../http/body.ts";
import { DISCREET, worded } from "../http/validate.ts";
import { isFraming, secretName, secretText } from "../secrets/wire.ts";
import { isReservedHeader } from "../tools/connectors/http/headers.ts";
import { headerName } from "../tools/manage/connector-wire.ts";
import { mayBeCredentialName } from "../secrets/credential-name.ts";

/** Paths are put below a base URL, and what people put into a query is most often a secret. */
const place = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !/[?#]/.test(text), {
    error:
      "must have no query and no fragment; a secret goes into apiKey, where nobody can read it",
    params: DISCREET,
  });

/** The query is shown to every key that can read agents, so it must not contain credentials. */
const endpoint = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !text.includes("#"), {
    error: "must have no fragment",
    params: DISCREET,
  })
  .refine((text) => !hasSecretParameter(text), {
    error:
      "must have no credential in its query: put it in apiKey or headers, which are encrypted and never shown",
    params: DISCREET,
  });

function hasSecretParameter(text: string): boolean {
  const names = [...(URL.parse(text)?.searchParams.keys() ?? [])];
  return names.some(mayBeCredentialName);
}

/** Values are secrets. If omitted, stored headers are kept under the same conditions as `apiKey`; null deletes them. */
const headers = z
  .record(headerName, secretText)
  .check(({ value, issues }) => {
    const names = Object.keys(value);
    if (names.length > MODEL_HEADERS_MAX) {
      const rule = `must have at most ${MODEL_HEADERS_MAX} headers, got ${names.length}`;
      issues.push(worded(rule, undefined));
    }
    for (const [index, name] of names.entries()) {
      const problem = headerProblem(name, names.slice(0, index));
      if (problem !== null) issues.push(worded(problem, undefined, name));
    }
  })
  .nullable()
  .optional();

function headerProblem(name: string, before: readonly string[]): string | null {
  const isOwn = name.toLowerCase() !== "authorization" && isReservedHeader(name);
  if (isOwn || isFraming(name)) {
    return "must be left out: the service itself sets connection and body headers";
  }
  const isTwice = before.some((one) => one.toLowerCase() === name.toLowerCase());
  return isTwice ? "must be given once: header names are case-insensitive" : null;
}

/** Left out, a key that lies there stays where the executor's type and origin do; null takes it away. */
const apiKey = secretText.nullable().optional();

const price = z.number().min(0).max(TOKEN_PRICE_MAX).default(0);

const model = z
  .strictObject({
    type: z.literal("model"),
    provider: z.enum(MODEL_PROVIDERS).default("openai-compatible"),
    model: displayName,
    baseUrl: endpoint.optional(),
    apiKey,
    headers,
    instructions: z.string().min(1).max(INSTRUCTIONS_CHARACTERS_MAX).optional(),
    temperature: z.number().min(0).max(2).optional(),
    prices: z
      .strictObject({ inputPerMillion: price, outputPerMillion: price })
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
    params: DISCREET,
  })
  .refine(({ provider, apiKey: key }) => provider !== "workers-ai" || (key ?? null) === null, {
    path: ["apiKey"],
    error: "must be left out: Workers AI asks for none",
    params: DISCREET,
  });

const a2a = z
  .strictObject({
    type: z.literal("a2a"),
    cardUrl: place,
    apiKey,
    apiKeyHeader: secretName.optional(),
  })
  .refine(
    ({ apiKey: key, apiKeyHeader }) => apiKeyHeader === undefined || typeof key === "string",
    {
      path: ["apiKeyHeader"],
      error: "must come with apiKey, beside which it is kept",
      params: DISCREET,
    },
  );

/** How an agent is to carry out tasks, with the secrets that it needs for it. */
export const executorBody = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("builtin") }),
  model,
  a2a,
  z.strictObject({ type: z.literal("worker") }),
]);
export type ExecutorBody = z.output<typeof executorBody>;
