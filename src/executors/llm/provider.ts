import type { LanguageModelV3 } from "@ai-sdk/provider";
import {
  API_KEY_HEADERS,
  type AgentSecret,
  type ModelExecutorConfig,
  type ModelProvider,
} from "../../agents/model/agent.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { toAgentAuthorization } from "../authorization.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import type { LlmTransport } from "./transport.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";

const WORKERS_AI_BINDING_MISSING =
  'This deployment has no Workers AI binding. Add binding = "AI" under [ai] in wrangler.toml, deploy again, and retry the task.';
const BASE_URL_MISSING =
  "The agent has no baseUrl for its model. Set one, such as https://api.openai.com/v1, with PATCH /agents/:agentId.";
/** Anthropic requires each request to name the API version; this is the latest. */
const ANTHROPIC_VERSION = "2023-06-01";
/** OpenAI has deprecated `max_tokens`, the usual name for the token limit, and its newer models reject it. */
const MAX_COMPLETION_TOKENS_HOSTS = /^(?:api\.openai\.com|.*\.openai\.azure\.com)$/;

/** Creates an agent's language model. A failure states what must be configured. */
export async function createLanguageModel(
  executor: ModelExecutorConfig,
  secret: AgentSecret | null,
  transport: Pick<LlmTransport, "fetch">,
  ai: Ai | null,
): Promise<Result<LanguageModelV3, string>> {
  const { provider, model } = executor;
  if (provider === "workers-ai") {
    if (ai === null) return fail(WORKERS_AI_BINDING_MISSING);
    const { createWorkersAI } = await import("workers-ai-provider");
    return ok(createWorkersAI({ binding: ai })(model));
  }
  const endpointUrl = URL.parse(executor.baseUrl ?? "");
  if (endpointUrl === null) return fail(BASE_URL_MISSING);
  const { hostname, origin, pathname, search } = endpointUrl;
  const baseURL = `${origin}${pathname.replace(/\/$/, "")}`;
  const send = createQueryFetch(transport.fetch, search);
  const generateId = () => crypto.randomUUID();
  // For Anthropic and Google, import only the chat model, because the whole packages are 50% larger.
  switch (provider) {
    case "anthropic": {
      const { AnthropicMessagesLanguageModel } = await import("@ai-sdk/anthropic/internal");
      const headers = { "anthropic-version": ANTHROPIC_VERSION, ...buildHeaders(provider, secret) };
      const config = { provider: "anthropic.messages", baseURL, headers, fetch: send, generateId };
      return ok(new AnthropicMessagesLanguageModel(model, config));
    }
    case "google": {
      const { GoogleGenerativeAILanguageModel } = await import("@ai-sdk/google/internal");
      const headers = buildHeaders(provider, secret);
      const id = "google.generative-ai";
      const config = { provider: id, baseURL, headers, fetch: send, generateId };
      return ok(new GoogleGenerativeAILanguageModel(model, config));
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const endpoint = createOpenAICompatible({
        name: "model",
        baseURL,
        headers: buildHeaders(provider, secret),
        fetch: createAdjustingFetch(
          send,
          `${endpointUrl.href} ${model}`,
          MAX_COMPLETION_TOKENS_HOSTS.test(hostname) ? ["limit"] : [],
        ),
        includeUsage: true,
      });
      return ok(endpoint.chatModel(model));
    }
  }
}

/** The API key in the provider's header, plus the agent's additional headers. */
function buildHeaders(provider: ModelProvider, secret: AgentSecret | null): Record<string, string> {
  const key = toAgentAuthorization(secret);
  const isUsual = secret?.header === null && provider !== "openai-compatible";
  const name = isUsual ? API_KEY_HEADERS[provider] : key?.name;
  const value = isUsual ? key?.secret : key?.value;
  const own = name === undefined || value === undefined ? {} : { [name]: value };
  return { ...own, ...secret?.headers };
}

/** Adds the base URL's query to each request. */
function createQueryFetch(send: typeof fetch, search: string): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    for (const [name, value] of new URLSearchParams(search)) url.searchParams.append(name, value);
    return send(url.href, init);
  };
}

/** Statuses that endpoints use to reject a parameter. */
const REJECTION_STATUSES = new Set([400, 404, 422, 501]);
const UNSUPPORTED_PARAMETER =
  /unsupported|not[ _]support|unknown|unrecogni[sz]ed|unexpected|invalid parameter|not (?:permitted|allowed|available|implemented)|extra|instead/i;
/** Matches errors about a parameter's value rather than the parameter itself. */
const VALUE_OUT_OF_RANGE =
  /\b(?:at most|at least|up to|between|maximum|minimum|too (?:large|high|big|small|low|many)|exceeds?|(?:less|greater|more|fewer|lower|higher) than|out of range)\b|[<>]=?|≤|≥/i;
