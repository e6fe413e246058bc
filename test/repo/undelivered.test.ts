import { expect, it } from "vitest";
import { checkUndelivered } from "../../scripts/proof/check/undelivered.ts";

const FEED = Array.from({ length: 8 }, (_, index) => ({
  taskId: "task",
  seq: index + 1,
  type: "progressed",
  at: `2026-01-01T00:00:0${index}.000Z`,
  data: {},
}));

it("consecutive lost or late events are reported as one window each", () => {
  const missing = ["task.2", "task.3", "task.4", "task.7"];
  const violations = checkUndelivered(missing, FEED, new Map([["task.4", "pending"]]));
  expect(violations.map(({ words }) => words)).toEqual([
    "lost: 2 events, places 1 to 2 of the feed's 8, 2026-01-01T00:00:01.000Z to 2026-01-01T00:00:02.000Z",
    "late: 1 events, places 3 to 3 of the feed's 8, 2026-01-01T00:00:03.000Z to 2026-01-01T00:00:03.000Z",
    "lost: 1 events, places 6 to 6 of the feed's 8, 2026-01-01T00:00:06.000Z to 2026-01-01T00:00:06.000Z",
  ]);
});

it("an event that is also missing from the feed is reported by its name", () => {
  const [violation] = checkUndelivered(["task.9"], FEED, new Map());
  expect(violation?.words).toBe("task.9 is not in the feed");
});
