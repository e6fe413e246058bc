import { beforeAll, expect, it, vi } from "vitest";
import { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import { divert } from "../../support/divert.ts";
import { create, stopClock } from "../../support/tasks.ts";
import { agent } from "./fixtures.ts";

beforeAll(stopClock);

it("a repeated enqueue call returns only after the open offer to the task has completed", async () => {
  const { id: agentId, queue } = await agent("builtin", 1);
  // An unclaimed task of another agent, because a running task could end first and leave the queue.
  const taskId = await create({ agentId: (await agent("worker", null)).id });
  const entry = { taskId, seq: 1, priority: "medium", deadline: null, since: Date.now() } as const;
  const terms = { limit: 1, isPulled: false };
  let isAsked = false;
  const hold = { isOn: true };
  divert(TaskObject.prototype, "admit", async (real) => {
    isAsked = true;
    // This polls, because an object that awaits the test's promise would continue in the test's
    // request context.
    while (hold.isOn) await scheduler.wait(1);
    return real();
  });
  const first = queue.enqueue(agentId, entry, terms);
  await vi.waitUntil(() => isAsked, 20_000);
  let hasReturned = false;
  const again = queue.enqueue(agentId, entry, terms).then(() => {
    hasReturned = true;
  });
  // Once these calls return, the queue has received the earlier calls on the same stub.
  for (let looks = 0; looks < 5; looks += 1) await queue.readCounts();
  expect(hasReturned).toBe(false);
  hold.isOn = false;
  await Promise.all([first, again]);
  expect(hasReturned).toBe(true);
});
