import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasQueue } from "../../src/domain/agent.ts";
import { isAtWork, placeOf } from "../../src/domain/place.ts";
import type { Task } from "../../src/domain/task.ts";
import { life } from "./arbitrary.ts";

const RUNS = { numRuns: 200 };

describe("whatever is asked of a task, between it and its agents", { timeout: 30_000 }, () => {
  it("what begins again by itself goes to nobody whom people had taken it from", () => {
    fc.assert(
      fc.property(life, ({ moves }) => {
        for (const { before, command, task } of moves) {
          if (command.type === "retry" || command.type === "decline") continue;
          expect(task.excludedAgentIds).toEqual(before.excludedAgentIds);
        }
      }),
      RUNS,
    );
  });

  it("its agent is at work from started, resumed or people's word on until it stops; else it waits", () => {
    fc.assert(
      fc.property(life, ({ moves }) => {
        for (const { before, decided, task } of moves) {
          let openedSeq = before.openedSeq;
          let { seq } = before;
          for (const event of decided.ok ? decided.value : []) {
            seq += 1;
            if (OPENS.has(event.type)) openedSeq = seq;
            else if (PEOPLE.has(event.type)) openedSeq = hasQueue(before.terms) ? 0 : seq;
            else if (STOPS.has(event.type)) openedSeq = 0;
          }
          expect(task.openedSeq).toBe(openedSeq);
          expect(isAtWork(task)).toBe(openedSeq > 0);
          const isUnderWay = ["assigned", "in_progress"].includes(task.status);
          expect(openedSeq === 0 || task.status === "in_progress").toBe(true);
          const place = openedSeq > 0 ? "held" : "waiting";
          expect(placeOf(task)).toBe(hasQueue(task.terms) && isUnderWay ? place : "none");
        }
      }),
      RUNS,
    );
  });

  it("whatever its agent's queue goes by has a new version whenever it changes", () => {
    fc.assert(
      fc.property(life, ({ moves }) => {
        for (const { before, task } of moves) {
          expect(task.placedSeq).toBeGreaterThanOrEqual(before.placedSeq);
          expect(task.placedSeq).toBeLessThanOrEqual(task.seq);
          if (task.placedSeq === before.placedSeq)
            expect(seenByQueue(task)).toEqual(seenByQueue(before));
        }
      }),
      RUNS,
    );
  });

  it("tokens and spend only grow, over all attempts, by what the log tells", () => {
    fc.assert(
      fc.property(life, ({ moves }) => {
        for (const { before, decided, task } of moves) {
          let [cost, toolCalls] = [before.spend.cost, before.spend.toolCalls];
          let { input, output } = before.tokens;
          for (const { data } of decided.ok ? decided.value : []) {
            const calls = "calls" in data ? data.calls : [];
            const use = "use" in data ? data.use : undefined;
            cost += calls.reduce((sum, call) => sum + call.cost, 0) + (use?.cost ?? 0);
            toolCalls += calls.length;
            input += use?.inputTokens ?? 0;
            output += use?.outputTokens ?? 0;
          }
          expect(task.spend).toEqual({ cost, toolCalls });
          expect(task.tokens).toEqual({ input, output });
        }
      }),
      RUNS,
    );
  });
});

const OPENS: ReadonlySet<string> = new Set(["started", "resumed"]);
const PEOPLE: ReadonlySet<string> = new Set(["responded", "changes_requested"]);
const STOPS: ReadonlySet<string> = new Set([
  "blocked",
  "submitted",
  "completed",
  "failed",
  "cancelled",
  "retried",
]);

function seenByQueue(task: Task) {
  const { agentId, priority, deadline } = task;
  return { place: placeOf(task), agentId, priority, deadline };
}
