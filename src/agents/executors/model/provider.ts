import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { AgentSecret, ModelExecutor } from "../../../domain/agent.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { authorisationOf } from "../authorisation.ts";
import type { Wire } from "./wire.ts";

export const NO_BINDING =
  'This deployment has no Workers AI binding. Add it to wrangler.toml (with "[ai]" and under it: binding = "AI"), deploy again, and retry the task.';
const NO_BASE_URL =
  "The agent has no baseUrl for its model; set one with PATCH /agents/:agentId, such as https://api.openai.com/v1.";
/** Models of OpenAI itself refuse the older name of this limit, which all others know. */
const NEW_LIMIT_HOSTS = /^(?:api\.openai\.com|.*\.openai\.azure\.com)$/;

/** The model that an agent works with; the failure says what its owner should set. */
export async function modelOf(
  executor: ModelExecutor,
  secret: AgentSecret | null,
  wire: Wire,
  ai: Ai | null,
): Promise<Result<LanguageModelV3, string>> {
  if (executor.provider === "workers-ai") {
    if (ai === null) return fail(NO_BINDING);
    const { createWorkersAI } = await import("workers-ai-provider");
    return ok(createWorkersAI({ binding: ai })(executor.model));
  }
  const { baseUrl, model } = executor;
  const host = baseUrl === null ? undefined : URL.parse(baseUrl)?.hostname;
  if (baseUrl === null || host === undefined) return fail(NO_BASE_URL);
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const shown = authorisationOf(secret);
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: baseUrl,
    headers: shown === null ? {} : { [shown.name]: shown.value },
    fetch: wire.fetch,
    includeUsage: true,
    ...(NEW_LIMIT_HOSTS.test(host) ? { transformRequestBody: withNewLimit } : {}),
  });
  return ok(provider.chatModel(model));
}

function withNewLimit(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = body;
  return limit === undefined ? rest : { ...rest, max_completion_tokens: limit };
}
