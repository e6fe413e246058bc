import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { EventFeed } from "../../../../src/events/feed.object.ts";
import { STORED_BYTES_UNIT } from "../../../../src/tasks/limits.ts";
import { feedStub } from "../../../../src/events/feed.rpc.ts";
import { taskStub } from "../../../../src/tasks/task.rpc.ts";
import { get, post } from "../../../support/client.ts";
import { keyId, keyWith, UNMANAGING } from "../../../support/keys.ts";
import { divert } from "../../../support/divert.ts";
import { LARGE_OUTPUT, create, passTime, read, stopClock, wake } from "../../../support/tasks.ts";
import { fileKeysOf, objectOf, rowOf } from "../../../support/task-state.ts";
import { STATEMENT_PROTOTYPE } from "../../../support/database-prototypes.ts";
import { muteWarnings } from "../../../support/mute-warnings.ts";

// In this folder, agents pause for 500 ms before each step, and ended tasks are kept for one day.
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

beforeAll(stopClock);

async function completed(): Promise<string> {
  const id = await create(LARGE_OUTPUT);
  for (let steps = 0; steps < 20 && (await read(id)).status !== "completed"; steps += 1) {
    passTime(500);
    await wake(id);
  }
  expect((await read(id)).status).toBe("completed");
  return id;
}

/** Shortens waits of a second or more. */
function hurryLongWaits(): void {
  const { setTimeout: set } = globalThis;
  const hurried = (run: () => void, ms = 0): unknown => set(run, ms < 1_000 ? ms : 50);
  Object.assign(globalThis, { setTimeout: hurried });
  onTestFinished(() => void Object.assign(globalThis, { setTimeout: set }));
}

/** Returns the number of events in the stored log, or null if there is no log. */
function logOf(id: string): Promise<number | null> {
  return runInDurableObject(objectOf(id), (_, { storage }) => {
    const tables = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'events'").toArray();
    if (tables.length === 0) return null;
    return storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM events").one().n;
  });
}

const FILES = Reflect.getPrototypeOf(env.FILES) ?? {};
const METHODS = ["run", "all", "raw", "first"];

const REFUSES = () => Promise.reject(new Error("Network connection lost."));
/** Returns a promise that never settles. */
const HANGS = () => new Promise<never>(() => {});

/** Many times the duration of an alarm in these tests. */
const ALARM_MAX_MS = 8_000;

it.each<[string, object, readonly string[], () => Promise<never>]>([
  ["files cannot be deleted", FILES, ["delete"], REFUSES],
  ["row cannot be deleted", STATEMENT_PROTOTYPE, METHODS, REFUSES],
  ["files hang while they are deleted", FILES, ["delete"], HANGS],
  ["row hangs while it is deleted", STATEMENT_PROTOTYPE, METHODS, HANGS],
])("a task whose %s keeps its log and is deleted later", async (_, owner, names, failingCall) => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  const id = await completed();
  const events = await logOf(id);
  expect(events).toBeGreaterThan(3);
  passTime(DAY_MS);
  const restores = names.map((name) => divert(owner, name, failingCall));
  if (failingCall === HANGS) hurryLongWaits();
  for (let tries = 0; tries < 3; tries += 1) {
    expect(await Promise.race([wake(id), scheduler.wait(ALARM_MAX_MS)])).toBe(true);
    expect(await logOf(id)).toBe(events);
    passTime(MINUTE_MS);
  }
  for (const restore of restores) restore();
  expect(await rowOf(id)).not.toBeNull();
  expect(await wake(id)).toBe(true);
  expect([await logOf(id), await rowOf(id), await fileKeysOf(id)]).toEqual([null, null, []]);
  expect(await wake(id)).toBe(false);
});

it("a call during the deletion of a task does not write its row again", async () => {
  const id = await completed();
  // A new instance does not know that the row is up to date.
  await evictDurableObject(objectOf(id));
  passTime(DAY_MS);
  const { promise: deleted, resolve: onDeleted } = Promise.withResolvers<void>();
  const { promise: published, resolve: onPublished } = Promise.withResolvers<void>();
  let isFirst = true;
  for (const method of METHODS) {
    divert(STATEMENT_PROTOTYPE, method, async (real) => {
      const result = await real();
      const isDeletion = isFirst;
      isFirst = false;
      // The alarm's first statement deletes the row.
      if (isDeletion) {
        onDeleted();
        await published;
      }
      return result;
    });
  }
  const waking = wake(id);
  await deleted;
  const task = taskStub(env.TASKS, id);
  if (!task.ok) throw new Error("The id must be that of a task");
  const turn = { openedSeq: 1, number: 1 };
  await task.value.endTurn(turn, { kind: "again", afterMs: 0, failure: null });
  onPublished();
  expect(await waking).toBe(true);
  expect([await logOf(id), await rowOf(id)]).toEqual([null, null]);
});

it("a call to the feed that arrives after its task is deleted does not write the row again", async () => {
  muteWarnings();
  const restore = divert(EventFeed.prototype, "publish", REFUSES);
  const id = await completed();
  await evictDurableObject(objectOf(id));
  restore();
  passTime(DAY_MS);
  const calls: Parameters<EventFeed["publish"]>[] = [];
  const restoreAgain = divert<Parameters<EventFeed["publish"]>>(
    EventFeed.prototype,
    "publish",
    async (_, ...call) => void calls.push(call),
  );
  expect(await wake(id)).toBe(true);
  expect(await logOf(id)).toBeNull();
  expect(calls).not.toEqual([]);
  restoreAgain();
  for (const call of calls) await feedStub(env.FEED).publish(...call);
  expect([await logOf(id), await rowOf(id)]).toEqual([null, null]);
});

it("a deleted task no longer counts towards its key's stored bytes", async () => {
  const key = await keyWith(UNMANAGING);
  const usage = (): Promise<unknown> =>
    env.DB.prepare("SELECT live_tasks, stored_bytes FROM key_usage WHERE key_id = ?")
      .bind(keyId(key))
      .first();
  const { taskId: id } = (await post("/agents/tasks", { task: "Wait" }, { key })).body.data;
  await post(`/agents/tasks/${id}/cancel`, {}, { key });
  expect(await usage()).toEqual({ live_tasks: 0, stored_bytes: STORED_BYTES_UNIT });
  passTime(DAY_MS);
  await wake(id);
  expect(await rowOf(id)).toBeNull();
  expect(await usage()).toEqual({ live_tasks: 0, stored_bytes: 0 });
});

it("a purge whose alarm was lost is resumed by the first request for its task", async () => {
  const id = await completed();
  passTime(DAY_MS);
  await runInDurableObject(objectOf(id), (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(objectOf(id));
  expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
  expect(await wake(id)).toBe(true);
  expect([await logOf(id), await rowOf(id), await fileKeysOf(id)]).toEqual([null, null, []]);
});
