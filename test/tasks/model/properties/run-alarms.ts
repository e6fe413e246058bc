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

/** More alarms than any task needs without requests, unless no agent is suitable. */
const WAKES_MAX = 40;
/** The number of steps or turns after which an agent completes or fails its task. */
const STEPS_MAX = 8;
/**
 * After this many alarms, no agent is suitable, so a task assigned before then has enough alarms
 * left to finish.
 */
const SEARCHES_MAX = 20;

interface AlarmState {
  readonly task: Task;
  readonly turn: DispatchedTurn | null;
}

/**
 * Draws a possible turn of a task: none, one left from earlier work, or one that was sent or
 * started.
 */
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
 * Runs a task's alarms, with no requests in between, and does what the alarm handler would do. Each
 * alarm must change the task or be followed by a later one, and alarms must not run more often than
 * necessary.
 */
export function runAlarms(
  task: Task,
  turn: DispatchedTurn | null,
  pace: TaskTiming,
  from: number,
  rng: Rng,
): void {
  let awake: AlarmState = { task, turn };
  let clock = from;
  for (let wakes = 0; wakes < WAKES_MAX; wakes += 1) {
    const at = nextAlarmAt(awake.task, awake.turn, pace, clock);
    if (at === null) return;
    clock = Math.max(clock, at);
    const deletedAt = purgeAt(awake.task, pace);
    if (deletedAt !== null && deletedAt <= clock) return;
    const before = awake.task;
    awake = runAlarm(awake, pace, clock, wakes, rng);
    const next = nextAlarmAt(awake.task, awake.turn, pace, clock);
    const isLater = next === null || next > clock;
    ensure(isLater || awake.task.seq > before.seq, () => {
      return `the alarm at ${at} changed nothing, but the next one is at ${next}: ${before.status}`;
    });
    if (lacksAgent(awake.task) && next !== null) ensureBackoff(awake.task, next - clock);
  }
  const next = nextAlarmAt(awake.task, awake.turn, pace, clock);
  const isDone = next === purgeAt(awake.task, pace);
  ensure(
    isDone || lacksAgent(awake.task),
    () => `still ${awake.task.status} after ${WAKES_MAX} alarms`,
  );
}

/** Whether the task is still waiting for an agent. */
function lacksAgent({ status, agentId }: Task): boolean {
  return status === "pending" && agentId === null;
}

function ensureBackoff({ deadline }: Task, pauseMs: number): void {
  const isSoon = pauseMs < ASSIGNMENT_RETRY_MIN_MS && deadline === null;
  const isLate = pauseMs > ASSIGNMENT_RETRY_MAX_MS;
  ensure(!isSoon && !isLate, () => `the next search for an agent is after ${pauseMs} ms`);
}

/** Returns the task after an alarm: first the effects of time, then at most one step of work. */
function runAlarm(
  awake: AlarmState,
  pace: TaskTiming,
  now: number,
  wakes: number,
  rng: Rng,
): AlarmState {
  const isDone = wakes >= STEPS_MAX;
  const task = after(awake.task, { type: "expire", jitter: rng.next() }, now);
  const due = workDueAt(task, awake.turn, pace, task.lastStepAt);
  if (due === null || due > now) return { ...awake, task };
  if (!isActive(task)) {
    const isAgentFree = wakes < SEARCHES_MAX && rng.oneIn(4);
    return { ...awake, task: startTask(task, now, isAgentFree, rng) };
  }
  if (task.terms.executor === "builtin") {
    return { ...awake, task: after(task, stepOf(task, isDone), now) };
  }
  const { turn } = awake;
  if (isDone) return { ...awake, task: after(task, failureOf(task), now) };
  if (isCurrentTurn(task, turn) && !turn.hasBegun) return { task, turn: scheduleResend(turn, now) };
  const isFailure = isCurrentTurn(task, turn);
  return { task, turn: createNextTurn(task, turn, { afterMs: 0, isFailure }, now) };
}

/** Assigns the task if an agent is suitable, and starts it if the agent has no queue. */
function startTask(task: Task, now: number, isAgentFree: boolean, rng: Rng): Task {
  if (task.status === "assigned") return after(task, { type: "start" }, now);
  const chosen = task.choice ?? (isAgentFree ? choice("ada") : null);
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
  ensure(decided.ok, () => `${command.type} was rejected in status ${task.status}`);
  return decided.value.reduce<Task>(
    (current, event) => applyEvent(current, { ...event, seq: current.seq + 1, at: now }),
    task,
  );
}
