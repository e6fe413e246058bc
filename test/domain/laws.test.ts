import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitAt, nextWakeAt, type Pace } from "../../src/domain/clockwork.ts";
import { hasQueue } from "../../src/domain/agent.ts";
import type { EventType, NewEvent, TaskEvent } from "../../src/domain/events.ts";
import { fold } from "../../src/domain/fold.ts";
import type { Task, TaskStatus } from "../../src/domain/task.ts";
import { decide } from "../../src/domain/transitions.ts";
import { life } from "./arbitrary.ts";

const RUNS = { numRuns: 400 };
/** Always the same lives, as whether they are enough must not depend on chance. */
const SAMPLE = { numRuns: 400, seed: 4 };
const KEPT_FOR_EVER: Pace = { stepIntervalMs: 500, retentionMs: null };
const KEPT_A_DAY: Pace = { stepIntervalMs: 500, retentionMs: 86_400_000 };

const LIVE: readonly TaskStatus[] = ["pending", "assigned", "in_progress", "blocked", "review"];
const same = (...statuses: readonly TaskStatus[]) =>
  Object.fromEntries(statuses.map((status) => [status, status]));

/** Which event may stand where in a log and what it makes of the status; `none`: before the first. */
const PATH: Readonly<Record<EventType, Partial<Record<TaskStatus | "none", TaskStatus>>>> = {
  created: { none: "pending" },
  assigned: { pending: "assigned" },
  declined: { assigned: "pending" },
  started: { assigned: "in_progress" },
  resumed: { in_progress: "in_progress" },
  // A call that was under way is paid for in the log, though the task has meanwhile stopped.
  progressed: same(...LIVE),
  blocked: { in_progress: "blocked" },
  responded: { blocked: "in_progress" },
  submitted: { in_progress: "review" },
  approved: { review: "review" },
  changes_requested: { review: "in_progress" },
  completed: { in_progress: "completed", review: "completed" },
  failed: Object.fromEntries(LIVE.map((status) => [status, "failed" as const])),
  cancelled: Object.fromEntries(LIVE.map((status) => [status, "cancelled" as const])),
  // From work only where it begins again by itself: see below.
  retried: { failed: "pending", in_progress: "pending" },
  updated: same(...LIVE, "failed"),
  rated: { completed: "completed" },
};

/** Each end of an attempt, and what may stand behind it. */
const ENDS: ReadonlyMap<EventType, readonly EventType[]> = new Map([
  ["completed", ["rated"]],
  ["failed", ["updated"]],
  ["cancelled", []],
]);

