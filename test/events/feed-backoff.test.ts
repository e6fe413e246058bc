import { env } from "cloudflare:workers";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { computeFeedRetryMs } from "../../src/events/model/feed.ts";
import { FEED_RETRY_MAX_MS } from "../../src/events/limits.ts";
import { OUTBOX_RETRY_MS } from "../../src/tasks/limits.ts";
import { EventFeed } from "../../src/events/feed.object.ts";
import { get, patch } from "../support/client.ts";
import { divert } from "../support/divert.ts";
import { passTime, setClock, stopClock, taskIn, wake } from "../support/tasks.ts";
import { alarmAt } from "../support/task-state.ts";

beforeAll(() => {
  stopClock();
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

function breakFeed(): { calls: () => number; restore: () => void } {
  let calls = 0;
  const restore = divert(EventFeed.prototype, "publish", () => {
    calls += 1;
    return Promise.reject(new Error("The feed cannot be reached"));
  });
  return { calls: () => calls, restore };
}

/**
 * Runs each of a task's alarms at its scheduled time, up to `instant`. Returns the pauses between
 * the alarms.
 */
async function pausesUntil(id: string, instant: number): Promise<number[]> {
  const pauses: number[] = [];
  for (;;) {
    const at = await alarmAt(id);
    if (at === null || at > instant) return pauses;
    pauses.push(at - Date.now());
    setClock(new Date(Math.max(at, Date.now())).toISOString());
    await wake(id);
  }
}

it("a task retries a failing feed after pauses that double up to 15 minutes, and soon after the task's next change", async () => {
  const id = await taskIn("blocked");
  const { calls, restore } = breakFeed();
  await patch(`/agents/tasks/${id}`, { priority: "urgent" });
  const pauses = await pausesUntil(id, Date.now() + 3 * 3_600_000);
  expect(pauses.slice(0, 5)).toEqual([10_000, 10_000, 20_000, 40_000, 80_000]);
  expect(pauses.slice(-5)).toEqual(Array.from({ length: 5 }, () => FEED_RETRY_MAX_MS));
  expect(calls()).toBeLessThan(30);

  await patch(`/agents/tasks/${id}`, { priority: "low" });
  expect(await alarmAt(id)).toBe(Date.now() + OUTBOX_RETRY_MS);
  restore();
  passTime(OUTBOX_RETRY_MS);
  await wake(id);
  const { events } = (await get("/agents/events?limit=100")).body.data;
  const { events: log } = (await get(`/agents/tasks/${id}/events`)).body.data;
  const fed = events.filter(({ taskId }: { taskId: string }) => taskId === id);
  expect(fed).toHaveLength(log.length);
  expect(await alarmAt(id)).toBeNull();
});

it("a failed write to the directory is retried after 10 s, however long the feed has been failing", async () => {
  const id = await taskIn("blocked");
  breakFeed();
  await env.DB.exec(
    "CREATE TRIGGER no_row BEFORE INSERT ON directory BEGIN SELECT RAISE(ABORT, 'outage'); END",
  );
  onTestFinished(async () => void (await env.DB.exec("DROP TRIGGER IF EXISTS no_row")));
  await patch(`/agents/tasks/${id}`, { priority: "urgent" });
  for (let minutes = 0; minutes < 60; minutes += 20) {
    passTime(minutes * 60_000);
    await wake(id);
    expect(await alarmAt(id)).toBe(Date.now() + OUTBOX_RETRY_MS);
  }
});

it.each([
  [0, 10_000],
  [25_000, 25_000],
  [86_400_000, 900_000],
])("a feed that has failed for %i ms is retried after %i ms", (dueMs, pauseMs) => {
  expect(computeFeedRetryMs(dueMs)).toBe(pauseMs);
});
