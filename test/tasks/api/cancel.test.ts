import { beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../../support/client.ts";
import { passTime, read, stopClock, taskIn, wake } from "../../support/tasks.ts";
import { eventsOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

describe.each(["pending", "in_progress", "blocked", "review"] as const)(
  "a task that is %s",
  (status) => {
    it("an active task can be cancelled with a reason, and stays cancelled", async () => {
      const id = await taskIn(status);
      const answer = await post(`/agents/tasks/${id}/cancel`, { reason: "No need any more." });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        taskId: id,
        status: "cancelled",
        cancelReason: "No need any more.",
      });
      for (const field of ["blocked", "result", "deliverables", "error"]) {
        expect(answer.body.data).not.toHaveProperty(field);
      }
      expect(answer.body.data.timeline).not.toHaveProperty("completedAt");
      expect(await rowOf(id)).toMatchObject({ status: "cancelled", ended_at: Date.now() });

      const log = await eventsOf(id);
      expect(log.at(-1)).toMatchObject({
        type: "cancelled",
        data: { reason: "No need any more." },
      });
      passTime(3_600_000);
      await wake(id);
      expect(await eventsOf(id)).toEqual(log);
      expect((await read(id)).status).toBe("cancelled");
    });

    it("an active task can be cancelled without a body", async () => {
      const id = await taskIn(status);
      const answer = await post(`/agents/tasks/${id}/cancel`);
      expect(answer.body.data.status).toBe("cancelled");
      expect(answer.body.data).not.toHaveProperty("cancelReason");
    });
  },
);

it.each(["completed", "failed", "cancelled"] as const)(
  "a task that is %s cannot be cancelled",
  async (status) => {
    const id = await taskIn(status);
    const log = await eventsOf(id);
    const answer = await post(`/agents/tasks/${id}/cancel`, { reason: "Too late." });
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({ code: "INVALID_STATE", context: { status } });
    expect(answer.body.error.message).toContain(status);
    expect(await eventsOf(id)).toEqual(log);
  },
);

it("a cancelled task no longer shows its deliverables", async () => {
  const id = await taskIn("review");
  expect((await get(`/agents/tasks/${id}/deliverables`)).status).toBe(200);
  await post(`/agents/tasks/${id}/cancel`);
  const answer = await get(`/agents/tasks/${id}/deliverables`);
  expect(answer.status).toBe(409);
  expect(answer.body.error.code).toBe("TASK_NOT_COMPLETED");
});
