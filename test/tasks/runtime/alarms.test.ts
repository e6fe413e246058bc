import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { post } from "../../support/client.ts";
import {
  create,
  passTime,
  read,
  stopClock,
  taskIn,
  untilStatus,
  wake,
} from "../../support/tasks.ts";
import { alarmAt, eventsOf, objectOf, typesOf } from "../../support/task-state.ts";

beforeAll(stopClock);

/**
 * Runs the alarm handler although no alarm is due. The platform delivers alarms at least once, so
 * this can happen.
 */
function deliver(id: string): Promise<void> {
  return runInDurableObject(objectOf(id), async (object) => {
    if (object.alarm === undefined) throw new Error("The task's object has no alarm handler");
    await object.alarm();
  });
}

describe("an extra alarm", () => {
  it.each(["blocked", "review", "completed", "failed", "cancelled"] as const)(
    "an extra alarm does not change a task that is %s",
    async (status) => {
      const id = await taskIn(status, { deadline: new Date(Date.now() + 60_000).toISOString() });
      const [log, alarm] = [await eventsOf(id), await alarmAt(id)];
      await deliver(id);
      await deliver(id);
      expect(await eventsOf(id)).toEqual(log);
      expect(await alarmAt(id)).toBe(alarm);
    },
  );

  it("extra alarms add nothing to the events and result of a task", async () => {
    const plain = await taskIn("completed", { agentId: "researcher" });
    const id = await taskIn("pending", { agentId: "researcher" });
    for (let time = 0; time < 20; time += 1) await deliver(id);
    expect(await typesOf(id)).toEqual(await typesOf(plain));
    expect((await read(id)).result).toEqual((await read(plain)).result);
  });
});

describe("an early alarm", () => {
  it("an early alarm does not bring a deadline forward", async () => {
    const id = await taskIn("blocked", { deadline: new Date(Date.now() + 60_000).toISOString() });
    passTime(59_999);
    await wake(id);
    expect((await read(id)).status).toBe("blocked");
    expect(await alarmAt(id)).toBe(Date.now() + 1);
  });
});

describe("a task's alarm", () => {
  it("a task has an alarm from its creation to its end, and none afterwards", async () => {
    const id = await create({ context: { text: "Two wharves." } });
    while ((await read(id)).status !== "completed") {
      expect(await alarmAt(id)).not.toBeNull();
      await wake(id);
    }
    expect(await alarmAt(id)).toBeNull();
  });

  it("a lost alarm is set again by the next request", async () => {
    const id = await taskIn("in_progress");
    await runInDurableObject(objectOf(id), (_, state) => state.storage.deleteAlarm());
    await evictDurableObject(objectOf(id));
    await read(id);
    expect(await alarmAt(id)).not.toBeNull();
    await untilStatus(id, "completed");
  });

  it("an alarm is set at once when a blocked task is answered or a failed task is retried", async () => {
    const warn = vi.spyOn(console, "warn");
    onTestFinished(() => warn.mockRestore());
    const blocked = await taskIn("blocked");
    // If a system did not respond in time, there is a warning, and the next alarm sends it the
    // change.
    if (warn.mock.calls.length > 0) await wake(blocked);
    expect(await alarmAt(blocked)).toBeNull();
    await post(`/agents/tasks/${blocked}/respond`, { response: "1702" });
    expect(await alarmAt(blocked)).toBe(Date.now());

    const failed = await taskIn("failed");
    await post(`/agents/tasks/${failed}/retry`);
    expect(await alarmAt(failed)).toBe(Date.now());
  });
});
