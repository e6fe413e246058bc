import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { interceptCalls } from "../../fault-injection/interpose-bindings.ts";
import { del, post } from "../../support/client.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { expectError } from "../../support/expect-errors.ts";
import { countWritten } from "../../support/rows-written.ts";
import { passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { claim, report } from "../../tasks/workers/fixtures.ts";
import {
  agent,
  alarmOf,
  claimed,
  queueObject,
  createTaskFor,
  wakeQueue,
  type Agent,
} from "./fixtures.ts";

beforeAll(stopClock);

/** The interval at which a queue checks the keys of its leases. */
const CHECK_MS = 5_000;

/** Creates a task, and claims it for an hour with a new key for the worker agent. */
async function held(of?: Agent) {
  const workers = of ?? (await agent("worker", null));
  const key = await keyWith(["tasks:work"], { agentId: workers.id });
  const id = await createTaskFor(workers);
  const [task] = await claim(workers.id, { leaseSeconds: 3_600, worker: "w-1" }, { key });
  expect(task.taskId).toBe(id);
  return { workers, key, id, lease: task.lease.token };
}

const revoke = (key: string) => del(`/agents/keys/${keyId(key)}`);

describe("a lease with a key that has ended", () => {
  it("a lease with a revoked key is released by the queue's alarm, and the task goes to the next worker", async () => {
    const { workers, key, id, lease } = await held();
    await revoke(key);
    expect((await alarmOf(workers)) ?? Infinity).toBeLessThanOrEqual(Date.now() + CHECK_MS);
    passTime(CHECK_MS);
    await wakeQueue(workers);
    const task = await read(id);
    expect(task).toMatchObject({ attempt: 2, attempts: [{ error: { code: "AGENT_ERROR" } }] });
    expect(task.attempts[0].error.message).toBe(
      "The key of worker w-1 was revoked or has expired.",
    );
    expectError(await report(id, lease, { type: "heartbeat" }), 409, "LEASE_LOST");
    await wake(id);
    expect(await claimed(workers)).toEqual([id]);
  });

  it("a lease is released after its key's expiry", async () => {
    const workers = await agent("worker", null);
    const expiresAt = new Date(Date.now() + 120_000).toISOString();
    const key = await keyWith(["tasks:work"], { agentId: workers.id, expiresAt });
    const id = await createTaskFor(workers);
    await claim(workers.id, { leaseSeconds: 3_600 }, { key });
    passTime(54_999);
    await wakeQueue(workers);
    expect((await read(id)).status).toBe("in_progress");
    passTime(CHECK_MS + 1);
    await wakeQueue(workers);
    expect((await read(id)).attempt).toBe(2);
  });

  it("a lease with a revoked key is released even if the queue was evicted in the meantime", async () => {
    const { workers, key, id } = await held();
    await revoke(key);
    await evictAllDurableObjects();
    passTime(CHECK_MS);
    await wakeQueue(workers);
    expect((await read(id)).attempt).toBe(2);
  });

  it("leases with valid keys stay when another key is revoked", async () => {
    const one = await held();
    const other = await held(one.workers);
    await revoke(one.key);
    passTime(CHECK_MS);
    await wakeQueue(one.workers);
    expect([(await read(one.id)).attempt, (await read(other.id)).attempt]).toEqual([2, 1]);
    expect((await read(other.id)).status).toBe("in_progress");
  });

  it("a lease with a revoked key is kept while D1 cannot be reached, and is released afterwards", async () => {
    const { workers, key, id } = await held();
    await revoke(key);
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    await env.DB.prepare("ALTER TABLE keys RENAME TO keys_away").run();
    passTime(CHECK_MS);
    await wakeQueue(workers);
    expect((await read(id)).status).toBe("in_progress");
    await env.DB.prepare("ALTER TABLE keys_away RENAME TO keys").run();
    expect((await alarmOf(workers)) ?? Infinity).toBeLessThanOrEqual(Date.now() + CHECK_MS);
    passTime(CHECK_MS);
    await wakeQueue(workers);
    expect((await read(id)).attempt).toBe(2);
  });

  it("a lease with a revoked key is released in a queue whose table is from an earlier release", async () => {
    const workers = await agent("worker", null);
    await createTaskFor(workers);
    await claimed(workers);
    await runInDurableObject(queueObject(workers), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE entries DROP COLUMN key_id");
    });
    await evictAllDurableObjects();
    const { key, id } = await held(workers);
    await revoke(key);
    await evictAllDurableObjects();
    passTime(CHECK_MS);
    await wakeQueue(workers);
    expect((await read(id)).attempt).toBe(2);
  });
});

describe("the alarm that checks the keys of leases", () => {
  it("checking the keys of several leases takes one D1 query", async () => {
    const one = await held();
    await held(one.workers);
    let queries = 0;
    const restore = interceptCalls((binding, real) => {
      if (binding === "DB") queries += 1;
      return real();
    });
    onTestFinished(restore);
    passTime(CHECK_MS);
    expect(await wakeQueue(one.workers)).toBe(true);
    expect(queries).toBe(1);
  });

  it("a second lease sets no other alarm for the key check, and no alarm remains without leases", async () => {
    const { workers, key, id } = await held();
    const written = await countWritten(queueObject(workers));
    const second = await createTaskFor(workers);
    passTime(CHECK_MS);
    await wakeQueue(workers);
    written();
    await claim(workers.id, {}, { key });
    expect(written().alarms).toBe(0);
    for (const task of [id, second]) {
      expect((await post(`/agents/tasks/${task}/cancel`)).status).toBe(200);
    }
    passTime(CHECK_MS);
    await wakeQueue(workers);
    expect(written().alarms).toBe(0);
    expect(await alarmOf(workers)).toBeNull();
  });
});
