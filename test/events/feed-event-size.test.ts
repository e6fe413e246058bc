import { beforeAll, expect, it, vi } from "vitest";
import { FEED_VALUE_BYTES_MAX } from "../../src/events/limits.ts";
import { get, patch, post } from "../support/client.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";
import { eventsOf, type SeenEvent } from "../support/task-state.ts";
import { heldTask, report } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

/**
 * Waits until the feed has all events of a task's log, and returns the task's events in the feed.
 */
async function feedOf(taskId: string): Promise<SeenEvent[]> {
  const { length } = await eventsOf(taskId);
  return vi.waitUntil(async () => {
    const { data } = (await get("/agents/events?from=oldest&limit=100")).body;
    const own = data.events.filter((event: { taskId: string }) => event.taskId === taskId);
    return own.length >= length ? own : null;
  }, 5_000);
}

const by = { keyId: "root", keyName: "root" };
const sizeOf = (value: object): number => JSON.stringify(value).length;

it("the feed contains the size of a context, and the task's own log contains the context", async () => {
  const context = { text: "A secret harbour." };
  const id = await create({ context });
  const change = { year: 1702 };
  await patch(`/agents/tasks/${id}`, { context: change, priority: "low" });
  await post(`/agents/tasks/${id}/cancel`);
  const [created, updated] = await feedOf(id);
  expect(created?.data).toMatchObject({ task: expect.any(String), contextBytes: sizeOf(context) });
  expect(updated?.data).toEqual({ priority: "low", contextBytes: sizeOf(change), by });
  expect(JSON.stringify(await feedOf(id))).not.toContain("secret");
  const [first, second] = await eventsOf(id);
  expect(first?.data).toMatchObject({ context });
  expect(second?.data).toEqual({ priority: "low", context: change, by });
});

it("in the feed, a retry's event contains the size of the retry's context, or no size if there is no context", async () => {
  const id = await taskIn("failed");
  await post(`/agents/tasks/${id}/retry`, { context: { year: 1702 } });
  await post(`/agents/tasks/${id}/cancel`);
  const other = await taskIn("failed");
  await post(`/agents/tasks/${other}/retry`);
  await post(`/agents/tasks/${other}/cancel`);
  const [one, two] = await Promise.all(
    [id, other].map(async (taskId) => (await feedOf(taskId)).find((e) => e.type === "retried")),
  );
  expect(one?.data).toMatchObject({ contextBytes: sizeOf({ year: 1702 }) });
  expect(Object.keys(two?.data).toSorted()).toEqual(["attempt", "by", "choice", "reassign"]);
});

it("the feed contains the sizes of a large work and response, and the task's own log contains both values", async () => {
  const { id, lease } = await heldTask();
  const work = { draft: "x".repeat(FEED_VALUE_BYTES_MAX) };
  const response = "y".repeat(FEED_VALUE_BYTES_MAX);
  await report(id, lease, { type: "progress", progress: 5, work });
  await report(id, lease, { type: "blocked", question: "Which year?" });
  await post(`/agents/tasks/${id}/respond`, { response });
  await post(`/agents/tasks/${id}/cancel`);
  const dataOf = (events: SeenEvent[], type: string) => events.find((e) => e.type === type)?.data;
  const feed = await feedOf(id);
  expect(dataOf(feed, "progressed")).toMatchObject({ progress: 5, workBytes: sizeOf(work) });
  expect(dataOf(feed, "responded")).toEqual({ responseBytes: response.length + 2, by });
  expect(JSON.stringify(feed)).not.toMatch(/x{9}|y{9}/);
  const log = await eventsOf(id);
  expect(dataOf(log, "progressed")).toMatchObject({ work });
  expect(dataOf(log, "responded")).toEqual({ response, by });
});

it("an event with a large result is shortened in the feed and states its size", async () => {
  const { id, lease } = await heldTask();
  const insights = ["First.", "z".repeat(4_000), "z".repeat(4_000), "z".repeat(4_000)];
  const result = { summary: "z".repeat(8_000), insights };
  await report(id, lease, { type: "completed", result });
  const completed = (await feedOf(id)).find((e) => e.type === "completed");
  expect(completed).toMatchObject({
    dataBytes: expect.toSatisfy((bytes: number) => bytes > 20_000),
    data: { result: { summary: expect.stringMatching(/^z{999}…$/) } },
  });
  const own = (await eventsOf(id)).find((e) => e.type === "completed");
  expect(own?.data).toMatchObject({ result });
});
