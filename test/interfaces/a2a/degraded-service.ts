import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { onTestFinished, vi, type MockInstance } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import worker from "../../../src/index.ts";
import { ORIGIN, ROOT } from "../../support/client.ts";

export const HEADERS = {
  Authorization: `Bearer ${ROOT}`,
  "A2A-Version": "1.0",
  "Content-Type": "application/json",
};

/**
 * Calls a JSON-RPC method of a service with broken bindings. Returns after all pending work has
 * ended.
 */
export async function callWithBindings(
  method: string,
  params: JsonObject,
  broken: Partial<Env> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
): Promise<any> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const request = new Request(`${ORIGIN}/a2a`, { method: "POST", headers: HEADERS, body });
  const context = createExecutionContext();
  const response = await worker.fetch(request, { ...env, ...broken }, context);
  const answer = await response.json();
  await waitOnExecutionContext(context);
  return answer;
}

/** A database in which every query fails with this message. The default is a lost connection. */
export function brokenDatabase(words = "D1_ERROR: Network connection lost."): D1Database {
  return new Proxy(env.DB, {
    get() {
      throw new Error(words);
    },
  });
}

/** Captures the error log until the test ends. */
export function takeLog(): MockInstance<typeof console.error> {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return log;
}

/**
 * A Durable Object namespace whose stubs have one method replaced. `real` calls the original
 * method.
 */
export function divertNamespace<Namespace extends object>(
  namespace: Namespace,
  method: string,
  way: (real: () => Promise<unknown>) => Promise<unknown>,
): Namespace {
  return new Proxy(namespace, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "get") return member.bind(target);
      return (...ids: unknown[]) => stubOf(Reflect.apply(member, target, ids), method, way);
    },
  });
}

function stubOf(
  stub: Record<string, (...given: unknown[]) => Promise<unknown>>,
  method: string,
  way: (real: () => Promise<unknown>) => Promise<unknown>,
): object {
  return new Proxy(stub, {
    get(target, name) {
      return (...given: unknown[]) => {
        const real = async (): Promise<unknown> => target[String(name)]?.(...given);
        return name === method ? way(real) : real();
      };
    },
  });
}
