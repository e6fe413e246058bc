import { describe, expect, it } from "vitest";
import { appendBounded, eventKey, newestFirst } from "../../console/src/events/event-rows.ts";
import {
  EVENT_TYPES,
  matchesFilters,
  readEventFilters,
  typesOf,
} from "../../console/src/events/filters.ts";
import { FEED_EVENT_TYPES } from "../../src/events/model/feed.ts";
import { Rng } from "../support/rng.ts";

const AGENTS = ["one", "two", undefined] as const;

function randomFilters(rng: Rng): Record<string, string> {
  const types = EVENT_TYPES.filter(() => rng.oneIn(5)).join(",");
  return {
    ...(types !== "" && { type: types }),
    ...(rng.oneIn(2) && { agentId: "one" }),
    ...(rng.oneIn(2) && { teamId: "insights" }),
  };
}

describe("the filters of the event feed", () => {
  it("offer every event type of the API", () => {
    expect(EVENT_TYPES.toSorted()).toEqual(FEED_EVENT_TYPES.toSorted());
  });

  it("are the same after they were written to the URL and read", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const search = randomFilters(new Rng(seed));
      expect(readEventFilters(search)).toEqual(search);
    }
  });

  it("ignore unknown types and other invalid values", () => {
    expect(readEventFilters({ type: "exploded,failed,failed", agentId: [], teamId: " " })).toEqual({
      type: "failed",
    });
    expect(readEventFilters({ type: 7, agentId: 42, other: "x" })).toEqual({ agentId: "42" });
  });

  it("match an event exactly if each given filter does", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const rng = new Rng(seed);
      const filters = readEventFilters(randomFilters(rng));
      const agentId = rng.pick(AGENTS);
      const event = {
        type: EVENT_TYPES[rng.below(EVENT_TYPES.length)] ?? "created",
        ...(agentId !== undefined && { agentId }),
        ...(rng.oneIn(2) && { teamId: "insights" }),
      };
      const types = typesOf(filters);
      const isMatch = [
        types.length === 0 || types.includes(event.type),
        filters.agentId === undefined || filters.agentId === event.agentId,
        filters.teamId === undefined || filters.teamId === event.teamId,
      ].every(Boolean);
      expect(matchesFilters(event, filters)).toBe(isMatch);
    }
  });
});

describe("the rows of the event feed", () => {
  it("are bounded, have no duplicates, and start with the newest event", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const rng = new Rng(seed);
      const all = Array.from({ length: rng.between(1, 40) }, (_, index) => ({
        taskId: "task",
        seq: index + 1,
      }));
      const split = rng.below(all.length);
      const overlap = rng.below(split + 1);
      const max = rng.between(1, 50);
      const rows = newestFirst(all.slice(0, split), all.slice(split - overlap), max);
      expect(rows).toEqual(all.slice(-max).toReversed());
      expect(new Set(rows.map(eventKey)).size).toBe(rows.length);
    }
  });

  it("keep only the newest events of a full buffer", () => {
    expect(appendBounded([1, 2, 3], [4, 5], 4)).toEqual([2, 3, 4, 5]);
  });
});
