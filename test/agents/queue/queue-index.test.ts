import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { queueStub, type QueueTerms } from "../../../src/agents/queue/queue.rpc.ts";
import type { QueueEntry } from "../../../src/agents/model/queue-entry.ts";
import { stopClock } from "../../support/tasks.ts";
import { agent, alarmOf, claimed, claimOf, createTaskFor, workerHolding } from "./fixtures.ts";

beforeAll(stopClock);

const PULLED: QueueTerms = { limit: null, isPulled: true };

/**
 * An entry for a task that does not exist. The queue accepts the entry, and notices that there is
 * no task only when it calls the task.
 */
function entryWithoutTask(given: Partial<QueueEntry> = {}): Omit<QueueEntry, "isRunning"> {
  const taskId = env.TASKS.newUniqueId().toString();
  return { taskId, seq: 3, priority: "urgent", deadline: null, since: Date.now(), ...given };
}

describe("notifications to a queue", () => {
  it("a task counts once, however often the queue is notified", async () => {
    const { id, queue } = await agent("worker", null);
    const entry = entryWithoutTask();
    for (let times = 0; times < 3; times += 1) await queue.enqueue(id, entry, PULLED);
    expect(await queue.readCounts()).toEqual({ waiting: 1, running: 0, limit: null, workers: [] });
    for (let times = 0; times < 3; times += 1) await queue.remove(entry.taskId, 4);
    expect(await queue.readCounts()).toEqual({ waiting: 0, running: 0, limit: null, workers: [] });
  });

  it("a notification that arrives late does not undo a newer one", async () => {
    const { id, queue } = await agent("worker", null);
    const entry = entryWithoutTask();
    await queue.enqueue(id, { ...entry, seq: 7 }, PULLED);
    await queue.remove(entry.taskId, 6);
    await queue.enqueue(id, { ...entry, seq: 5 }, PULLED);
    expect(await queue.readCounts()).toMatchObject({ waiting: 1 });
    await queue.remove(entry.taskId, 8);
    expect(await queue.readCounts()).toMatchObject({ waiting: 0 });
  });

  it("removing an unknown task from a queue has no effect", async () => {
    const { queue } = await agent("worker", null);
    await queue.remove(entryWithoutTask().taskId, 9);
    expect(await queue.readCounts()).toEqual({ waiting: 0, running: 0, limit: null, workers: [] });
    expect(await queue.claim(claimOf())).toEqual([]);
  });
});

describe("queue entries without a waiting task", () => {
  it("entries without a waiting task are dropped when offered, and a claim gets the task after them", async () => {
    const worker = await agent("worker", null);
    const real = await createTaskFor(worker, { priority: "low" });
    for (const entry of [
      entryWithoutTask(),
      entryWithoutTask({ taskId: "not an id at all" }),
      entryWithoutTask(),
    ]) {
      await worker.queue.enqueue(worker.id, entry, PULLED);
    }
    expect(await worker.queue.readCounts()).toMatchObject({ waiting: 4 });
    expect(await claimed(worker)).toEqual([real]);
    const workers = [workerHolding([real])];
    expect(await worker.queue.readCounts()).toEqual({
      waiting: 0,
      running: 1,
      limit: null,
      workers,
    });
  });

  it("an entry without a waiting task takes no slot of an agent that starts its tasks itself", async () => {
    const id = `agent-${crypto.randomUUID()}`;
    const queue = queueStub(env.QUEUES, id);
    await queue.enqueue(id, entryWithoutTask(), { limit: 1, isPulled: false });
    await queue.enqueue(id, entryWithoutTask(), { limit: 1, isPulled: false });
    expect(await queue.readCounts()).toEqual({ waiting: 0, running: 0, limit: 1 });
  });

  it("an entry without a waiting task leaves no alarm after a claim", async () => {
    const worker = await agent("worker", null);
    await worker.queue.enqueue(worker.id, entryWithoutTask(), PULLED);
    await claimed(worker);
    expect(await alarmOf(worker)).toBeNull();
  });
});
