import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";
import { read, stopClock, taskIn } from "../support/tasks.ts";

const rate = (id: string, body: JsonObject) => post(`/agents/tasks/${id}/feedback`, body);

describe("Provide feedback", () => {
  beforeAll(stopClock);

  it("feedback on a task leaves other tasks unchanged", async () => {
    const [one, other] = [await taskIn("completed"), await taskIn("completed")];
    await rate(one, { rating: 2 });
    expect((await read(one)).feedback).toEqual({ rating: 2 });
    expect(await read(other)).not.toHaveProperty("feedback");
  });

  it("feedback on an unknown task gets 404", async () => {
    const { status, body } = await rate("a".repeat(64), { rating: 2 });
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it.each(["pending", "in_progress", "blocked", "review", "failed", "cancelled"] as const)(
    "feedback on a task that is %s is rejected",
    async (state) => {
      const id = await taskIn(state);
      const { status, body } = await rate(id, { rating: 2 });
      expect([status, body.error.code]).toEqual([409, "TASK_NOT_COMPLETED"]);
      expect(body.error.context.status).toBe(state);
      expect(await read(id)).not.toHaveProperty("feedback");
    },
  );

  it("feedback records rating, text and issues", async () => {
    const id = await taskIn("completed");
    const body = { rating: 3.5, feedback: "Thorough.", issues: ["long", "late"] };
    const answer = await rate(id, body);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({ taskId: id, ...body });
  });

  it("later feedback replaces earlier feedback", async () => {
    const id = await taskIn("completed");
    await rate(id, { rating: 1, feedback: "Poor." });
    expect((await rate(id, { rating: 5 })).status).toBe(200);
    expect((await read(id)).feedback).toEqual({ rating: 5 });
  });
});
