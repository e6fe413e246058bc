import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { IdempotencyKeyObject } from "../../../src/platform/idempotency/idempotency-key.object.ts";
import { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import type { Answer } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { create, passTime, stopClock } from "../../support/tasks.ts";
import { eventsOf } from "../../support/task-state.ts";
import { DAY_MS, expectReplay, isReplay, keyed, keysNamed, stored } from "./fixtures.ts";

const LOST = "Network connection lost.";
const DB = env.DB;

beforeAll(stopClock);
beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  Object.assign(env, { DB });
  vi.restoreAllMocks();
});

const keyBody = (name: string) => ({ name, scopes: ["tools:read"] });

/** A D1 that commits the transaction with a new key's row but loses the response. */
function databaseLosingResponses(): D1Database {
  return watching(DB, "batch", async (results: Promise<D1Result[]>) => {
    await results;
    throw new Error(`D1_ERROR: ${LOST}`);
  });
}

/**
 * Replaces the results of one method with those of `made`, which receives each result and the
 * call's arguments.
 */
function watching<Watched extends object>(
  watched: Watched,
  method: string,
  made: (...found: never[]) => unknown,
): Watched {
  return new Proxy(watched, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== method) return member.bind(target);
      return (...args: unknown[]) =>
        Reflect.apply(made, null, [Reflect.apply(member, target, args), ...args]);
    },
  });
}

/**
 * Makes the next call to an object's method fail, either before or after the method does its work.
 */
function failNextCall(
  object: IdempotencyKeyObject | TaskObject,
  method: string,
  isDone: boolean,
  message = LOST,
) {
  const whole = Reflect.get(object, method);
  Reflect.set(object, method, async function broken(this: unknown, ...args: unknown[]) {
    Reflect.set(object, method, whole);
    if (isDone) await Reflect.apply(whole, this, args);
    throw new Error(message);
  });
}

function expectLost(answer: Answer): void {
  expectError(answer, 409, "IDEMPOTENCY_KEY_IN_USE");
  expect(answer.body.error.retryable).toBe(false);
  expect(answer.body.error.message).toMatch(/may or may not have been applied.*new key/);
}

describe("interrupted work", () => {
  it("work is not repeated for a day if its row was written but the response was lost", async () => {
    Object.assign(env, { DB: databaseLosingResponses() });
    expectError(await keyed("row", "/agents/keys", keyBody("row")), 503, "SERVICE_UNAVAILABLE");
    Object.assign(env, { DB });
    expect(await keysNamed("row")).toBe(1);
    expectLost(await keyed("row", "/agents/keys", keyBody("row")));
    passTime(DAY_MS - 1);
    expectLost(await keyed("row", "/agents/keys", keyBody("row")));
    expect(await keysNamed("row")).toBe(1);
    passTime(1);
    expect((await keyed("row", "/agents/keys", keyBody("row"))).status).toBe(201);
  });

  it.each([
    ["an outage", LOST, 503, "SERVICE_UNAVAILABLE"],
    ["a bug", "undefined is not a function", 500, "INTERNAL_ERROR"],
  ])(
    "work that is interrupted by %s after a task was notified is not repeated",
    async (_, message, status, code) => {
      const id = await create();
      const path = `/agents/tasks/${id}/cancel`;
      failNextCall(TaskObject.prototype, "command", true, message);
      expectError(await keyed(code, path, { reason: "late" }), status, code);
      const eventsBefore = await eventsOf(id);
      expectLost(await keyed(code, path, { reason: "late" }));
      expect(await eventsOf(id)).toEqual(eventsBefore);
      expect(eventsBefore.filter(({ type }) => type === "cancelled")).toHaveLength(1);
    },
  );

  it("an interrupted request keeps its key reserved, and the object stores only who reserved it", async () => {
    Object.assign(env, { DB: databaseLosingResponses() });
    await keyed("held", "/agents/keys", keyBody("held"));
    Object.assign(env, { DB });
    const other = await keyed("held", "/agents/keys", keyBody("other"));
    expectError(other, 422, "IDEMPOTENCY_KEY_REUSED");
    expect((await stored("held")).map(([name]) => name)).toEqual(["taking"]);
  });
});

describe("a lost connection to the key's object", () => {
  it.each([true, false])(
    "a connection that is lost before any work releases the key (release done: %s)",
    async (isDone) => {
      const name = `begin-${isDone}`;
      failNextCall(IdempotencyKeyObject.prototype, "acquire", true);
      failNextCall(IdempotencyKeyObject.prototype, "release", isDone);
      const first = await keyed(name, "/agents/keys", keyBody(name));
      expectError(first, 503, "SERVICE_UNAVAILABLE");
      expect(await keysNamed(name)).toBe(0);
      while ((await stored(name)).length > 0);
      const second = await keyed(name, "/agents/keys", keyBody(name));
      expect([second.status, isReplay(second)]).toEqual([201, false]);
    },
  );

  it.each([true, false])(
    "a connection that is lost while the response is saved does not lose the response (keep done: %s)",
    async (isDone) => {
      const name = `keep-${isDone}`;
      failNextCall(IdempotencyKeyObject.prototype, "saveResponse", isDone);
      const first = await keyed(name, "/agents/keys", keyBody(name));
      expect(first.status).toBe(201);
      expectReplay(await keyed(name, "/agents/keys", keyBody(name)), first);
    },
  );

  it.each([true, false])(
    "a connection that is lost while the key is marked does not hide the interrupted work (lose done: %s)",
    async (isDone) => {
      const name = `lose-${isDone}`;
      failNextCall(IdempotencyKeyObject.prototype, "markLost", isDone);
      Object.assign(env, { DB: databaseLosingResponses() });
      await keyed(name, "/agents/keys", keyBody(name));
      Object.assign(env, { DB });
      expectLost(await keyed(name, "/agents/keys", keyBody(name)));
    },
  );
});
