import { describe, expect, it } from "vitest";
import { CALL_LOST_AFTER_MS } from "../../../src/tools/limits.ts";
import {
  CALL_OUTCOMES,
  callOutcomeOf,
  selectCalls,
  shortenCall,
  type CallIndexEntry,
  type CallOutcome,
  type CallPosition,
} from "../../../src/tasks/model/call-record.ts";
import { Rng } from "../../support/rng.ts";

const CASES = 1_000;
const NOW = 1_900_000_000_000;

describe("the outcome of a call", () => {
  it("is the recorded one, however old the call is", () => {
    for (const ended of ["ok", "failed", "rejected"] as const) {
      expect(callOutcomeOf({ startedAt: 0 }, ended, NOW)).toBe(ended);
    }
  });

  it("is running until no call can take any longer, and then interrupted", () => {
    const startedAt = NOW - CALL_LOST_AFTER_MS;
    expect(callOutcomeOf({ startedAt: startedAt + 1 }, null, NOW)).toBe("running");
    expect(callOutcomeOf({ startedAt }, null, NOW)).toBe("interrupted");
  });
});

/** Entries with few distinct times, and some that repeat an earlier entry's id with another outcome. */
function entriesOf(rng: Rng): CallIndexEntry[] {
  const entries = Array.from({ length: rng.below(30) }, (_, index) => ({
    id: `${rng.below(1_000)}-${index}`,
    startedAt: rng.below(5),
    outcome: rng.pick(CALL_OUTCOMES),
  }));
  const repeated = entries.filter(() => rng.oneIn(4));
  return [...entries, ...repeated.map((one) => ({ ...one, outcome: rng.pick(CALL_OUTCOMES) }))];
}

describe("the pages of a list of calls", () => {
  it("together contain each matching call once, newest first, whatever the page size", () => {
    const rng = new Rng(11);
    for (let run = 0; run < CASES; run += 1) {
      const entries = entriesOf(rng);
      const outcome: CallOutcome | null = rng.oneIn(2) ? null : rng.pick(CALL_OUTCOMES);
      const limit = rng.between(1, 8);
      const listed: CallIndexEntry[] = [];
      let before: CallPosition | null = null;
      for (let hasMore = true; hasMore;) {
        const selected: ReturnType<typeof selectCalls<CallIndexEntry>> = selectCalls(entries, {
          outcome,
          before,
          limit,
        });
        expect(selected.page.length).toBeLessThanOrEqual(limit);
        if (selected.hasMore) expect(selected.page).toHaveLength(limit);
        listed.push(...selected.page);
        before = selected.page.at(-1) ?? null;
        hasMore = selected.hasMore;
      }
      const known = new Set<string>();
      const first = entries.filter(({ id }) => !known.has(id) && known.add(id));
      const matching = first.filter((one) => outcome === null || one.outcome === outcome);
      expect(new Set(listed)).toEqual(new Set(matching));
      expect(listed).toHaveLength(matching.length);
      for (const [index, one] of listed.slice(1).entries()) {
        expect(one.startedAt).toBeLessThanOrEqual(listed[index]?.startedAt ?? 0);
      }
    }
  });
});

it("a call in a list has shortened parameters and a shortened result, and everything else unchanged", () => {
  const long = { text: `"${"a".repeat(3_000)}"`, bytes: 3_002 };
  const record = {
    id: "one",
    toolId: "json-workbench",
    capability: "query",
    agentId: null,
    source: "rest",
    keyId: "root",
    turn: null,
    requestId: null,
    startedAt: NOW,
    attempt: 1,
    parameters: long,
    end: { outcome: "ok", durationMs: 1, cost: 0, result: long },
  } as const;
  const short = { text: long.text.slice(0, 1_024), bytes: 3_002, isShortened: true };
  expect(shortenCall({ record, outcome: "ok", eventSeq: 4 })).toEqual({
    record: { ...record, parameters: short, end: { ...record.end, result: short } },
    outcome: "ok",
    eventSeq: 4,
  });
});
