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
  expect(violations.map(({ message }) => message)).toEqual([
    "lost: 2 events, positions 1 to 2 of 8 in the feed, 2026-01-01T00:00:01.000Z to 2026-01-01T00:00:02.000Z",
    "late: 1 events, positions 3 to 3 of 8 in the feed, 2026-01-01T00:00:03.000Z to 2026-01-01T00:00:03.000Z",
    "lost: 1 events, positions 6 to 6 of 8 in the feed, 2026-01-01T00:00:06.000Z to 2026-01-01T00:00:06.000Z",
  ]);
});

it("an event that is also missing from the feed is reported by its name", () => {
  const [violation] = checkUndelivered(["task.9"], FEED, new Map());
  expect(violation?.message).toBe("task.9 is not in the feed");
});
