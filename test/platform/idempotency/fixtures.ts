import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { post, type Answer, type Options } from "../../support/client.ts";

export const DAY_MS = 86_400_000;

/** Sends a POST with an idempotency key. */
export function keyed(
  idempotencyKey: string,
  path: string,
  body?: JsonObject,
  options: Options = {},
): Promise<Answer> {
  const headers = { ...options.headers, "Idempotency-Key": idempotencyKey };
  return post(path, body, { ...options, headers });
}

export function isReplay({ headers }: Answer): boolean {
  return headers.get("Idempotency-Replayed") === "true";
}

/** Asserts that a response is a replay of the first one, with metadata of its own. */
export function expectReplay(again: Answer, first: Answer): void {
  expect([again.status, isReplay(again)], again.text).toEqual([first.status, true]);
  expect(isReplay(first)).toBe(false);
  expect(again.body.data).toEqual(first.body.data);
  expect(again.body.error).toEqual(first.body.error);
  expect(again.headers.get("Location")).toBe(first.headers.get("Location"));
  expect(again.headers.get("ETag")).toBe(first.headers.get("ETag"));
  expect(again.body.metadata.requestId).not.toBe(first.body.metadata.requestId);
}

/** The Durable Object for an idempotency key. `keyId` is the API key that uses it. */
export function objectOf(idempotencyKey: string, keyId = "root"): DurableObjectStub {
  return env.ONCE.get(env.ONCE.idFromName(`${keyId}:${idempotencyKey}`));
}

/** Everything that the object of an idempotency key stores. */
export function stored(idempotencyKey: string, keyId?: string): Promise<[string, unknown][]> {
  return runInDurableObject(objectOf(idempotencyKey, keyId), (_, { storage }) => [
    ...storage.kv.list(),
  ]);
}

/** Runs the alarm that deletes an idempotency key; false if none is set. */
export function expire(idempotencyKey: string): Promise<boolean> {
  return runDurableObjectAlarm(objectOf(idempotencyKey));
}

/** Deletes the stored response, as if the Worker had ended between its work and its response. */
export async function loseAnswer(idempotencyKey: string): Promise<void> {
  await runInDurableObject(objectOf(idempotencyKey), (_, { storage }) => {
    for (const [name] of storage.kv.list({ prefix: "answer" })) storage.kv.delete(name);
  });
}

/** Counts the API keys with this name. */
export async function keysNamed(name: string): Promise<number> {
  const statement = env.DB.prepare("SELECT count(*) AS count FROM keys WHERE name = ?");
  return (await statement.bind(name).first<number>("count")) ?? 0;
}
