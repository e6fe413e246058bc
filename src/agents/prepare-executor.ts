import {
  API_KEY_HEADERS,
  DEFAULT_BASE_URLS,
  type Agent,
  type AgentPrice,
  type AgentSecret,
  type ExecutorConfig,
} from "./model/agent.ts";
import { createFieldFailure, type Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { createEgress } from "../platform/egress/egress.ts";
import type { ExecutorBody } from "./executor-schemas.ts";
import { fetchCardForRegistration, type A2aAgentCard } from "../executors/a2a/agent-card.ts";
import { type SealEnv, sealWithCurrentKey } from "../platform/crypto/seal.ts";
import { agentSealUseOf, openAgentSecret } from "./read-agent.ts";

export type PrepareExecutorEnv = SealEnv & Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

interface PreparedExecutor {
  readonly executor: ExecutorConfig;
  readonly sealed: string | null;
  /** The agent card of an A2A agent; null for other agents. */
  readonly card: A2aAgentCard | null;
}

type CurrentExecutor = Pick<Agent, "executor" | "sealed">;

/**
 * Checks an executor's address, fetches its agent card and seals its secrets. `before` is the executor being replaced;
 * omitted secrets are kept if the type and origin stay the same.
 */
export async function prepareExecutor(
  env: PrepareExecutorEnv,
  agentId: string,
  body: ExecutorBody,
  before: CurrentExecutor | null,
): Promise<Result<PreparedExecutor, Failure>> {
  const requested = toExecutorConfig(body);
  const address = executorAddressOf(requested);
  if (address === null) return ok({ executor: requested, sealed: null, card: null });
  const secret = await resolveSecret(env, agentId, body, requested, before);
  if (!secret.ok) return secret;
  const taken = findConflictingHeader(requested, secret.value);
  if (taken !== null) {
    const isStored = body.type === "model" && body.headers === undefined;
    if (isStored) return fail(createFieldFailure("executor.apiKey", storedHeaderConflict(taken)));
    return fail(createFieldFailure(`executor.headers.${taken}`, API_KEY_CONFLICT));
  }
  const executor = withHeaderNames(requested, secret.value);
  const egress = createEgress(env);
  const checked = await egress.checkUrl(address.url, secret.value !== null);
  if (!checked.ok) return fail(createFieldFailure(address.path, checked.failure));
  const card =
    executor.type === "a2a"
      ? await fetchCardForRegistration(egress, executor.cardUrl, secret.value)
      : ok(null);
  if (!card.ok) return fail(createFieldFailure(address.path, card.failure));
  if (secret.value === null) return ok({ executor, sealed: null, card: card.value });
  const sealed = await sealWithCurrentKey(env, agentSealUseOf(agentId), secret.value);
  return sealed.ok ? ok({ executor, sealed: sealed.value, card: card.value }) : sealed;
}

function toExecutorConfig(body: ExecutorBody): ExecutorConfig {
  switch (body.type) {
    case "builtin":
      return body;
    case "worker":
      return { type: body.type, ...priceOf(body) };
    case "a2a":
      return { type: body.type, cardUrl: body.cardUrl, ...priceOf(body) };
    case "model": {
      const { apiKey: _, headers: __, baseUrl, instructions, temperature, ...rest } = body;
      return {
        ...rest,
        baseUrl: baseUrl ?? DEFAULT_BASE_URLS[body.provider],
        instructions: instructions ?? null,
        temperature: temperature ?? null,
      };
    }
  }
}

/** The price in a request; nothing if there is none, or if it is zero. */
function priceOf({ price }: { price?: AgentPrice | undefined }): { readonly price?: AgentPrice } {
  return price === undefined || price.perTask + price.perMinute === 0 ? {} : { price };
}

/** The URL that an executor sends requests to and the path of its field; null if it sends none. */
function executorAddressOf(executor: ExecutorConfig): { path: string; url: string } | null {
  if (executor.type === "a2a") return { path: "executor.cardUrl", url: executor.cardUrl };
  if (executor.type !== "model" || executor.baseUrl === null) return null;
  return { path: "executor.baseUrl", url: executor.baseUrl };
}

async function resolveSecret(
  env: SealEnv,
  agentId: string,
  body: ExecutorBody,
  executor: ExecutorConfig,
  before: CurrentExecutor | null,
): Promise<Result<AgentSecret | null, Failure>> {
  const apiKey = "apiKey" in body ? body.apiKey : undefined;
  const headers = body.type === "model" ? body.headers : null;
  const mayKeep = before !== null && hasSameOrigin(before.executor, executor);
  const keepsKey = mayKeep && apiKey === undefined;
  const keepsHeaders = mayKeep && headers === undefined && hasHeaders(before.executor);
  const kept =
    keepsKey || keepsHeaders ? await openAgentSecret(env, agentId, before.sealed) : ok(null);
  if (!kept.ok) {
    const field = keepsKey ? "executor.apiKey" : "executor.headers";
    return fail(
      createFieldFailure(field, "must be sent again because the stored value cannot be decrypted"),
    );
  }
  const header = body.type === "a2a" ? (body.apiKeyHeader ?? null) : null;
  const key = keepsKey
    ? { apiKey: kept.value?.apiKey ?? null, header: kept.value?.header ?? null }
    : { apiKey: apiKey ?? null, header };
  const values = (keepsHeaders ? kept.value?.headers : headers) ?? {};
  if (Object.keys(values).length > 0) return ok({ ...key, headers: values });
  return ok(key.apiKey === null ? null : key);
}

const API_KEY_CONFLICT = "must be omitted because the agent authenticates with its apiKey";

function storedHeaderConflict(name: string): string {
  return `must be omitted because the agent authenticates with its stored header ${name}. To use an apiKey instead, send executor.headers without this header, or set executor.headers to null`;
}

/** The name of an extra header that would override the API key's header; null if there is none. */
function findConflictingHeader(
  executor: ExecutorConfig,
  secret: AgentSecret | null,
): string | null {
  if (executor.type !== "model" || secret === null || secret.apiKey === null) return null;
  const taken = new Set(["authorization", API_KEY_HEADERS[executor.provider]]);
  const names = Object.keys(secret.headers ?? {});
  return names.find((name) => taken.has(name.toLowerCase())) ?? null;
}

/** Adds the names of the secret's headers to a model executor; the values are never shown. */
function withHeaderNames(executor: ExecutorConfig, secret: AgentSecret | null): ExecutorConfig {
  const headerNames = Object.keys(secret?.headers ?? {});
  if (executor.type !== "model" || headerNames.length === 0) return executor;
  return { ...executor, headerNames, ...(secret?.apiKey === null ? { isKeyless: true } : {}) };
}

function hasHeaders(executor: ExecutorConfig): boolean {
  return executor.type === "model" && (executor.headerNames ?? []).length > 0;
}

/** Whether stored secrets can be kept. They are never sent to a different origin. */
function hasSameOrigin(one: ExecutorConfig, other: ExecutorConfig): boolean {
  const [before, after] = [executorAddressOf(one), executorAddressOf(other)];
  if (one.type !== other.type || before === null || after === null) return false;
  const origin = URL.parse(before.url)?.origin;
  return origin !== undefined && origin === URL.parse(after.url)?.origin;
}
