import { hasQueue } from "../../../../src/agents/model/agent.ts";
import { expiresAt, nextAlarmAt, type TaskTiming } from "../../../../src/tasks/model/schedule.ts";
import type { NewTaskEvent } from "../../../../src/tasks/model/events.ts";
import { type Task, workStartSeqOf } from "../../../../src/tasks/model/task.ts";
import { decide } from "../../../../src/tasks/model/decide.ts";
import { LIVE } from "../../../../scripts/proof/check/legal.ts";
import type { RunStep } from "./run-task.ts";
import { ensure, type Property } from "./property.ts";
import { drawTurn, runAlarms } from "./run-alarms.ts";

export const KEPT_INDEFINITELY: TaskTiming = { stepIntervalMs: 500, retentionMs: null };
const KEPT_A_DAY: TaskTiming = { stepIntervalMs: 500, retentionMs: 86_400_000 };
const PACES = [KEPT_A_DAY, KEPT_INDEFINITELY, { stepIntervalMs: 0, retentionMs: null }] as const;

export const TIME_PROPERTIES: readonly Property[] = [
  {
    claim: "it wakes by itself while work is owed, a limit stands or it is to be deleted",
    observe: () => wakes,
  },
  {
    claim: "no limit outlives its moment: at that moment a tick fails the task for it",
    observe: () => limits,
  },
  {
    claim: "each wake brings it forward or leads to a later one, until nothing is owed",
    observe: () => noBusyLoop,
  },
];

function wakes({ task, now, dice: rng }: RunStep): void {
  const turn = drawTurn(rng, task, now);
  const wake = nextAlarmAt(task, turn, KEPT_INDEFINITELY, now);
  const limit = expiresAt(task);
  const isOwed = owesWork(task) || limit !== null;
  ensure((wake !== null) === isOwed, () => `${wake} of what owes ${isOwed ? "work" : "nothing"}`);
  ensure(wake === null || Number.isFinite(wake), () => `it wakes at ${wake}`);
  ensure((wake ?? 0) <= (limit ?? Infinity), () => `it wakes at ${wake}, after ${limit}`);
  const isOver = turn !== null && turn.openedSeq !== workStartSeqOf(task);
  const alone = isOver ? nextAlarmAt(task, null, KEPT_INDEFINITELY, now) : wake;
  ensure(wake === alone, () => `a turn of work that is over puts its wake off to ${wake}`);
  const isKept = nextAlarmAt(task, turn, KEPT_A_DAY, now) === null;
  ensure(isKept === (wake === null && LIVE.includes(task.status)), () => "nobody deletes it");
}

/**
 * What a task itself must wake up for. It owes nothing while somebody else has the next word: people
 * (blocked, review), or its agent's queue, which gives it a place or a worker; nor once it has ended.
 */
function owesWork(task: Task): boolean {
  if (task.status === "pending") return true;
  const isTurnOfQueue = hasQueue(task.terms) && workStartSeqOf(task) === 0;
  return ["assigned", "in_progress"].includes(task.status) && !isTurnOfQueue;
}

function limits({ task }: RunStep): void {
  const limit = expiresAt(task);
  if (limit === null) return;
  const early = ticked(task, limit - 1).filter(({ type }) => type === "failed");
  ensure(early.every(isLeaseLost), () => "it failed before its limit");
  const due = ticked(task, limit);
  const isFailed = due.length === 1 && due[0]?.type === "failed" && !isLeaseLost(due[0]);
  ensure(isFailed, () => `at its limit came ${JSON.stringify(due)}`);
}

function ticked(task: Task, now: number): readonly NewTaskEvent[] {
  const decided = decide(task, { type: "tick", jitter: 0.5 }, now);
  ensure(decided.ok, () => "a tick was refused");
  return decided.value;
}

function isLeaseLost(event: NewTaskEvent): boolean {
  return event.type === "failed" && event.data.error.code === "LEASE_EXPIRED";
}

/** Tried on some steps, as each costs dozens of wakes. */
function noBusyLoop({ task, now, dice: rng }: RunStep): void {
  if (rng.oneIn(12)) runAlarms(task, drawTurn(rng, task, now), rng.pick(PACES), now, rng);
}
