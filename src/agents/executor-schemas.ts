import * as z from "zod";
import {
  AGENT_PRICE_MAX,
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_HEADERS_MAX,
  MODEL_OUTPUT_TOKENS_DEFAULT,
  MODEL_OUTPUT_TOKENS_MAX,
  MODEL_TURNS_DEFAULT,
  MODEL_TURNS_MAX,
  TOKEN_PRICE_MAX,
} from "./limits.ts";
import { URL_BYTES_MAX } from "../kernel/limits.ts";
import {
  credentialFieldName,
  displayName,
  secretText,
  REDACT_INPUT,
  customIssue,
} from "../http/validation.ts";
import * as schema from "../http/schemas.ts";
import { type ExecutorType, MODEL_PROVIDERS } from "./model/agent.ts";
import { isFramingHeader, isReservedHeader } from "../kernel/header-name.ts";
import { headerNameSchema } from "../tools/connectors/schemas.ts";
import { mayBeCredentialName } from "../kernel/credential-name.ts";

/** A query is rejected because responses show this URL and queries often contain secrets. */
const cardUrlText = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !/[?#]/.test(text), {
    error: "must not have a query or fragment; put secrets in apiKey, which is encrypted",
    params: REDACT_INPUT,
  });

/** Any key that can read agents can see the query, so it must not contain credentials. */
const baseUrlText = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !text.includes("#"), {
    error: "must not have a fragment",
    params: REDACT_INPUT,
  })
  .refine((text) => !hasCredentialParameter(text), {
    error:
      "must not have credentials in its query; put them in apiKey or headers, which are encrypted and never shown",
    params: REDACT_INPUT,
  });

function hasCredentialParameter(text: string): boolean {
  const names = [...(URL.parse(text)?.searchParams.keys() ?? [])];
  return names.some(mayBeCredentialName);
}

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
  .optional()
  .describe(
    "For `model`: extra headers to send with each request, by name; at most 20. Values are secrets, so they are encrypted and never shown. If an update omits `headers`, the stored ones are kept as long as the type and origin stay the same; null deletes them. Connection and body headers are not allowed. Together with an `apiKey`, `Authorization` and the header that carries the provider's API key are not allowed either.",
  );

function findHeaderProblem(name: string, before: readonly string[]): string | null {
  const isReserved = name.toLowerCase() !== "authorization" && isReservedHeader(name);
  if (isReserved || isFramingHeader(name)) {
    return "must be omitted because the service sets connection and body headers itself";
  }
  const isTwice = before.some((one) => one.toLowerCase() === name.toLowerCase());
  return isTwice ? "is a duplicate; header names are case-insensitive" : null;
}

const apiKey = secretText
  .nullable()
  .optional()
  .describe(
    "For `model` and `a2a`: the secret to send with each request. It is encrypted and never shown. If an update omits `apiKey`, the stored one is kept as long as the type and origin stay the same; null deletes it.",
  );

function executorType<Type extends ExecutorType>(type: Type) {
  return z
    .literal(type)
    .describe(
      "`builtin`: the service itself, without a model or network access. `worker`: your own processes, which claim tasks. `model`: a language model. `a2a`: a remote A2A 1.0 agent.",
    );
}

const modelProvider = z
  .enum(MODEL_PROVIDERS)
  .describe(
    "The endpoint's protocol: OpenAI's chat completions, Anthropic's Messages API, Google's Gemini API, or Cloudflare's Workers AI.",
  );
const MODEL_DESCRIPTION = "The provider's name for the model.";
const instructions = schema.text(
  "Instructions added to the system prompt for each task; absent if there are none.",
);
const temperature = z
  .number()
  .min(0)
  .max(2)
  .optional()
  .describe("Sampling temperature. Default: the model's default.");
const price = (what: string) =>
  z.number().min(0).describe(`US dollars per million ${what} tokens.`);
const PRICE_DESCRIPTION =
  "For `a2a` and `worker`: what the agent's work costs, in addition to its tool calls. It counts towards a task's budget. A task keeps the price from its assignment.";
const perTask = z
  .number()
  .min(0)
  .describe("US dollars for each task, counted once when the agent first starts the task.");
const perMinute = z
  .number()
  .min(0)
  .describe(
    "US dollars for each minute that the agent works on a task, to the millisecond. Time spent waiting for people, a slot or a worker is free.",
  );
const priceBody = z
  .strictObject({
    perTask: perTask.max(AGENT_PRICE_MAX).default(0),
    perMinute: perMinute.max(AGENT_PRICE_MAX).default(0),
  })
  .optional()
  .describe(PRICE_DESCRIPTION);
/** An agent's price in responses. */
export const agentPriceSchema = schema.component("AgentPrice", PRICE_DESCRIPTION, {
  perTask,
  perMinute,
});
const maxTurns = z
  .int()
  .min(1)
  .describe("Maximum number of turns per attempt. An attempt that needs more fails.");
const maxOutputTokens = z.int().min(1).describe("Maximum number of output tokens per turn.");

