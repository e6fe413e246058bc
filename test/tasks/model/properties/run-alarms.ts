import {
  nextAlarmAt,
  purgeAt,
  workDueAt,
  type TaskTiming,
} from "../../../../src/tasks/model/schedule.ts";
import { hasQueue, isExternalExecutor } from "../../../../src/agents/model/agent.ts";
import type { TaskCommand } from "../../../../src/tasks/model/command.ts";
import { applyEvent } from "../../../../src/tasks/model/fold.ts";
import { ASSIGNMENT_RETRY_MAX_MS, ASSIGNMENT_RETRY_MIN_MS } from "../../../../src/tasks/limits.ts";
import { isActive, type Task, workStartSeqOf } from "../../../../src/tasks/model/task.ts";
import { decide } from "../../../../src/tasks/model/decide.ts";
import {
  markTurnStarted,
  isCurrentTurn,
  createNextTurn,
  scheduleResend,
  type DispatchedTurn,
} from "../../../../src/tasks/model/turn.ts";
import type { Rng } from "../../../support/rng.ts";
import { AGENT_ERROR, choice, OUTCOME, QUEUED, UNQUEUED } from "../fixtures.ts";
import { ensure } from "./property.ts";

/** More wakes than any task needs that is left to itself, but for one that nobody fits. */
const WAKES_MAX = 40;
/** Steps and turns after which an agent is done, or gives up. */
const STEPS_MAX = 8;

interface Awake {
  readonly task: Task;
  readonly turn: DispatchedTurn | null;
}

/** Turns as they may lie beside a task: none, one of work that is over, one on its way or begun. */
export function drawTurn(rng: Rng, task: Task, now: number): DispatchedTurn | null {
  if (!isExternalExecutor(task.terms.executor)) return null;
  const turn = createNextTurn(task, null, { afterMs: rng.below(3) * 1_000, isFailure: false }, now);
  switch (rng.below(4)) {
    case 0:
      return null;
    case 1:
      return { ...turn, openedSeq: workStartSeqOf(task) - 1 };
    case 2:
      return markTurnStarted(turn, now);
    default:
      return turn;
  }
}

/**
 * Leaves a task to its wake-ups alone, and does at each what its object's alarm would: a wake must
 * change the task or be followed by a later one, and none may come more often than it has to.
 */
export function runAlarms(
  task: Task,
  turn: DispatchedTurn | null,
  pace: TaskTiming,
  from: number,
  rng: Rng,
): void {
  let awake: Awake = { task, turn };
  let clock = from;
  for (let wakes = 0; wakes < WAKES_MAX; wakes += 1) {
    const at = nextAlarmAt(awake.task, awake.turn, pace, clock);
    if (at === null) return;
    clock = Math.max(clock, at);
    const deletedAt = purgeAt(awake.task, pace);
    if (deletedAt !== null && deletedAt <= clock) return;
    const before = awake.task;
    awake = advanced(awake, pace, clock, wakes >= STEPS_MAX, rng);
    const next = nextAlarmAt(awake.task, awake.turn, pace, clock);
    const isLater = next === null || next > clock;
    ensure(isLater || awake.task.seq > before.seq, () => {
      return `woken at ${at}, and again at ${next}, though nothing came of it: ${before.status}`;
    });
    if (isUnfit(awake.task) && next !== null) mustBackOff(awake.task, next - clock);
  }
  ensure(isUnfit(awake.task), () => `${awake.task.status} after ${WAKES_MAX} wakes, and goes on`);
}

/** It waits for an agent that fits, which nothing of its own can bring. */
function isUnfit({ status, agentId }: Task): boolean {
  return status === "pending" && agentId === null;
}

function mustBackOff({ deadline }: Task, pauseMs: number): void {
  const isSoon = pauseMs < ASSIGNMENT_RETRY_MIN_MS && deadline === null;
  const isLate = pauseMs > ASSIGNMENT_RETRY_MAX_MS;
  ensure(!isSoon && !isLate, () => `it looks for an agent again after ${pauseMs} ms`);
}

/** A task as its alarm leaves it: time first, then at most one stage of work. */
function advanced(awake: Awake, pace: TaskTiming, now: number, isDone: boolean, rng: Rng): Awake {
  const task = after(awake.task, { type: "tick", jitter: rng.next() }, now);
  const due = workDueAt(task, awake.turn, pace, task.lastStepAt);
  if (due === null || due > now) return { ...awake, task };
  if (!isActive(task)) return { ...awake, task: begun(task, now, rng) };
  if (task.terms.executor === "builtin") {
    return { ...awake, task: after(task, stepOf(task, isDone), now) };
  }
  const { turn } = awake;
  if (isDone) return { ...awake, task: after(task, failureOf(task), now) };
  if (isCurrentTurn(task, turn) && !turn.hasBegun) return { task, turn: scheduleResend(turn, now) };
  const isFailure = isCurrentTurn(task, turn);
  return { task, turn: createNextTurn(task, turn, { afterMs: 0, isFailure }, now) };
}

/** Assigned where somebody fits, and set to work where no queue stands before it. */
function begun(task: Task, now: number, rng: Rng): Task {
  if (task.status === "assigned") return after(task, { type: "start" }, now);
  const chosen = task.choice ?? (rng.oneIn(4) ? choice("ada") : null);
  if (chosen === null) return task;
  const terms = rng.pick([UNQUEUED, QUEUED, task.terms]);
  const assigned = after(task, { type: "assign", choice: chosen, terms }, now);
  return hasQueue(terms) ? assigned : after(assigned, { type: "start" }, now);
}

function stepOf({ attempt, progress }: Task, isDone: boolean): TaskCommand {
  if (isDone) return { type: "complete", attempt, outcome: OUTCOME, calls: [] };
  const data = { progress: progress + 10, phase: "drafting", calls: [], work: {} };
  return { type: "progress", attempt, data };
}

function failureOf({ attempt }: Task): TaskCommand {
  return { type: "fail", attempt, error: AGENT_ERROR, calls: [] };
}

function after(task: Task, command: TaskCommand, now: number): Task {
  const decided = decide(task, command, now);
  ensure(decided.ok, () => `${command.type} was refused of what is ${task.status}`);
  return decided.value.reduce<Task>(
    (told, event) => applyEvent(told, { ...event, seq: told.seq + 1, at: now }),
    task,
  );
}
