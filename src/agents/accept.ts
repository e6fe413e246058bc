import {
  DEFAULT_BASE_URLS,
  KEY_HEADERS,
  type AgentSecret,
  type Executor,
} from "../domain/agent.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Egress } from "../egress/contract.ts";
import { egressOf } from "../egress/egress.ts";
import type { ExecutorBody } from "./executor-wire.ts";
import { readCard } from "./executors/a2a/card.ts";
import type { Agent } from "./rows.ts";
import { openAgentSecret, sealAgentSecret, type SealEnv } from "./secret.ts";

export type AcceptEnv = SealEnv & Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

/** What an agent's card says of it. */
export interface CardWords {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
}

export interface Accepted {
  readonly executor: Executor;
  readonly sealed: string | null;
  /** What an A2A agent says of itself; null for all others. */
  readonly card: CardWords | null;
}

type Standing = Pick<Agent, "executor" | "sealed">;

/**
 * An executor as it will be stored, once its address is judged, its card read and its key sealed.
 * `before` is the one it takes the place of: a key that is left out is kept where type and origin are.
 */
export async function acceptExecutor(
  env: AcceptEnv,
  agentId: string,
  body: ExecutorBody,
  before: Standing | null,
): Promise<Result<Accepted, Failure>> {
  const asked = executorOf(body);
  const address = addressOf(asked);
  if (address === null) return ok({ executor: asked, sealed: null, card: null });
  const secret = await secretFor(env, agentId, body, asked, before);
  if (!secret.ok) return secret;
  const taken = takenHeader(asked, secret.value);
  if (taken !== null) {
    const isStored = body.type === "model" && body.headers === undefined;
    if (isStored) return fail(invalid("executor.apiKey", storedHeader(taken)));
    return fail(invalid(`executor.headers.${taken}`, KEY_IS_SENT));
  }
  const executor = withSecret(asked, secret.value);
  const egress = egressOf(env);
  const problem = await addressProblem(egress, address.url, secret.value !== null);
  if (problem !== null) return fail(invalid(address.path, problem));
  const card = await cardOf(egress, executor, secret.value);
  if (!card.ok) return fail(invalid(address.path, card.failure));
  if (secret.value === null) return ok({ executor, sealed: null, card: card.value });
  const sealed = await sealAgentSecret(env, agentId, secret.value);
  return sealed.ok ? ok({ executor, sealed: sealed.value, card: card.value }) : sealed;
}

function executorOf(body: ExecutorBody): Executor {
  switch (body.type) {
    case "builtin":
    case "worker":
      return body;
    case "a2a":
      return { type: body.type, cardUrl: body.cardUrl };
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

/** Where an executor's requests go, and the field that says so. */
function addressOf(executor: Executor): { path: string; url: string } | null {
  if (executor.type === "a2a") return { path: "executor.cardUrl", url: executor.cardUrl };
  if (executor.type !== "model" || executor.baseUrl === null) return null;
  return { path: "executor.baseUrl", url: executor.baseUrl };
}

async function secretFor(
  env: SealEnv,
  agentId: string,
  body: ExecutorBody,
  executor: Executor,
  before: Standing | null,
): Promise<Result<AgentSecret | null, Failure>> {
  const apiKey = "apiKey" in body ? body.apiKey : undefined;
  const headers = body.type === "model" ? body.headers : null;
  const mayKeep = before !== null && isSamePlace(before.executor, executor);
  const keepsKey = mayKeep && apiKey === undefined;
  const keepsHeaders = mayKeep && headers === undefined && hasHeaders(before.executor);
  const kept =
    keepsKey || keepsHeaders ? await openAgentSecret(env, agentId, before.sealed) : ok(null);
  if (!kept.ok) {
    const field = keepsKey ? "executor.apiKey" : "executor.headers";
    return fail(invalid(field, "is required again: the stored value cannot be decrypted"));
  }
  const header = body.type === "a2a" ? (body.apiKeyHeader ?? null) : null;
  const key = keepsKey
    ? { apiKey: kept.value?.apiKey ?? null, header: kept.value?.header ?? null }
    : { apiKey: apiKey ?? null, header };
  const values = (keepsHeaders ? kept.value?.headers : headers) ?? {};
  if (Object.keys(values).length > 0) return ok({ ...key, headers: values });
  return ok(key.apiKey === null ? null : key);
}

const KEY_IS_SENT = "must be left out: the agent has an apiKey, which is sent for authentication";

function storedHeader(name: string): string {
  return `must be left out: the agent has a stored header ${name}, which is sent for authentication; to use an apiKey, send executor.headers without this header, or set executor.headers to null`;
}

/** The name of a configured header that would override the API key's header; null if there is none. */
function takenHeader(executor: Executor, secret: AgentSecret | null): string | null {
  if (executor.type !== "model" || secret === null || secret.apiKey === null) return null;
  const taken = new Set(["authorization", KEY_HEADERS[executor.provider]]);
  const names = Object.keys(secret.headers ?? {});
  return names.find((name) => taken.has(name.toLowerCase())) ?? null;
}

/** A model's executor with the header names of its secret; the values are never shown. */
function withSecret(executor: Executor, secret: AgentSecret | null): Executor {
  const headerNames = Object.keys(secret?.headers ?? {});
  if (executor.type !== "model" || headerNames.length === 0) return executor;
  return { ...executor, headerNames, ...(secret?.apiKey === null ? { isKeyless: true } : {}) };
}

function hasHeaders(executor: Executor): boolean {
  return executor.type === "model" && (executor.headerNames ?? []).length > 0;
}

/** Whether a key may stay: it must never follow to another system. */
function isSamePlace(one: Executor, other: Executor): boolean {
  const [before, after] = [addressOf(one), addressOf(other)];
  if (one.type !== other.type || before === null || after === null) return false;
  const origin = URL.parse(before.url)?.origin;
  return origin !== undefined && origin === URL.parse(after.url)?.origin;
}

async function addressProblem(
  egress: Egress,
  url: string,
  isKeyed: boolean,
): Promise<string | null> {
  const checked = await egress.check(url, isKeyed);
  return checked.ok ? null : checked.failure;
}

async function cardOf(
  egress: Egress,
  executor: Executor,
  secret: AgentSecret | null,
): Promise<Result<CardWords | null, string>> {
  return executor.type === "a2a" ? readCard(egress, executor.cardUrl, secret) : ok(null);
}
