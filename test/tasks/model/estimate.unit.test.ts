import { expect, it } from "vitest";
import { estimateBuiltinTask } from "../../../src/tasks/model/estimate.ts";

const PLAIN = { steps: 5, stepIntervalMs: 500, deliverables: 2, queued: 0 };

it("an estimate ends its duration from now, and covers the pauses of all steps", () => {
  const { durationMs, completionAt } = estimateBuiltinTask(PLAIN, 1_000_000);
  expect(completionAt).toBe(1_000_000 + durationMs);
  expect(durationMs).toBeGreaterThanOrEqual(5 * 500);
  expect(durationMs).toBeLessThan(2 * 5 * 500);
});

it.each([
  ["a step", { steps: 6 }, 500],
  ["a longer pause", { stepIntervalMs: 600 }, 5 * 100],
  ["a deliverable", { deliverables: 3 }, 1],
  ["an active task", { queued: 1 }, 1],
])("an estimate grows with %s", (_, more, atLeastMs) => {
  const before = estimateBuiltinTask(PLAIN, 0).durationMs;
  expect(estimateBuiltinTask({ ...PLAIN, ...more }, 0).durationMs - before).toBeGreaterThanOrEqual(
    atLeastMs,
  );
});

it("an estimate is never zero, even without pauses", () => {
  expect(estimateBuiltinTask({ ...PLAIN, stepIntervalMs: 0 }, 0).durationMs).toBeGreaterThan(0);
});
