import { beforeAll, expect, it, vi } from "vitest";
import { EventFeed } from "../../../../src/events/feed.object.ts";
import { get, post } from "../../../support/client.ts";
import { crash } from "../../../support/crash.ts";
import { divert } from "../../../support/divert.ts";
import { create, passTime, stopClock, wake } from "../../../support/tasks.ts";
import { alarmAt, objectOf, rowOf } from "../../../support/task-state.ts";

// In this folder, ended tasks are kept for one day.
const DAY_MS = 86_400_000;

beforeAll(stopClock);
vi.spyOn(console, "warn").mockImplementation(() => {});
vi.spyOn(console, "error").mockImplementation(() => {});

const breakFeed = (way: (go: () => Promise<unknown>) => Promise<unknown>) =>
  divert(EventFeed.prototype, "publish", way);

async function typesInFeed(id: string): Promise<string[]> {
  const { events } = (await get("/agents/events?limit=100")).body.data;
  return events.flatMap((event: { taskId: string; type: string }) =>
    event.taskId === id ? [event.type] : [],
  );
}

it("a task is not deleted before the feed has its events, and tries again after at least ten seconds", async () => {
  const restore = breakFeed(() => Promise.reject(new Error("Out of reach")));
  const id = await create();
  await post(`/agents/tasks/${id}/cancel`);
  passTime(DAY_MS + 1_000);
  for (let alarm = 0; alarm < 3; alarm += 1) expect(await wake(id)).toBe(true);
  expect(await rowOf(id)).toBeDefined();
  expect(await alarmAt(id)).toBeGreaterThanOrEqual(Date.now() + 10_000);
  restore();
  await wake(id);
  expect(await typesInFeed(id)).toEqual(["created", "cancelled"]);
  expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
  expect(await wake(id)).toBe(false);
});

it("a task due for deletion retries a failing feed at increasing intervals", async () => {
  const restore = breakFeed(() => Promise.reject(new Error("Out of reach")));
  const id = await create();
  await post(`/agents/tasks/${id}/cancel`);
  const pauses: number[] = [];
  passTime(DAY_MS);
  for (const hours of [0, 0.1, 0.1, 24]) {
    passTime(hours * 3_600_000);
    await wake(id);
    pauses.push(((await alarmAt(id)) ?? 0) - Date.now());
  }
  expect(pauses).toEqual([10_000, 360_000, 720_000, 900_000]);
  restore();
  await wake(id);
  expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
});

it("an ended task whose events the feed has is deleted without another call to the feed", async () => {
  const id = await create();
  await post(`/agents/tasks/${id}/cancel`);
  await wake(id);
  expect(await typesInFeed(id)).toEqual(["created", "cancelled"]);
  await crash(objectOf(id));
  let calls = 0;
  breakFeed((go) => {
    calls += 1;
    return go();
  });
  passTime(DAY_MS + 1_000);
  await wake(id);
  expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
  expect(calls).toBe(0);
});

it("a task that is created again with its Idempotency-Key is published to the feed and the directory again", async () => {
  const headers = { "Idempotency-Key": "twice" };
  const body = { task: "Read", context: { text: "Rain." } };
  const id: string = (await post("/agents/tasks", body, { headers })).body.data.taskId;
  await post(`/agents/tasks/${id}/cancel`);
  passTime(DAY_MS + 1_000);
  await wake(id);
  expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
  expect((await post("/agents/tasks", body, { headers })).body.data.taskId).toBe(id);
  await post(`/agents/tasks/${id}/cancel`);
  await wake(id);
  expect(await typesInFeed(id)).toEqual(["created", "cancelled", "created", "cancelled"]);
  expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
});
