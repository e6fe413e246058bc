import { abortAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import { passTime, read, stopClock } from "../../support/tasks.ts";
import {
  agent,
  claimed,
  claimOf,
  tasksWithStatus,
  createTaskFor,
  createTasksFor,
} from "./fixtures.ts";

beforeAll(stopClock);

/** Longer than any test takes, so a claim that returns a task did not wait until this timeout. */
const LONG_MS = 60_000;

describe("a claim", () => {
  it("a claim returns the most urgent tasks first, each with its own lease", async () => {
    const worker = await agent("worker", null);
    const ids: Record<string, string> = {};
    for (const priority of ["low", "urgent", "medium", "high"]) {
      ids[priority] = await createTaskFor(worker, { priority });
    }
    const given = (await worker.queue.claim(claimOf({ tasksMax: 3, leaseSeconds: 30 }))) ?? [];
    expect(given.map(({ taskId }) => taskId)).toEqual([ids["urgent"], ids["high"], ids["medium"]]);
    for (const { lease, task } of given) {
      expect(task.status).toBe("in_progress");
      expect(lease).toMatchObject({ worker: "test", seconds: 30 });
      expect(lease.token).toMatch(/^lse_[0-9a-f-]{36}$/);
    }
    expect(new Set(given.map(({ lease }) => lease.token)).size).toBe(3);
    const { workers, ...counts } = await worker.queue.readCounts();
    expect(counts).toEqual({ waiting: 1, running: 3, limit: null });
    const [holder, ...others] = workers ?? [];
    expect(others).toEqual([]);
    expect(holder?.taskIds.toSorted()).toEqual(given.map(({ taskId }) => taskId).toSorted());
  });

  it("a waiting claim gets the next task immediately", async () => {
    const worker = await agent("worker", null);
    const waiting = claimed(worker, { waitMs: LONG_MS });
    const id = await createTaskFor(worker);
    expect(await waiting).toEqual([id]);
  });

  it("a claim returns no tasks if none arrives before its timeout", async () => {
    const worker = await agent("worker", null);
    expect(await claimed(worker, { waitMs: 30 })).toEqual([]);
    const id = await createTaskFor(worker);
    expect(await claimed(worker)).toEqual([id]);
  });

  it("waiting claims get tasks in the order in which the claims arrived", async () => {
    const worker = await agent("worker", null);
    const order: string[] = [];
    const claims = ["first", "second", "third"].map(async (name) => {
      const given = await claimed(worker, { waitMs: LONG_MS, worker: name });
      order.push(name);
      return given;
    });
    const ids: string[] = [];
    for (const before of [0, 1, 2]) {
      ids.push(await createTaskFor(worker));
      await claims[before];
    }
    expect(order).toEqual(["first", "second", "third"]);
    expect((await Promise.all(claims)).flat()).toEqual(ids);
  });

  it("concurrent claims get different tasks", async () => {
    const worker = await agent("worker", null);
    const ids = await createTasksFor(worker, 12);
    const claims = Array.from({ length: 6 }, () => claimed(worker, { tasksMax: 3 }));
    const given = (await Promise.all(claims)).flat();
    expect(given).toHaveLength(12);
    expect(given.toSorted()).toEqual(ids.toSorted());
  });

  it("a claim at the agent's limit waits for a slot, and gets one when another task ends", async () => {
    const worker = await agent("worker", 2);
    const ids = await createTasksFor(worker, 3);
    const first = await claimed(worker, { tasksMax: 5 });
    expect(first).toHaveLength(2);
    expect(await claimed(worker)).toEqual([]);
    const waiting = claimed(worker, { waitMs: LONG_MS });
    expect((await post(`/agents/tasks/${first[0]}/cancel`)).status).toBe(200);
    expect(await waiting).toEqual(ids.filter((id) => !first.includes(id)));
    const { workers, ...counts } = await worker.queue.readCounts();
    expect(counts).toEqual({ waiting: 0, running: 2, limit: 2 });
    const [holder, ...others] = workers ?? [];
    expect(others).toEqual([]);
    expect(holder?.taskIds.toSorted()).toEqual(ids.filter((id) => id !== first[0]).toSorted());
  });

  it("a claim never gets a task that was cancelled", async () => {
    const worker = await agent("worker", null);
    const [one, other] = await createTasksFor(worker, 2);
    expect((await post(`/agents/tasks/${one}/cancel`)).status).toBe(200);
    expect(await worker.queue.readCounts()).toMatchObject({ waiting: 1 });
    expect(await claimed(worker, { tasksMax: 5 })).toEqual([other]);
  });

  it("a claim never gets a task whose deadline has passed", async () => {
    const worker = await agent("worker", null);
    const deadline = new Date(Date.now() + 180_000).toISOString();
    const late = await createTaskFor(worker, { deadline, priority: "urgent" });
    const other = await createTaskFor(worker);
    passTime(180_000);
    expect(await claimed(worker, { tasksMax: 5 })).toEqual([other]);
    expect((await read(late)).error.code).toBe("DEADLINE_EXCEEDED");
  });

  it("a claim for an agent that starts its tasks itself returns no tasks, without waiting", async () => {
    const builtin = await agent("builtin", 1);
    await createTasksFor(builtin, 2);
    expect(await claimed(builtin, { waitMs: LONG_MS })).toEqual([]);
  });

  it("a claim fails if the queue's object ends while the claim waits", async () => {
    const worker = await agent("worker", null);
    const lost = claimed(worker, { waitMs: LONG_MS }).catch(() => "failed");
    await worker.queue.readCounts();
    await abortAllDurableObjects();
    expect(await lost).toBe("failed");
    const id = await createTaskFor(worker);
    expect(await claimed(worker)).toEqual([id]);
    expect(await tasksWithStatus("in_progress", [id])).toEqual([id]);
    expect((await read(id)).attempt).toBe(1);
  });
});
