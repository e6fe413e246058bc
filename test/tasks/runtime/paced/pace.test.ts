import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../../support/client.ts";
import { create, passTime, read, stopClock, wake } from "../../../support/tasks.ts";
import { typesOf } from "../../../support/task-state.ts";

// In this folder, agents pause for 500 ms before each step, and ended tasks are kept for one day.
const STEP_MS = 500;

beforeAll(stopClock);

describe("an agent that pauses before each step", () => {
  it("an agent takes no step before its pause is over, however often it is woken", async () => {
    const id = await create({ context: { text: "Two wharves." } });
    passTime(STEP_MS - 1);
    for (let wakes = 0; wakes < 3; wakes += 1) expect(await wake(id)).toBe(true);
    expect((await read(id)).status).toBe("pending");
    passTime(1);
    await wake(id);
    expect((await read(id)).status).toBe("in_progress");
    const after = await typesOf(id);
    passTime(STEP_MS - 1);
    for (let wakes = 0; wakes < 3; wakes += 1) expect(await wake(id)).toBe(true);
    expect(await typesOf(id)).toEqual(after);
    passTime(1);
    await wake(id);
    expect((await typesOf(id)).length).toBe(after.length + 1);
  });

  it("a task takes no longer than its estimate, but more than half of it", async () => {
    const created = await post("/agents/tasks", {
      task: "Summarise it",
      context: { text: "Two wharves." },
      deliverables: ["summary"],
    });
    const { taskId, createdAt, estimatedCompletion } = created.body.data;
    let steps = 0;
    while ((await read(taskId)).status !== "completed" && steps < 20) {
      passTime(STEP_MS);
      await wake(taskId);
      steps += 1;
    }
    const tookMs = Date.parse((await read(taskId)).timeline.completedAt) - Date.parse(createdAt);
    const saidMs = Date.parse(estimatedCompletion) - Date.parse(createdAt);
    expect(saidMs).toBeGreaterThanOrEqual(tookMs);
    expect(saidMs).toBeLessThan(2 * tookMs);
  });
});
