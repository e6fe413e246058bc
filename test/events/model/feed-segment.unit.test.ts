import { expect, it } from "vitest";
import {
  isSelectiveFilter,
  buildSegmentKeys,
  createSegmentTest,
} from "../../../src/events/model/feed-segment.ts";
import type { FeedEvent } from "../../../src/events/model/feed.ts";

const ANY = { types: null, agentId: null, teamId: null, taskId: null };

const EVENTS: readonly FeedEvent[] = [
  {
    taskId: "t1",
    seq: 1,
    type: "created",
    at: "2031-01-01T00:00:00.000Z",
    agentId: null,
    teamId: "red",
    data: {},
  },
  {
    taskId: "t2",
    seq: 5,
    type: "completed",
    at: "2031-01-01T00:00:00.000Z",
    agentId: "ann",
    teamId: null,
    data: {},
  },
];

it.each([
  [{ ...ANY, agentId: "ann" }, true],
  [{ ...ANY, agentId: "bob" }, false],
  [{ ...ANY, teamId: "red" }, true],
  [{ ...ANY, teamId: "ann" }, false],
  [{ ...ANY, taskId: "t2" }, true],
  [{ ...ANY, taskId: "t3" }, false],
  [{ ...ANY, types: ["failed", "completed"] }, true],
  [{ ...ANY, types: ["failed"] }, false],
  [{ ...ANY, types: ["completed"], agentId: "bob" }, false],
  // The two values come from different events. A segment does not store which values occur
  // together.
  [{ ...ANY, types: ["completed"], teamId: "red" }, true],
] as const)("a segment is read with the filter %j: %s", (filter, isRead) => {
  expect(createSegmentTest(filter)(buildSegmentKeys(EVENTS))).toBe(isRead);
  expect(isSelectiveFilter(filter)).toBe(true);
});

it("a filter that accepts all events skips no segment", () => {
  expect(isSelectiveFilter(ANY)).toBe(false);
  expect(createSegmentTest(ANY)(buildSegmentKeys([]))).toBe(true);
});

it("the stored hashes of an event never change", () => {
  const keys = buildSegmentKeys(EVENTS.slice(1));
  expect([...keys].toSorted((one, other) => one - other)).toMatchInlineSnapshot(`
    [
      356702087,
      1058774960,
      2355491138,
    ]
  `);
});

it("a segment stores a repeated value once", () => {
  const many = Array.from({ length: 1_000 }, () => EVENTS[1]).filter((one) => one !== undefined);
  expect(buildSegmentKeys(many)).toHaveLength(3);
});
