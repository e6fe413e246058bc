import type { LanguageModelV3 } from "@ai-sdk/provider";
import {
  API_KEY_HEADERS,
  type AgentSecret,
  type ModelExecutorConfig,
  type ModelProvider,
} from "../../agents/model/agent.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { toAgentAuthorization } from "../authorization.ts";
import { createAdjustingFetch } from "./adjusting-fetch.ts";
import type { LlmTransport } from "./transport.ts";

const WORKERS_AI_BINDING_MISSING =
  'This deployment has no Workers AI binding. Add it to wrangler.toml (with "[ai]" and under it: binding = "AI"), deploy again, and retry the task.';
const BASE_URL_MISSING =
  "The agent has no baseUrl for its model; set one with PATCH /agents/:agentId, such as https://api.openai.com/v1.";
/** Anthropic requires each request to name the API version; this is the only one. */
const ANTHROPIC_VERSION = "2023-06-01";
/** Models of OpenAI itself reject `max_tokens`, the name of the limit that all others accept. */
const MAX_COMPLETION_TOKENS_HOSTS = /^(?:api\.openai\.com|.*\.openai\.azure\.com)$/;

/** The language model of an agent; the failure says what its owner should set. */
export async function createLanguageModel(
  executor: ModelExecutorConfig,
  secret: AgentSecret | null,
  transport: LlmTransport,
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
  // Import only the chat model of each package: the whole packages are 50% larger.
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

/** The API key in its provider's header, and the agent's extra headers. */
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
