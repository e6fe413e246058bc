import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import { passTime, read, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import {
  agent,
  alarmOf,
  tasksWithStatus,
  breakTaskLog,
  createTaskFor,
  createTasksFor,
  wakeQueue,
} from "./fixtures.ts";

beforeAll(stopClock);

describe("an agent with slots", () => {
  it("an agent works on as many tasks as it has slots, and starts the next when one ends", async () => {
    const builtin = await agent("builtin", 2);
    const ids = await createTasksFor(builtin, 5);
    const done: string[] = [];
    while (done.length < 5) {
      const working = await tasksWithStatus("in_progress", ids);
      expect(working).toHaveLength(Math.min(2, 5 - done.length));
      const [next] = working;
      if (next === undefined) throw new Error("No task is in progress");
      await untilStatus(next, "completed");
      done.push(next);
    }
    expect(new Set(done).size).toBe(5);
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 0, running: 0, limit: 2 });
    expect(await alarmOf(builtin)).toBeNull();
  });

  it("an agent starts the most urgent task first, then the one with the earliest deadline, then the one that has waited longest", async () => {
    const builtin = await agent("builtin", 1);
    const first = await createTaskFor(builtin);
    const deadline = "2031-01-01T00:00:00Z";
    const names: Record<string, string> = {};
    names[await createTaskFor(builtin, { priority: "low", deadline })] = "low";
    names[await createTaskFor(builtin)] = "medium";
    names[await createTaskFor(builtin)] = "medium, later";
    names[await createTaskFor(builtin, { deadline })] = "medium, with a deadline";
    names[await createTaskFor(builtin, { priority: "urgent" })] = "urgent";
    const order: string[] = [];
    let last = first;
    while (order.length < 5) {
      await untilStatus(last, "completed");
      const [next] = await tasksWithStatus("in_progress", Object.keys(names));
      if (next === undefined) throw new Error("No task is in progress");
      order.push(names[next] ?? "unknown");
      last = next;
    }
    expect(order).toEqual(["urgent", "medium, with a deadline", "medium", "medium, later", "low"]);
  });

  it("a task that is cancelled, blocked or in review frees its slot", async () => {
    const builtin = await agent("builtin", 1);
    const context = { text: "The wharf burned. The wharf was rebuilt." };
    const asking = await createTaskFor(builtin, {
      context: { ...context, askFirst: "Which year?" },
    });
    const reviewed = await createTaskFor(builtin, { context: { ...context, requireReview: true } });
    const cancelled = await createTaskFor(builtin);
    const last = await createTaskFor(builtin);
    await untilStatus(asking, "blocked");
    await untilStatus(reviewed, "review");
    await untilStatus(cancelled, "in_progress");
    expect((await post(`/agents/tasks/${cancelled}/cancel`)).status).toBe(200);
    expect((await read(last)).status).toBe("in_progress");

    // After the answer, the task is in progress and waits for a slot like any other task.
    await post(`/agents/tasks/${asking}/respond`, { response: "2025" });
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 1, running: 1, limit: 1 });
    await wake(asking);
    expect((await read(asking)).progress).toBe(0);
    await untilStatus(last, "completed");
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 0, running: 1, limit: 1 });
    await untilStatus(asking, "completed");
  });

  it("added slots start waiting tasks immediately, and removed slots start none until enough tasks have ended", async () => {
    const builtin = await agent("builtin", 1);
    const ids = await createTasksFor(builtin, 4);
    await builtin.queue.configure(builtin.id, { limit: 3, isPulled: false }, true);
    expect(await wakeQueue(builtin)).toBe(true);
    const working = await tasksWithStatus("in_progress", ids);
    expect(working).toHaveLength(3);
    await builtin.queue.configure(builtin.id, { limit: 1, isPulled: false }, true);
    await untilStatus(working[0] ?? "", "completed");
    await untilStatus(working[1] ?? "", "completed");
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 1, running: 1, limit: 1 });
    await untilStatus(working[2] ?? "", "completed");
    expect(await tasksWithStatus("in_progress", ids)).toHaveLength(1);
  });
});

describe("an unavailable task", () => {
  it("an unavailable task does not block other tasks, and starts once it is available again", async () => {
    const builtin = await agent("builtin", 1);
    const first = await createTaskFor(builtin);
    const unavailable = await createTaskFor(builtin, { priority: "urgent" });
    const next = await createTaskFor(builtin, { priority: "low" });
    const restore = await breakTaskLog(unavailable);
    await untilStatus(first, "completed");
    expect((await read(next)).status).toBe("in_progress");
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 1, running: 1, limit: 1 });
    expect(await alarmOf(builtin)).not.toBeNull();

    await restore();
    await untilStatus(next, "completed");
    expect((await read(unavailable)).status).toBe("assigned");
    passTime(2_000);
    await wakeQueue(builtin);
    expect((await read(unavailable)).status).toBe("in_progress");
    expect(await builtin.queue.readCounts()).toEqual({ waiting: 0, running: 1, limit: 1 });
  });
});
