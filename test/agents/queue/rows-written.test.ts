import { beforeAll, describe, expect, it } from "vitest";
import { AgentQueue, TaskObject } from "../../../src/index.ts";
import { post } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { countWritten } from "../../support/rows-written.ts";
import { stopClock, untilStatus } from "../../support/tasks.ts";
import { agent, alarmOf, claimed, queueObject, createTaskFor, type Agent } from "./fixtures.ts";

beforeAll(stopClock);

/** Counts the rows that an agent's queue writes. */
async function counterOf(of: Agent): Promise<() => number> {
  const written = await countWritten(queueObject(of));
  return () => {
    const { rows, kept, alarms } = written();
    return rows + kept + alarms;
  };
}

describe("rows written by a queue for one task", () => {
  it("a queue writes two rows for a task that finds a free slot, and three for a task that waits for one", async () => {
    const builtin = await agent("builtin", 1);
    await untilStatus(await createTaskFor(builtin), "completed");
    const rowsWritten = await counterOf(builtin);

    const first = await createTaskFor(builtin);
    expect(rowsWritten()).toBe(1);
    const second = await createTaskFor(builtin);
    expect(rowsWritten()).toBe(1);
    await untilStatus(first, "completed");
    expect(rowsWritten()).toBe(2);
    await untilStatus(second, "completed");
    expect(rowsWritten()).toBe(1);
    expect(await alarmOf(builtin)).toBeNull();
  });

  it("a queue writes three rows for a task that a worker claims", async () => {
    const worker = await agent("worker", null);
    await createTaskFor(worker);
    await claimed(worker);
    const rowsWritten = await counterOf(worker);
    const id = await createTaskFor(worker);
    expect(rowsWritten()).toBe(1);
    await claimed(worker);
    expect(rowsWritten()).toBe(1);
    expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    expect(rowsWritten()).toBe(1);
  });

  it("reads, unchanged settings and removals of unknown tasks write no rows", async () => {
    const worker = await agent("worker", null);
    await createTaskFor(worker);
    const rowsWritten = await counterOf(worker);
    await worker.queue.readCounts();
    await worker.queue.configure(worker.id, { limit: null, isPulled: true }, true);
    await worker.queue.remove("nobody", 3);
    expect(rowsWritten()).toBe(0);
  });
});

/** Counts the calls to a method on all objects of a class. The objects share this isolate. */
function countCalls(name: string, prototype: object, calls: Map<string, number>): void {
  divert(prototype, name, (real) => {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    return real();
  });
}

describe("calls between objects for one task", () => {
  it("a task needs three calls between objects: enqueue, admit and remove", async () => {
    const calls = new Map<string, number>();
    for (const name of ["enqueue", "remove"]) countCalls(name, AgentQueue.prototype, calls);
    for (const name of ["admit", "release"]) countCalls(name, TaskObject.prototype, calls);
    const builtin = await agent("builtin", 1);
    const ids = [
      await createTaskFor(builtin),
      await createTaskFor(builtin),
      await createTaskFor(builtin),
    ];
    for (const id of ids) await untilStatus(id, "completed");
    expect(Object.fromEntries(calls)).toEqual({ enqueue: 3, admit: 3, remove: 3 });
  });
});
