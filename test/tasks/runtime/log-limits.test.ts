import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { TASK_EVENTS_MAX } from "../../../src/tasks/limits.ts";
import { EventLog } from "../../../src/tasks/runtime/event-log.store.ts";
import { get, patch, post } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { create, passTime, read, stopClock, taskIn, wake } from "../../support/tasks.ts";
import { eventsOf, objectOf } from "../../support/task-state.ts";

beforeAll(stopClock);

/** Adds events to a task's stored log until it has this many. */
async function fill(taskId: string, events: number): Promise<void> {
  await runInDurableObject(objectOf(taskId), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE more(seq) AS (
         SELECT max(seq) + 1 FROM events UNION ALL SELECT seq + 1 FROM more WHERE seq < ?)
       INSERT INTO events (seq, at, type, data, told)
       SELECT seq, ?, 'updated', '{"priority":"low"}', ? FROM more WHERE seq <= ?`,
      events,
      Date.now(),
      events,
      events,
    );
  });
  await evictAllDurableObjects();
}

describe("a PATCH that changes nothing", () => {
  it("a PATCH that changes nothing returns 200 with the same ETag, and writes no event", async () => {
    const id = await create({ priority: "high", context: { year: 1702 } });
    const before = await get(`/agents/tasks/${id}`);
    const log = await eventsOf(id);
    const change = { priority: "high", context: { year: 1702, gone: null } };
    const answer = await patch(`/agents/tasks/${id}`, change);
    expect([answer.status, answer.body.data]).toEqual([200, before.body.data]);
    expect(answer.headers.get("ETag")).toBe(before.headers.get("ETag"));
    expect(await eventsOf(id)).toEqual(log);
    const stale = { headers: { "If-Match": '"99"' } };
    expectError(await patch(`/agents/tasks/${id}`, change, stale), 412, "PRECONDITION_FAILED");
  });
});

describe("a task whose log has the maximum number of events", () => {
  it("a full log rejects a change with the limit and advice, and the task can still be cancelled", async () => {
    const id = await taskIn("blocked");
    await fill(id, TASK_EVENTS_MAX);
    const refused = await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    expectError(refused, 409, "TASK_LIMIT_REACHED");
    expect(refused.body.error).toMatchObject({
      message:
        "The task has reached its limit of 50000 events. Complete, fail or cancel it, and create a new task for further work.",
      context: { status: "blocked", allowed: ["cancel"] },
    });
    const answer = await post(`/agents/tasks/${id}/respond`, { response: "1702" });
    expectError(answer, 409, "TASK_LIMIT_REACHED");
    expect((await post(`/agents/tasks/${id}/cancel`)).body.data.status).toBe("cancelled");
  });

  it("a task with a full log fails by its own alarm instead of continuing, and keeps its deadline", async () => {
    const pending = await create({ context: { text: "One." } });
    await fill(pending, TASK_EVENTS_MAX);
    await wake(pending);
    expect(await read(pending)).toMatchObject({
      status: "failed",
      error: { code: "AGENT_ERROR", message: expect.stringContaining("limit of 50000 events") },
    });
    expectError(await post(`/agents/tasks/${pending}/retry`), 409, "TASK_LIMIT_REACHED");
    const deadline = new Date(Date.now() + 60_000).toISOString();
    const blocked = await taskIn("blocked", { deadline });
    await fill(blocked, TASK_EVENTS_MAX);
    passTime(60_000);
    await wake(blocked);
    expect((await read(blocked)).error.code).toBe("DEADLINE_EXCEEDED");
  });
});

describe("a task whose log has the maximum size", () => {
  it("a log of the maximum size rejects a change, and the task can still be cancelled", async () => {
    const id = await taskIn("blocked");
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      for (let mebibytes = 0; mebibytes < 128; mebibytes += 1) {
        storage.sql.exec(
          `INSERT INTO events (seq, at, type, data, told)
           SELECT max(seq) + 1, ?, 'updated', json_object('notes', '', 'pad', hex(zeroblob(524288))), 999 FROM events`,
          Date.now(),
        );
      }
      expect(new EventLog(storage).bytes()).toBeGreaterThan(128 * 1024 * 1024);
    });
    await evictAllDurableObjects();
    const refused = await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    expectError(refused, 409, "TASK_LIMIT_REACHED");
    expect(refused.body.error.message).toContain("134217728 bytes of events");
    expect((await post(`/agents/tasks/${id}/cancel`)).body.data.status).toBe("cancelled");
  });
});
