import { beforeAll, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import { stopClock } from "../../support/tasks.ts";
import { agent, claimed, tasksWithStatus, createTaskFor } from "./fixtures.ts";

beforeAll(stopClock);

it("a claim returns as many large tasks as fit in one response, and the others keep waiting", async () => {
  const workers = await agent("worker", null);
  const context = { text: "x".repeat(1_000_000) };
  const ids: string[] = [];
  while (ids.length < 12) ids.push(await createTaskFor(workers, { context }));
  const body = { agentId: workers.id, max: 100, waitSeconds: 0 };
  const answer = await post("/agents/tasks/claim", body);
  const given = answer.body.data.tasks.map(({ taskId }: { taskId: string }) => taskId);
  expect([answer.status, given]).toEqual([200, ids.slice(0, 9)]);
  expect(await tasksWithStatus("assigned", ids)).toEqual(ids.slice(9));
  expect(await claimed(workers, { tasksMax: 100 })).toEqual(ids.slice(9));
});
