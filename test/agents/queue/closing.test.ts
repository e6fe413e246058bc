import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { AgentQueue } from "../../../src/agents/queue/queue.object.ts";
import { read, stopClock, untilStatus } from "../../support/tasks.ts";
import { typesOf } from "../../support/task-state.ts";
import {
  agent,
  alarmOf,
  claimed,
  claimOf,
  queueObject,
  tasksWithStatus,
  breakTaskLog,
  createTasksFor,
  wakeQueue,
} from "./fixtures.ts";

beforeAll(stopClock);

const PULLED = { limit: null, isPulled: true };
const ONE = { limit: 1, isPulled: false };

describe("closing a queue", () => {
  it("closing a queue releases its waiting tasks, keeps the running task, and makes claims return no tasks", async () => {
    const worker = await agent("worker", null);
    const ids = await createTasksFor(worker, 4);
    const [held] = await claimed(worker);
    const waiting = ids.filter((id) => id !== held);
    await worker.queue.configure(worker.id, PULLED, false);
    expect(await claimed(worker, { waitMs: 60_000 })).toEqual([]);
    expect(await tasksWithStatus("assigned", waiting)).toEqual(waiting);

    expect(await wakeQueue(worker)).toBe(true);
    expect(await tasksWithStatus("pending", waiting)).toEqual(waiting);
    // An object that was evicted knows which tasks are held, but not the name of the worker.
    expect(await worker.queue.readCounts()).toMatchObject({
      waiting: 0,
      running: 1,
      limit: null,
      workers: [{ taskIds: [held] }],
    });
    expect((await read(held ?? "")).status).toBe("in_progress");
    expect(await alarmOf(worker)).toBeNull();
  });

  it("closing a queue ends waiting claims", async () => {
    const worker = await agent("worker", null);
    await worker.queue.configure(worker.id, PULLED, true);
    const waiting = claimed(worker, { waitMs: 60_000 });
    await worker.queue.configure(worker.id, PULLED, false);
    expect(await waiting).toEqual([]);
  });

  it("closing a queue ends a claim that is about to wait", async () => {
    const worker = await agent("worker", null);
    await worker.queue.configure(worker.id, PULLED, true);
    await runInDurableObject(queueObject(worker), async (queue) => {
      if (!(queue instanceof AgentQueue)) throw new Error("The object is not a queue");
      const claim = queue.claim(claimOf({ waitMs: 5_000 }));
      await queue.configure(worker.id, PULLED, false);
      // A claim that waited until its timeout would return an empty list.
      expect(await claim).toBeNull();
    });
  });

  it("a closed queue releases its waiting tasks even if its object ends before the alarm runs", async () => {
    const builtin = await agent("builtin", 1);
    const ids = await createTasksFor(builtin, 3);
    await builtin.queue.configure(builtin.id, ONE, false);
    await abortAllDurableObjects();
    await wakeQueue(builtin);
    expect(await tasksWithStatus("pending", ids)).toHaveLength(2);
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 0, running: 1, limit: 1 });
  });

  it("a closed queue releases other tasks while one is unavailable, and releases that one once it is available", async () => {
    const builtin = await agent("builtin", 1);
    const [, available, unavailable] = await createTasksFor(builtin, 3);
    if (available === undefined || unavailable === undefined)
      throw new Error("There are too few tasks");
    const restore = await breakTaskLog(unavailable);
    await builtin.queue.configure(builtin.id, ONE, false);
    await wakeQueue(builtin);
    expect((await read(available)).status).toBe("pending");
    expect(await builtin.queue.readCounts()).toMatchObject({ waiting: 1 });

    await restore();
    await abortAllDurableObjects();
    await wakeQueue(builtin);
    expect((await read(unavailable)).status).toBe("pending");
    expect(await builtin.queue.readCounts()).toMatchObject({ waiting: 0 });
  });

  it("a task that reaches a closed queue is declined by the queue's alarm, not within the task's own call", async () => {
    const builtin = await agent("builtin", 1);
    await builtin.queue.configure(builtin.id, ONE, false);
    const [late] = await createTasksFor(builtin, 1);
    await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = ?").bind(builtin.id).run();
    expect((await read(late ?? "")).status).toBe("assigned");
    await wakeQueue(builtin);
    expect(await typesOf(late ?? "")).toEqual(["created", "assigned", "declined"]);
  });

  it("a queue that is reopened at once still releases the tasks that waited, and starts new tasks", async () => {
    const builtin = await agent("builtin", 1);
    const ids = await createTasksFor(builtin, 2);
    await builtin.queue.configure(builtin.id, ONE, false);
    await builtin.queue.configure(builtin.id, ONE, true);
    await wakeQueue(builtin);
    expect(await tasksWithStatus("pending", ids)).toEqual([ids[1]]);
    await untilStatus(ids[0] ?? "", "completed");
    const [fresh] = await createTasksFor(builtin, 1);
    expect((await read(fresh ?? "")).status).toBe("in_progress");
  });
});
