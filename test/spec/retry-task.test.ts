import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";
import { read, stopClock, taskIn, untilStatus } from "../support/tasks.ts";

const retry = (id: string, body?: JsonObject) => post(`/agents/tasks/${id}/retry`, body);

describe("Retry task", () => {
  beforeAll(stopClock);

  it("retrying a task leaves other tasks unchanged", async () => {
    const [one, other] = [await taskIn("failed"), await taskIn("failed")];
    await retry(one);
    expect((await read(one)).status).toBe("pending");
    expect((await read(other)).status).toBe("failed");
  });

  it("retrying an unknown task gets 404", async () => {
    const { status, body } = await retry("a".repeat(64));
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it("a retry with reassign assigns the task to a different agent", async () => {
    const id = await taskIn("failed", { teamId: "insights" });
    const first = (await read(id)).agentId;
    const { data } = (await retry(id, { reassign: true })).body;
    expect(["data-analyst", "researcher"].filter((agentId) => agentId !== first)).toEqual([
      data.agentId,
    ]);
  });

  it.each([undefined, {}, { reassign: false }])(
    "a retry without reassign keeps the agent: %j",
    async (body) => {
      const id = await taskIn("failed", { agentId: "researcher" });
      expect((await retry(id, body)).body.data.agentId).toBe("researcher");
    },
  );

  it("a retry updates the context", async () => {
    const id = await taskIn("failed", { context: { region: "north", year: 2024 } });
    await retry(id, { context: { region: "south" } });
    expect((await read(id)).context).toMatchObject({ region: "south", year: 2024 });
  });

  it("a failed task can be retried and is executed again", async () => {
    const id = await taskIn("failed");
    await retry(id, { context: { requireReview: false } });
    await untilStatus(id, "completed");
    expect(await read(id)).toMatchObject({
      attempt: 2,
      attempts: [{ attempt: 1, error: { code: "REVIEW_REJECTED" } }],
    });
  });

  it.each(["pending", "in_progress", "blocked", "review", "completed", "cancelled"] as const)(
    "a task that is %s cannot be retried",
    async (state) => {
      const id = await taskIn(state);
      const { status, body } = await retry(id);
      expect([status, body.error.code]).toEqual([409, "INVALID_STATE"]);
      expect(body.error.context).toMatchObject({ status: state });
      expect(await read(id)).toMatchObject({ status: state, attempt: 1 });
    },
  );

  it("a retry returns the whole task, as GET does", async () => {
    const id = await taskIn("failed");
    const { status, body } = await retry(id);
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(id));
  });
});
