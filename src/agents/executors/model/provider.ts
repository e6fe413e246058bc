import type { LanguageModelV3 } from "@ai-sdk/provider";
import {
  KEY_HEADERS,
  type AgentSecret,
  type ModelExecutor,
  type ModelProvider,
} from "../../../domain/agent.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { authorisationOf } from "../authorisation.ts";
import { adjustingFetch } from "./adjust.ts";
import type { Wire } from "./wire.ts";

export const NO_BINDING =
  'This deployment has no Workers AI binding. Add it to wrangler.toml (with "[ai]" and under it: binding = "AI"), deploy again, and retry the task.';
const NO_BASE_URL =
  "The agent has no baseUrl for its model; set one with PATCH /agents/:agentId, such as https://api.openai.com/v1.";
/** Anthropic requires each request to name the API version; this is the only one. */
const ANTHROPIC_VERSION = "2023-06-01";
/** Models of OpenAI itself refuse the older name of this limit, which all others know. */
const NEW_LIMIT_HOSTS = /^(?:api\.openai\.com|.*\.openai\.azure\.com)$/;

/** The model that an agent works with; the failure says what its owner should set. */
export async function modelOf(
  executor: ModelExecutor,
  secret: AgentSecret | null,
  wire: Wire,
  ai: Ai | null,
): Promise<Result<LanguageModelV3, string>> {
  const { provider, model } = executor;
  if (provider === "workers-ai") {
    if (ai === null) return fail(NO_BINDING);
    const { createWorkersAI } = await import("workers-ai-provider");
    return ok(createWorkersAI({ binding: ai })(model));
  }
  const place = URL.parse(executor.baseUrl ?? "");
  if (place === null) return fail(NO_BASE_URL);
  const { hostname, origin, pathname, search } = place;
  const baseURL = `${origin}${pathname.replace(/\/$/, "")}`;
  const send = queryingFetch(wire.fetch, search);
  const generateId = () => crypto.randomUUID();
  // Import only the chat model of each package: the whole packages are 50% larger.
  switch (provider) {
    case "anthropic": {
      const { AnthropicMessagesLanguageModel } = await import("@ai-sdk/anthropic/internal");
      const headers = { "anthropic-version": ANTHROPIC_VERSION, ...headersOf(provider, secret) };
      const config = { provider: "anthropic.messages", baseURL, headers, fetch: send, generateId };
      return ok(new AnthropicMessagesLanguageModel(model, config));
    }
    case "google": {
      const { GoogleGenerativeAILanguageModel } = await import("@ai-sdk/google/internal");
      const headers = headersOf(provider, secret);
      const config = {
        provider: "google.generative-ai",
        baseURL,
        headers,
        fetch: send,
        generateId,
      };
      return ok(new GoogleGenerativeAILanguageModel(model, config));
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const endpoint = createOpenAICompatible({
        name: "model",
        baseURL,
        headers: headersOf(provider, secret),
        fetch: adjustingFetch(send, `${place.href} ${model}`),
        includeUsage: true,
        ...(NEW_LIMIT_HOSTS.test(hostname) ? { transformRequestBody: withNewLimit } : {}),
      });
      return ok(endpoint.chatModel(model));
    }
  }
}

/** The API key in its provider's header, and the agent's extra headers. */
function headersOf(provider: ModelProvider, secret: AgentSecret | null): Record<string, string> {
  const key = authorisationOf(secret);
  const isUsual = secret?.header === null && provider !== "openai-compatible";
  const name = isUsual ? KEY_HEADERS[provider] : key?.name;
  const value = isUsual ? key?.secret : key?.value;
  const own = name === undefined || value === undefined ? {} : { [name]: value };
  return { ...own, ...secret?.headers };
}

/** Adds the base URL's query to each request. */
function queryingFetch(send: typeof fetch, search: string): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    for (const [name, value] of new URLSearchParams(search)) url.searchParams.append(name, value);
    return send(url.href, init);
  };
}

function withNewLimit(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = body;
  return limit === undefined ? rest : { ...rest, max_completion_tokens: limit };
}