describe(
  "whatever is asked of a task, in whatever order and at whatever time",
  { timeout: 30_000 },
  () => {
    it("random lives hold every type of event, or what follows would prove little", () => {
      const seen = new Set(
        fc.sample(life, SAMPLE).flatMap(({ log }) => log.map(({ type }) => type)),
      );
      expect([...seen].toSorted()).toEqual(Object.keys(PATH).toSorted());
    });

    it("its log is one legal path that ends in its status, numbered from 1 without gaps", () => {
      fc.assert(
        fc.property(life, ({ log, states }) => {
          let status: TaskStatus | "none" = "none";
          for (const [index, event] of log.entries()) {
            expect(event.seq).toBe(index + 1);
            const next: TaskStatus | undefined = PATH[event.type][status];
            if (next === undefined) throw new Error(`${event.type} stands after ${status}`);
            status = next;
          }
          expect(states.at(-1)?.task.status).toBe(status);
        }),
        RUNS,
      );
    });

    it("an attempt ends at most once, and after the end stands nothing but ratings and updates", () => {
      fc.assert(
        fc.property(life, ({ log }) => {
          for (const attempt of attemptsOf(log)) {
            const ended = attempt.findIndex(({ type }) => ENDS.has(type));
            const end = attempt[ended];
            const behind = end === undefined ? [] : attempt.slice(ended + 1);
            const allowed = end === undefined ? [] : (ENDS.get(end.type) ?? []);
            expect(behind.filter(({ type }) => !allowed.includes(type))).toEqual([]);
          }
        }),
        RUNS,
      );
    });

    it("after an end of any kind it stands still until somebody retries it", () => {
      fc.assert(
        fc.property(life, ({ log }) => {
          let isOver = false;
          for (const event of log) {
            if (isOver && event.type === "retried") {
              expect(event.data.automatic).toBeUndefined();
              isOver = false;
            }
            if (!ENDS.has(event.type)) continue;
            expect(isOver).toBe(false);
            isOver = true;
          }
        }),
        RUNS,
      );
    });

    it("attempts count from 1; people retry a failure, and only what did not fail begins again by itself", () => {
      fc.assert(
        fc.property(life, ({ log, states }) => {
          const attempts = attemptsOf(log);
          for (const [index, attempt] of attempts.slice(0, -1).entries()) {
            const next = attempts[index + 1]?.[0];
            if (next?.type !== "retried") throw new Error("An attempt must begin with retried");
            const hasFailed = attempt.some(({ type }) => type === "failed");
            expect(hasFailed).toBe(next.data.automatic === undefined);
            expect(next.data.attempt).toBe(index + 2);
          }
          const task = states.at(-1)?.task;
          expect(task?.attempt).toBe(attempts.length);
          expect(task?.attempts.map(({ attempt }) => attempt)).toEqual(
            attempts.slice(0, -1).map((_, index) => index + 1),
          );
        }),
        RUNS,
      );
    });

    it("progress is whole, never goes back within an attempt, and is 100 when completed only", () => {
      fc.assert(
        fc.property(life, ({ states }) => {
          let [attempt, progress] = [1, 0];
          for (const { task } of states) {
            const least = task.attempt === attempt ? progress : 0;
            const most = task.status === "completed" ? 100 : 99;
            const isCompleted = most === 100;
            const isLawful =
              Number.isInteger(task.progress) &&
              task.progress >= (isCompleted ? 100 : least) &&
              task.progress <= most;
            expect(isLawful, `${task.progress} of a task that is ${task.status}`).toBe(true);
            ({ attempt, progress } = task);
          }
        }),
        RUNS,
      );
    });

    it("replaying the stored log gives the very state that was lived", () => {
      fc.assert(
        fc.property(life, ({ log, states }) => {
          const stored: TaskEvent[] = log.map((event) => JSON.parse(JSON.stringify(event)));
          expect(fold(stored)).toEqual(states.at(-1)?.task);
        }),
        RUNS,
      );
    });

    it("wakes by itself while work is owed, a limit stands or it is to be deleted", () => {
      fc.assert(
        fc.property(life, ({ states }) => {
          for (const { task, now } of states) {
            const wake = nextWakeAt(task, null, KEPT_FOR_EVER, now);
            const limit = limitAt(task);
            expect(wake !== null).toBe(owesWork(task) || limit !== null);
            expect(wake ?? 0).toBeLessThanOrEqual(limit ?? Infinity);
            const ended = !LIVE.includes(task.status);
            expect(nextWakeAt(task, null, KEPT_A_DAY, now) !== null).toBe(wake !== null || ended);
          }
        }),
        RUNS,
      );
    });

    it("no limit outlives its moment: at that moment a tick fails the task for it", () => {
      fc.assert(
        fc.property(life, ({ states }) => {
          for (const { task } of states) {
            const limit = limitAt(task);
            if (limit === null) continue;
            const early = ticked(task, limit - 1);
            expect(early.filter(({ type }) => type === "failed")).toEqual(
              leaseEndsBy(task, limit - 1) ? early.filter(isLeaseLost) : [],
            );
            const due = ticked(task, limit);
            expect(due.map(({ type }) => type)).toEqual(["failed"]);
            expect(due.some(isLeaseLost)).toBe(false);
          }
        }),
        RUNS,
      );
    });
  },
);

/**
 * What a task itself must wake up for. It owes nothing while somebody else has the next word: people
 * (blocked, review), or its agent's queue, which gives it a place or a worker; nor once it has ended.
 */
function owesWork(task: Task): boolean {
  if (task.status === "pending") return true;
  const isTurnOfQueue = hasQueue(task.terms) && task.openedSeq === 0;
  return ["assigned", "in_progress"].includes(task.status) && !isTurnOfQueue;
}

function ticked(task: Task, now: number): readonly NewEvent[] {
  const decided = decide(task, { type: "tick", jitter: 0.5 }, now);
  if (!decided.ok) throw new Error(decided.failure.kind);
  return decided.value;
}

function leaseEndsBy(task: Task, now: number): boolean {
  return task.openedSeq > 0 && task.lease !== null && task.lease.expiresAt <= now;
}

function isLeaseLost(event: NewEvent): boolean {
  return event.type === "failed" && event.data.error.code === "LEASE_EXPIRED";
}

/** A log cut where a retry begins a new attempt. */
function attemptsOf(log: readonly TaskEvent[]): TaskEvent[][] {
  const attempts: TaskEvent[][] = [[]];
  for (const event of log) {
    if (event.type === "retried") attempts.push([]);
    attempts.at(-1)?.push(event);
  }
  return attempts;
}
