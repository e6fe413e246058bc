import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import { foldEventsIntoViews, type A2aTaskView } from "../../../src/interfaces/a2a/task-run.ts";
import { buildA2aTask } from "../../../src/interfaces/a2a/view.ts";
import { LogSummary, type EventClass } from "../../../src/tasks/runtime/event-log.store.ts";
import { arbitraryLog as played } from "../model/properties/task-generator.ts";

/** Returns an event's class as stored by src/tasks/runtime/event-log.store.ts. */
function eventClassOf(event: TaskEvent): EventClass {
  if (event.type !== "progressed") return "change";
  return event.data.outside === true ? "usage" : "progress";
}

function summaryOf(log: readonly TaskEvent[]): LogSummary {
  const summary = new LogSummary();
  for (const event of log) summary.add(event.seq, eventClassOf(event));
  return summary;
}

// Stop the clock, because file links contain their expiry time.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  return () => vi.useRealTimers();
});

/** Returns the A2A views of these events. */
function shownOf(events: readonly TaskEvent[]) {
  const lives: A2aTaskView[] = [];
  foldEventsIntoViews("a".repeat(64), lives, events);
  const call = { env: { SIGNING_KEY: "k" }, origin: "https://bosun.test" };
  return lives.map((one) => buildA2aTask(call, one, null));
}

function step(seq: number, outside = false): TaskEvent {
  const data = { progress: seq, phase: `step ${seq}`, calls: [], work: {} };
  return { seq, at: seq, type: "progressed", data: outside ? { ...data, outside: true } : data };
}

describe("a log summary", () => {
  it(
    "at each event, the log summary has the same A2A view as the complete log",
    { timeout: 60_000 },
    () => {
      let left = 0;
      fc.assert(
        fc.property(played, ({ log }) => {
          const summary = summaryOf(log);
          for (const { seq } of log) {
            const whole = log.filter((event) => event.seq <= seq);
            const kept = new Set(summary.select(0, seq, Infinity));
            left += whole.length - kept.size;
            expect(shownOf(log.filter((event) => kept.has(event.seq)))).toEqual(shownOf(whole));
          }
        }),
        { numRuns: 200, seed: 4 },
      );
      // With only a few events, the comparison would prove little.
      expect(left).toBeGreaterThan(100);
    },
  );

  it("the log summary is the same when it is read in pages", () => {
    fc.assert(
      fc.property(played, fc.integer({ min: 1, max: 5 }), ({ log }, limit) => {
        const summary = summaryOf(log);
        const whole = summary.select(0, Infinity, Infinity);
        const paged: number[] = [];
        for (let page = summary.select(0, Infinity, limit); page.length > 0;) {
          expect(page.length).toBeLessThanOrEqual(limit);
          paged.push(...page);
          page = summary.select(paged.at(-1) ?? 0, Infinity, limit);
        }
        expect(paged).toEqual(whole);
      }),
      { numRuns: 100, seed: 4 },
    );
  });

  it("the log summary contains the last of successive progress events, and an event with calls only at the end", () => {
    const summary = new LogSummary();
    summary.add(1, "change");
    for (let seq = 2; seq <= 1_000; seq += 1) summary.add(seq, eventClassOf(step(seq, seq > 990)));
    summary.add(1_001, "change");
    expect(summary.select(0, Infinity, Infinity)).toEqual([1, 990, 1_001]);
    expect(summary.select(0, 500, Infinity)).toEqual([1, 500]);
    expect(summary.select(0, 995, Infinity)).toEqual([1, 990, 995]);
    expect(summary.select(990, Infinity, Infinity)).toEqual([1_001]);
  });
});
