import { beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../../support/client.ts";
import { LARGE_OUTPUT, read, stopClock, taskIn, untilStatus, wake } from "../../support/tasks.ts";
import { fileKeysOf, rowOf, typesOf } from "../../support/task-state.ts";

beforeAll(stopClock);

function decide(id: string, decision: string, comment?: string) {
  return post(`/agents/tasks/${id}/review`, {
    decision,
    ...(comment === undefined ? {} : { comment }),
  });
}

describe("a task that requires review", () => {
  it("a task in review shows its work and waits", async () => {
    const id = await taskIn("review", { deliverables: ["summary"] });
    const task = await read(id);
    expect(task).toMatchObject({
      status: "review",
      result: { summary: expect.any(String) },
      deliverables: [{ type: "summary" }],
    });
    expect(task.progress).toBeLessThan(100);
    expect(task.timeline).not.toHaveProperty("completedAt");
    expect((await get(`/agents/tasks/${id}/deliverables`)).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: "review" });
    expect(await wake(id)).toBe(false);
  });

  it("an approved task completes with exactly the work that was reviewed", async () => {
    const id = await taskIn("review");
    const shown = await read(id);
    const answer = await decide(id, "approve", "Good.");
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ status: "completed", progress: 100 });
    for (const field of ["result", "quality", "deliverables"]) {
      expect(answer.body.data[field]).toEqual(shown[field]);
    }
    expect((await typesOf(id)).slice(-2)).toEqual(["approved", "completed"]);
  });

  it("a task goes back to work when changes are requested, and is submitted for review again", async () => {
    const id = await taskIn("review");
    const answer = await decide(id, "request_changes", "Shorter, please.");
    expect(answer.body.data).toMatchObject({ status: "in_progress" });
    for (const field of ["result", "quality", "deliverables"]) {
      expect(answer.body.data).not.toHaveProperty(field);
    }
    expect((await get(`/agents/tasks/${id}/deliverables`)).status).toBe(409);

    await untilStatus(id, "review");
    expect((await decide(id, "approve")).body.data.status).toBe("completed");
    const types = await typesOf(id);
    expect(types.filter((type) => type === "submitted")).toHaveLength(2);
    expect(types.filter((type) => type === "completed")).toHaveLength(1);
  });

  it("a task keeps the files of the earlier review round alongside those of the next", async () => {
    const id = await taskIn("review", LARGE_OUTPUT);
    await decide(id, "request_changes", "Shorter, please.");
    await untilStatus(id, "review");
    const keys = await fileKeysOf(id);
    expect(keys).toHaveLength(2);
    expect(new Set(keys.map((key) => key.split("/").at(-1))).size).toBe(1);
  });

  it("a rejected task fails with the reviewer's comment and can be retried", async () => {
    const id = await taskIn("review");
    const answer = await decide(id, "reject", "Wrong harbour.");
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      status: "failed",
      error: { code: "REVIEW_REJECTED", message: "Wrong harbour.", retryable: true, attempt: 1 },
    });
    expect(answer.body.data).not.toHaveProperty("result");
    expect((await post(`/agents/tasks/${id}/retry`)).body.data.status).toBe("pending");
    await untilStatus(id, "review");
    expect((await decide(id, "approve")).body.data).toMatchObject({
      status: "completed",
      attempt: 2,
    });
  });

  it.each(["approve", "request_changes", "reject"])(
    "the decision %s is rejected before the task is in review",
    async (decision) => {
      const id = await taskIn("in_progress", { context: { requireReview: true } });
      const answer = await decide(id, decision);
      expect(answer.status).toBe(409);
      expect(answer.body.error).toMatchObject({
        code: "INVALID_STATE",
        context: { status: "in_progress", allowed: ["cancel", "update"] },
      });
    },
  );
});
