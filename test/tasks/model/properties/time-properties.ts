import { hasQueue } from "../../../../src/agents/model/agent.ts";
import { costEndsAt } from "../../../../src/tasks/model/agent-cost.ts";
import { expiresAt, nextAlarmAt, type TaskTiming } from "../../../../src/tasks/model/schedule.ts";
import type { NewTaskEvent } from "../../../../src/tasks/model/events.ts";
import { type Task, workStartSeqOf } from "../../../../src/tasks/model/task.ts";
import { decide } from "../../../../src/tasks/model/decide.ts";
import { LIVE } from "../../../../scripts/proof/check/transitions.ts";
import type { RunStep } from "./run-task.ts";
import { ensure, type Property } from "./property.ts";
import { drawTurn, runAlarms } from "./run-alarms.ts";

export const KEPT_INDEFINITELY: TaskTiming = { stepIntervalMs: 500, retentionMs: null };
const KEPT_A_DAY: TaskTiming = { stepIntervalMs: 500, retentionMs: 86_400_000 };
const PACES = [KEPT_A_DAY, KEPT_INDEFINITELY, { stepIntervalMs: 0, retentionMs: null }] as const;

export const TIME_PROPERTIES: readonly Property[] = [
  {
    claim:
      "a task has an alarm while work is pending, a limit is set, or its deletion is due later",
    observe: () => setsAlarm,
  },
  {
    claim: "the command `expire` at a limit fails the task",
    observe: () => enforcesLimits,
  },
  {
    claim: "each alarm changes the task or sets a later one, until no work is pending",
    observe: () => noBusyLoop,
  },
];

function setsAlarm({ task, now, rng }: RunStep): void {
  const turn = drawTurn(rng, task, now);
  const wake = nextAlarmAt(task, turn, KEPT_INDEFINITELY, now);
  const limit = expiresAt(task);
  const uncovered = costEndsAt(task);
  const isPending = hasPendingWork(task) || limit !== null || uncovered !== null;
  ensure(
    (wake !== null) === isPending,
    () => `alarm at ${wake} with ${isPending ? "pending" : "no pending"} work`,
  );
  ensure(wake === null || Number.isFinite(wake), () => `its alarm is at ${wake}`);
  const least = Math.min(limit ?? Infinity, uncovered ?? Infinity);
  ensure((wake ?? 0) <= least, () => `its alarm is at ${wake}, after ${least}`);
  const isOver = turn !== null && turn.openedSeq !== workStartSeqOf(task);
  const alone = isOver ? nextAlarmAt(task, null, KEPT_INDEFINITELY, now) : wake;
  ensure(wake === alone, () => `an outdated turn delays its alarm to ${wake}`);
  const isKept = nextAlarmAt(task, turn, KEPT_A_DAY, now) === null;
  ensure(isKept === (wake === null && LIVE.includes(task.status)), () => "no alarm deletes it");
}

/**
 * Whether the task itself must set an alarm. No work is pending while the task waits for people
 * (blocked or in review) or for its agent's queue, or after it has ended.
 */
function hasPendingWork(task: Task): boolean {
  if (task.status === "pending") return true;
  const isTurnOfQueue = hasQueue(task.terms) && workStartSeqOf(task) === 0;
  return ["assigned", "in_progress"].includes(task.status) && !isTurnOfQueue;
}

function enforcesLimits({ task }: RunStep): void {
  const limit = expiresAt(task);
  if (limit === null) return;
  const isCovered = (costEndsAt(task) ?? Infinity) > limit - 1;
  const early = eventsOfExpiry(task, limit - 1).filter(({ type }) => type === "failed");
  ensure(early.every(isLeaseLost) || !isCovered, () => "it failed before its limit");
  const due = eventsOfExpiry(task, limit);
  const isFailed = due.length === 1 && due[0]?.type === "failed" && !isLeaseLost(due[0]);
  ensure(isFailed, () => `the command expire at the limit resulted in ${JSON.stringify(due)}`);
}

function eventsOfExpiry(task: Task, now: number): readonly NewTaskEvent[] {
  const decided = decide(task, { type: "expire", jitter: 0.5 }, now);
  ensure(decided.ok, () => "expire was rejected");
  return decided.value;
}

function isLeaseLost(event: NewTaskEvent): boolean {
  return event.type === "failed" && event.data.error.code === "LEASE_EXPIRED";
}

/** Checked only at some steps, because each check runs dozens of alarms. */
function noBusyLoop({ task, now, rng }: RunStep): void {
  if (rng.oneIn(12)) runAlarms(task, drawTurn(rng, task, now), rng.pick(PACES), now, rng);
}
