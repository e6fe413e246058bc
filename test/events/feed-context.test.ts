import { beforeAll, expect, it, vi } from "vitest";
import { get, patch, post } from "../support/client.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";
import { eventsOf, type SeenEvent } from "../tasks/look.ts";

beforeAll(stopClock);

/** A task's events in the feed, once the feed has all events of its log. */
async function feedOf(taskId: string): Promise<SeenEvent[]> {
  const { length } = await eventsOf(taskId);
  return vi.waitUntil(async () => {
    const { data } = (await get("/agents/events?from=oldest&limit=100")).body;
    const own = data.events.filter((event: { taskId: string }) => event.taskId === taskId);
    return own.length >= length ? own : null;
  }, 5_000);
}

const sizeOf = (value: object): number => JSON.stringify(value).length;

it("the feed has the size of a context, and the task's own log has the context", async () => {
  const context = { text: "A secret harbour." };
  const id = await create({ context });
  const change = { year: 1702 };
  await patch(`/agents/tasks/${id}`, { context: change, priority: "low" });
  await post(`/agents/tasks/${id}/cancel`);
  const [created, updated] = await feedOf(id);
  expect(created?.data).toMatchObject({ task: expect.any(String), contextBytes: sizeOf(context) });
  expect(updated?.data).toEqual({ priority: "low", contextBytes: sizeOf(change) });
  expect(JSON.stringify(await feedOf(id))).not.toContain("secret");
  const [first, second] = await eventsOf(id);
  expect(first?.data).toMatchObject({ context });
  expect(second?.data).toEqual({ priority: "low", context: change });
});

it("a retry's event in the feed has the size of its context, and none without a context", async () => {
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
  expect(Object.keys(two?.data).toSorted()).toEqual(["attempt", "choice", "reassign"]);
});
