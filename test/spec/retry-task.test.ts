import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";
import { read, stopClock, taskIn, untilStatus } from "../support/tasks.ts";

const retry = (id: string, body?: JsonObject) => post(`/agents/tasks/${id}/retry`, body);

describe("Retry task", () => {
  beforeAll(stopClock);

  it("id · that task and no other", async () => {
    const [one, other] = [await taskIn("failed"), await taskIn("failed")];
    await retry(one);
    expect((await read(one)).status).toBe("pending");
    expect((await read(other)).status).toBe("failed");
  });

  it("id · unknown", async () => {
    const { status, body } = await retry("a".repeat(64));
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it("reassign · true: assigned to a different agent", async () => {
    const id = await taskIn("failed", { teamId: "insights" });
    const first = (await read(id)).agentId;
    const { data } = (await retry(id, { reassign: true })).body;
    expect(["data-analyst", "researcher"].filter((agentId) => agentId !== first)).toEqual([
      data.agentId,
    ]);
  });

  it.each([undefined, {}, { reassign: false }])(
    "reassign · default false: %j keeps the agent",
    async (body) => {
      const id = await taskIn("failed", { agentId: "researcher" });
      expect((await retry(id, body)).body.data.agentId).toBe("researcher");
    },
  );

  it("context · updated", async () => {
    const id = await taskIn("failed", { context: { region: "north", year: 2024 } });
    await retry(id, { context: { region: "south" } });
    expect((await read(id)).context).toMatchObject({ region: "south", year: 2024 });
  });

  it("applies to a failed task, which is then worked on again", async () => {
    const id = await taskIn("failed");
    await retry(id, { context: { requireReview: false } });
    await untilStatus(id, "completed");
    expect(await read(id)).toMatchObject({
      attempt: 2,
      attempts: [{ attempt: 1, error: { code: "REVIEW_REJECTED" } }],
    });
  });

  it.each(["pending", "in_progress", "blocked", "review", "completed", "cancelled"] as const)(
    "applies to no task that is %s",
    async (state) => {
      const id = await taskIn(state);
      const { status, body } = await retry(id);
      expect([status, body.error.code]).toEqual([409, "INVALID_STATE"]);
      expect(body.error.context).toMatchObject({ status: state });
      expect(await read(id)).toMatchObject({ status: state, attempt: 1 });
    },
  );

  it("response · the whole task, as GET would answer", async () => {
    const id = await taskIn("failed");
    const { status, body } = await retry(id);
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(id));
  });
});
