import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";
import { read, stopClock, taskIn } from "../support/tasks.ts";

describe("Feedback (input)", () => {
  let id = "";
  const give = (body: JsonObject) => post(`/agents/tasks/${id}/feedback`, body);

  beforeAll(async () => {
    stopClock();
    id = await taskIn("completed");
  });

  it.each([1, 2, 3, 4, 5, 4.5])(
    "the rating %d is accepted, because it is from 1 to 5",
    async (rating) => {
      expect((await give({ rating })).body.data.rating).toBe(rating);
      expect((await read(id)).feedback.rating).toBe(rating);
    },
  );

  it("feedback requires a rating", async () => {
    const { status, body } = await give({ feedback: "Good work." });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path: "rating", message: "is required: a number" }]);
  });

  it.each([0, 0.99, 5.01, 6, -1])(
    "the rating %d is rejected, because it is not from 1 to 5",
    async (rating) => {
      const { status, body } = await give({ rating });
      expect(status).toBe(400);
      expect(body.error.details).toEqual([
        { path: "rating", message: expect.stringContaining(`got ${rating}`) },
      ]);
    },
  );

  it("feedback may contain text", async () => {
    await give({ rating: 4, feedback: "Clear, but the second chart lacks units." });
    expect((await read(id)).feedback).toEqual({
      rating: 4,
      feedback: "Clear, but the second chart lacks units.",
    });
  });

  it("feedback may contain a list of issues", async () => {
    await give({ rating: 3, issues: ["units missing", "late"] });
    expect((await read(id)).feedback).toEqual({ rating: 3, issues: ["units missing", "late"] });
  });
});
