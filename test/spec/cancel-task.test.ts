import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../support/client.ts";
import { read, stopClock, taskIn, wake } from "../support/tasks.ts";

describe("Cancel task", () => {
  beforeAll(stopClock);

  it("id · that task and no other", async () => {
    const [one, other] = [await taskIn("pending"), await taskIn("pending")];
    await post(`/agents/tasks/${one}/cancel`);
    expect((await read(one)).status).toBe("cancelled");
    expect((await read(other)).status).toBe("pending");
  });

  it("id · unknown", async () => {
    const { status, body } = await post(`/agents/tasks/${"a".repeat(64)}/cancel`);
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it("reason · recorded", async () => {
    const id = await taskIn("pending");
    await post(`/agents/tasks/${id}/cancel`, { reason: "The ship has sailed" });
    expect((await read(id)).cancelReason).toBe("The ship has sailed");
  });

  it("reason · optional: no body, or an empty object", async () => {
    for (const body of [undefined, {}]) {
      const id = await taskIn("pending");
      const answer = await post(`/agents/tasks/${id}/cancel`, body);
      expect([answer.status, answer.body.data.status]).toEqual([200, "cancelled"]);
    }
  });

  it.each(["pending", "in_progress"] as const)("applies to a task that is %s", async (status) => {
    const id = await taskIn(status);
    await post(`/agents/tasks/${id}/cancel`);
    await wake(id);
    expect((await read(id)).status).toBe("cancelled");
  });

  it("response · the whole task, as GET would answer", async () => {
    const id = await taskIn("in_progress");
    const { status, body } = await post(`/agents/tasks/${id}/cancel`);
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(id));
  });
});