const modelExecutor = z
  .strictObject({
    type: executorType("model"),
    provider: modelProvider.default("openai-compatible"),
    model: displayName.describe(MODEL_DESCRIPTION),
    baseUrl: baseUrlText
      .optional()
      .describe(
        "For `model`: the endpoint's base URL, such as `https://api.openai.com/v1`. It can include a query, such as `?api-version=2026-01-01`, which must not contain credentials because responses show it. Omit the URL for Workers AI and for the public Anthropic and Google endpoints. Private addresses are rejected unless the deployment sets `ALLOW_PRIVATE_EGRESS`.",
      ),
    apiKey,
    headers,
    instructions: instructions.min(1).max(INSTRUCTIONS_CHARACTERS_MAX).optional(),
    temperature,
    prices: z
      .strictObject({
        inputPerMillion: price("input").max(TOKEN_PRICE_MAX).default(0),
        outputPerMillion: price("output").max(TOKEN_PRICE_MAX).default(0),
      })
      .default({ inputPerMillion: 0, outputPerMillion: 0 })
      .describe("For `model`: token prices. Token costs count towards a task's budget."),
    maxTurns: maxTurns.max(MODEL_TURNS_MAX).default(MODEL_TURNS_DEFAULT),
    maxOutputTokens: maxOutputTokens
      .max(MODEL_OUTPUT_TOKENS_MAX)
      .default(MODEL_OUTPUT_TOKENS_DEFAULT),
  })
  .refine(({ provider, baseUrl }) => provider !== "openai-compatible" || baseUrl !== undefined, {
    path: ["baseUrl"],
    error: "is required: the base URL of the endpoint, such as https://api.openai.com/v1",
  })
  .refine(({ provider, baseUrl }) => provider !== "workers-ai" || baseUrl === undefined, {
    path: ["baseUrl"],
    error: "must be omitted because Workers AI is a platform binding without a URL",
  })
  .refine(({ provider, headers: given }) => provider !== "workers-ai" || (given ?? null) === null, {
    path: ["headers"],
    error: "must be omitted because Workers AI is not called over HTTP",
    params: REDACT_INPUT,
  })
  .refine(({ provider, apiKey: key }) => provider !== "workers-ai" || (key ?? null) === null, {
    path: ["apiKey"],
    error: "must be omitted because Workers AI does not need a key",
    params: REDACT_INPUT,
  })
  .meta({ id: "ModelExecutorInput" });

const a2aExecutor = z
  .strictObject({
    type: executorType("a2a"),
    cardUrl: cardUrlText.describe(
      "For `a2a`: the URL of the agent card. The card is fetched immediately, and the agent's interface must have the same origin.",
    ),
    apiKey,
    apiKeyHeader: credentialFieldName
      .optional()
      .describe(
        "For `a2a`: the header that carries the secret. Default: `Authorization: Bearer <apiKey>`.",
      ),
    price: priceBody,
  })
  .refine(
    ({ apiKey: key, apiKeyHeader }) => apiKeyHeader === undefined || typeof key === "string",
    {
      path: ["apiKeyHeader"],
      error: "must be sent together with apiKey",
      params: REDACT_INPUT,
    },
  )
  .meta({ id: "A2aExecutorInput" });

/** An agent's executor in a request, with its secrets. */
export const executorBody = z
  .discriminatedUnion("type", [
    schema.component("BuiltinExecutorInput", null, { type: executorType("builtin") }),
    modelExecutor,
    a2aExecutor,
    schema.component("WorkerExecutorInput", null, {
      type: executorType("worker"),
      price: priceBody,
    }),
  ])
  .meta({ id: "ExecutorInput" });
export type ExecutorBody = z.output<typeof executorBody>;

const hasApiKey = schema.flag("Whether an API key is stored. The key is never shown.");

/** An agent's executor in responses, without its secrets. */
export const executorSchema = z
  .discriminatedUnion("type", [
    schema.component("BuiltinExecutor", "The built-in executor, which does not use a model.", {
      type: z.literal("builtin").describe("The service itself."),
    }),
    schema.component(
      "ModelExecutor",
      "A language model that uses the tools granted to the agent.",
      {
        type: z.literal("model").describe("A language model."),
        provider: modelProvider,
        model: schema.text(MODEL_DESCRIPTION),
        baseUrl: schema.optional.text("The endpoint's base URL; absent for Workers AI."),
        headerNames: schema.optional.textList(
          "Names of the extra headers sent with each request. Their values are never shown.",
        ),
        instructions: instructions.optional(),
        temperature,
        prices: schema.component("TokenPrices", "Token prices.", {
          inputPerMillion: price("input"),
          outputPerMillion: price("output"),
        }),
        maxTurns,
        maxOutputTokens,
        hasApiKey,
      },
    ),
    schema.component("A2aExecutor", "A remote agent.", {
      type: z.literal("a2a").describe("A remote A2A 1.0 agent."),
      cardUrl: schema.text("The URL of the agent card."),
      hasApiKey,
      price: agentPriceSchema.optional(),
    }),
    schema.component("WorkerExecutor", "Your own processes, which claim tasks through this API.", {
      type: z.literal("worker").describe("Your own processes."),
      price: agentPriceSchema.optional(),
    }),
  ])
  .meta({ id: "Executor", description: "How an agent carries out tasks." });
export type ExecutorResponse = schema.ResponseOf<typeof executorSchema>;