/** How many endpoints an isolate remembers. Each takes a few hundred bytes. */
const LEARNED_ENDPOINTS_MAX = 1_000;

type AdjustmentName = "limit" | "stream options" | "streaming";

/** A change to the request body that the endpoint's error message calls for. */
interface Adjustment {
  readonly name: AdjustmentName;
  readonly isAskedFor: (errorText: string, body: JsonObject) => boolean;
  readonly adjusted: (body: JsonObject) => JsonObject;
}

const OLD_LIMIT_NAME = /\bmax_tokens\b/;
const NEW_LIMIT_NAME = /\bmax_completion_tokens\b/;

const ADJUSTMENTS: readonly Adjustment[] = [
  {
    // The limit has two names. Older endpoints accept only `max_tokens`; newer models accept only
    // `max_completion_tokens`.
    name: "limit",
    isAskedFor: (errorText, body) => {
      const own = limitNamePattern(body);
      const other = own === OLD_LIMIT_NAME ? NEW_LIMIT_NAME : OLD_LIMIT_NAME;
      return own.test(errorText) && (other.test(errorText) || !VALUE_OUT_OF_RANGE.test(errorText));
    },
    adjusted: renameTokenLimit,
  },
  {
    name: "stream options",
    isAskedFor: (errorText, body) =>
      "stream_options" in body && /\bstream_options\b/.test(errorText),
    adjusted: ({ stream_options: _, ...rest }) => rest,
  },
  {
    name: "streaming",
    isAskedFor: (errorText, body) =>
      body["stream"] === true && /\bstream(?:ing|ed)?\b/i.test(errorText),
    adjusted: ({ stream: _, stream_options: __, ...rest }) => rest,
  },
];

/** Adjustments learned by this isolate, keyed by endpoint address and model. */
const learnedAdjustments = new TtlCache<ReadonlySet<AdjustmentName>>(
  Infinity,
  LEARNED_ENDPOINTS_MAX,
);

/**
 * A `fetch` that adjusts the request if the endpoint rejects a parameter, once per parameter. `initial` lists the
 * adjustments to apply from the first request.
 */
export function createAdjustingFetch(
  send: typeof fetch,
  endpoint: string,
  initial: readonly AdjustmentName[] = [],
): typeof fetch {
  return async (input, init) => {
    let body = parseRequestBody(init);
    if (body === null) return send(input, init);
    const applied = new Set(learnedAdjustments.get(endpoint, Date.now()) ?? initial);
    for (const { name, adjusted } of ADJUSTMENTS) if (applied.has(name)) body = adjusted(body);
    const tried = new Set<AdjustmentName>();
    let firstErrorResponse: Response | null = null;
    for (;;) {
      const response = await send(input, { ...init, body: JSON.stringify(body) });
      if (response.ok && tried.size > 0) learnedAdjustments.set(endpoint, applied, Date.now());
      if (!REJECTION_STATUSES.has(response.status)) return response;
      const errorText = await response.text();
      const { status, headers } = response;
      const errorResponse = new Response(errorText, { status, headers });
      const next = findAdjustment(errorText, body, tried);
      if (next === null) {
        // If the endpoint rejects both names, its first response states the reason.
        const isUnknown =
          limitNamePattern(body).test(errorText) && !VALUE_OUT_OF_RANGE.test(errorText);
        return firstErrorResponse !== null && isUnknown ? firstErrorResponse : errorResponse;
      }
      if (next.name === "limit") firstErrorResponse = errorResponse;
      tried.add(next.name);
      // If the endpoint asks for an adjustment that is already applied, the endpoint has changed, so the adjustment is
      // undone.
      if (!applied.delete(next.name)) applied.add(next.name);
      body = next.adjusted(body);
    }
  };
}

function findAdjustment(
  errorText: string,
  body: JsonObject,
  tried: ReadonlySet<AdjustmentName>,
): Adjustment | null {
  if (!UNSUPPORTED_PARAMETER.test(errorText)) return null;
  const found = ADJUSTMENTS.find(
    ({ name, isAskedFor }) => !tried.has(name) && isAskedFor(errorText, body),
  );
  return found ?? null;
}

function limitNamePattern(body: JsonObject): RegExp {
  return "max_tokens" in body ? OLD_LIMIT_NAME : NEW_LIMIT_NAME;
}

function renameTokenLimit(body: JsonObject): JsonObject {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body;
  if (older !== undefined) return { ...rest, max_completion_tokens: older };
  return newer === undefined ? rest : { ...rest, max_tokens: newer };
}

function parseRequestBody(init: RequestInit | undefined): JsonObject | null {
  if (typeof init?.body !== "string") return null;
  const value: Json = JSON.parse(init.body);
  return isJsonObject(value) ? value : null;
}
