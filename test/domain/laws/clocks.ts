import { hasQueue } from "../../../src/agents/model/agent.ts";
import { expiresAt, nextAlarmAt, type TaskTiming } from "../../../src/tasks/model/schedule.ts";
import type { NewTaskEvent } from "../../../src/tasks/model/events.ts";
import { type Task, workStartSeqOf } from "../../../src/tasks/model/task.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import { LIVE } from "../../../scripts/proof/check/legal.ts";
import type { Step } from "../living.ts";
import { must, type Law } from "./law.ts";
import { turnOf, wakeThrough } from "./wakes.ts";

export const KEPT_FOR_EVER: TaskTiming = { stepIntervalMs: 500, retentionMs: null };
const KEPT_A_DAY: TaskTiming = { stepIntervalMs: 500, retentionMs: 86_400_000 };
const PACES = [KEPT_A_DAY, KEPT_FOR_EVER, { stepIntervalMs: 0, retentionMs: null }] as const;

export const CLOCK_LAWS: readonly Law[] = [
  {
    says: "it wakes by itself while work is owed, a limit stands or it is to be deleted",
    watch: () => wakes,
  },
  {
    says: "no limit outlives its moment: at that moment a tick fails the task for it",
    watch: () => limits,
  },
  {
    says: "each wake brings it forward or leads to a later one, until nothing is owed",
    watch: () => noBusyLoop,
  },
];

function wakes({ task, now, dice }: Step): void {
  const turn = turnOf(dice, task, now);
  const wake = nextAlarmAt(task, turn, KEPT_FOR_EVER, now);
  const limit = expiresAt(task);
  const isOwed = owesWork(task) || limit !== null;
  must((wake !== null) === isOwed, () => `${wake} of what owes ${isOwed ? "work" : "nothing"}`);
  must(wake === null || Number.isFinite(wake), () => `it wakes at ${wake}`);
  must((wake ?? 0) <= (limit ?? Infinity), () => `it wakes at ${wake}, after ${limit}`);
  const isOver = turn !== null && turn.openedSeq !== workStartSeqOf(task);
  const alone = isOver ? nextAlarmAt(task, null, KEPT_FOR_EVER, now) : wake;
  must(wake === alone, () => `a turn of work that is over puts its wake off to ${wake}`);
  const isKept = nextAlarmAt(task, turn, KEPT_A_DAY, now) === null;
  must(isKept === (wake === null && LIVE.includes(task.status)), () => "nobody deletes it");
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

function limits({ task }: Step): void {
  const limit = expiresAt(task);
  if (limit === null) return;
  const early = ticked(task, limit - 1).filter(({ type }) => type === "failed");
  must(early.every(isLeaseLost), () => "it failed before its limit");
  const due = ticked(task, limit);
  const isFailed = due.length === 1 && due[0]?.type === "failed" && !isLeaseLost(due[0]);
  must(isFailed, () => `at its limit came ${JSON.stringify(due)}`);
}

function ticked(task: Task, now: number): readonly NewTaskEvent[] {
  const decided = decide(task, { type: "tick", jitter: 0.5 }, now);
  must(decided.ok, () => "a tick was refused");
  return decided.value;
}

function isLeaseLost(event: NewTaskEvent): boolean {
  return event.type === "failed" && event.data.error.code === "LEASE_EXPIRED";
}

/** Tried on some steps, as each costs dozens of wakes. */
function noBusyLoop({ task, now, dice }: Step): void {
  if (dice.oneIn(12)) wakeThrough(task, turnOf(dice, task, now), dice.of(PACES), now, dice);
}
