import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../support/client.ts";
import { read, stopClock, taskIn, wake } from "../support/tasks.ts";

describe("Cancel task", () => {
  beforeAll(stopClock);

  it("cancelling a task leaves other tasks unchanged", async () => {
    const [one, other] = [await taskIn("pending"), await taskIn("pending")];
    await post(`/agents/tasks/${one}/cancel`);
    expect((await read(one)).status).toBe("cancelled");
    expect((await read(other)).status).toBe("pending");
  });

  it("cancelling an unknown task gets 404", async () => {
    const { status, body } = await post(`/agents/tasks/${"a".repeat(64)}/cancel`);
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it("cancelling a task records the reason", async () => {
    const id = await taskIn("pending");
    await post(`/agents/tasks/${id}/cancel`, { reason: "The ship has sailed" });
    expect((await read(id)).cancelReason).toBe("The ship has sailed");
  });

  it("a task can be cancelled without a body or with an empty one", async () => {
    for (const body of [undefined, {}]) {
      const id = await taskIn("pending");
      const answer = await post(`/agents/tasks/${id}/cancel`, body);
      expect([answer.status, answer.body.data.status]).toEqual([200, "cancelled"]);
    }
  });

  it.each(["pending", "in_progress"] as const)(
    "a task that is %s can be cancelled",
    async (status) => {
      const id = await taskIn(status);
      await post(`/agents/tasks/${id}/cancel`);
      await wake(id);
      expect((await read(id)).status).toBe("cancelled");
    },
  );

  it("cancelling returns the whole task, as GET does", async () => {
    const id = await taskIn("in_progress");
    const { status, body } = await post(`/agents/tasks/${id}/cancel`);
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(id));
  });
});
