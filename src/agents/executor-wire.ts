import * as z from "zod";
import { MODEL_PROVIDERS } from "../domain/agent.ts";
import {
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_OUTPUT_TOKENS_DEFAULT,
  MODEL_OUTPUT_TOKENS_MAX,
  MODEL_TURNS_DEFAULT,
  MODEL_TURNS_MAX,
  TOKEN_PRICE_MAX,
  URL_BYTES_MAX,
} from "../domain/limits.ts";
import { displayName } from "../http/body.ts";
import { DISCREET } from "../http/validate.ts";
import { secretName, secretText } from "../secrets/wire.ts";

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

/** Left out, a key that lies there stays where the executor's type and origin do; null takes it away. */
const apiKey = secretText.nullable().optional();

const price = z.number().min(0).max(TOKEN_PRICE_MAX).default(0);

const model = z
  .strictObject({
    type: z.literal("model"),
    provider: z.enum(MODEL_PROVIDERS).default("openai-compatible"),
    model: displayName,
    baseUrl: place.optional(),
    apiKey,
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
