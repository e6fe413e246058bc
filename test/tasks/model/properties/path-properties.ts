import type { TaskEventType, TaskEvent } from "../../../../src/tasks/model/events.ts";
import { blockOf, endedAtOf, type Task } from "../../../../src/tasks/model/task.ts";
import {
  EMPTY_LOG,
  LIVE,
  stateAfter,
  type LogState,
} from "../../../../scripts/proof/check/transitions.ts";
import type { RunStep } from "./run-task.ts";
import { ensure, type Property } from "./property.ts";

/** The events that end an attempt, and the events that may follow each of them. */
const ENDS: ReadonlyMap<TaskEventType, readonly TaskEventType[]> = new Map([
  ["completed", ["rated"]],
  ["failed", ["updated"]],
  ["cancelled", []],
]);

/** The fields that may still change after a task is completed or cancelled. */
const MUTABLE_FIELDS: ReadonlySet<string> = new Set([
  "seq",
  "directoryVersion",
  "updatedAt",
  "feedback",
]);

export const PATH_PROPERTIES: readonly Property[] = [
  {
    claim:
      "a task's log is a valid sequence that leads to the task's status, numbered from 1 without gaps",
    observe: () => legalPath,
  },
  {
    claim: "an attempt ends at most once, and only ratings and updates follow its end",
    observe: endsAttemptsOnce,
  },
  {
    claim:
      "attempts are numbered from 1, people retry failed attempts, and only other attempts are retried automatically",
    observe: attempts,
  },
  {
    claim: "a completed or cancelled task does not change, except for ratings",
    observe: () => staysUnchanged,
  },
  {
    claim:
      "progress is an integer, never decreases within an attempt, and is 100 only when completed",
    observe: () => progress,
  },
  { claim: "a task's timestamps are those of its events, in order", observe: () => times },
];

function legalPath({ before, events, task }: RunStep): void {
  let state = logStateOf(before);
  let seq = before?.seq ?? 0;
  for (const event of events) {
    ensure(event.seq === seq + 1, () => `event ${event.seq} follows ${seq}`);
    const { status } = state;
    const next = stateAfter(event, state);
    ensure(next !== undefined, () => `${event.type} follows ${status}`);
    const isReturned = event.type === "declined" && event.data.released === true;
    const mayDecline = event.type !== "declined" || isReturned === (status === "in_progress");
    ensure(mayDecline, () => `declined after ${status}, released: ${isReturned}`);
    [state, seq] = [next, event.seq];
  }
  const { status } = state;
  ensure(task.status === status, () => `${task.status} after a log that ends in ${status}`);
  ensure(task.seq === seq, () => `version ${task.seq} after event ${seq}`);
}

function logStateOf(task: Task | null): LogState {
  if (task === null) return EMPTY_LOG;
  const pending = task.approvals.filter(
    ({ status, attempt }) => status === "pending" && attempt === task.attempt,
  );
  return {
    status: task.status,
    pending: pending.map(({ approvalId }) => approvalId),
    awaited: blockOf(task)?.approvalIds ?? [],
  };
}

function endsAttemptsOnce(): (step: RunStep) => void {
  let end: TaskEventType | null = null;
  return ({ events, task }) => {
    for (const { type } of events) {
      // A call that was being made when its attempt ended is settled later.
      if (type === "call_settled") continue;
      if (type === "retried") {
        end = null;
        continue;
      }
      const last: TaskEventType | null = end;
      ensure(
        last === null || ENDS.get(last)?.includes(type) === true,
        () => `${type} after ${last}`,
      );
      if (ENDS.has(type)) end = type;
    }
    const isOver = !LIVE.includes(task.status);
    ensure(isOver === (end !== null), () => `${task.status} after ${end ?? "no end"}`);
  };
}

function attempts(): (step: RunStep) => void {
  let count = 1;
  let end: TaskEventType | null = null;
  return ({ events, task }) => {
    for (const event of events) {
      if (ENDS.has(event.type)) end = event.type;
      if (event.type !== "retried") continue;
      const { automatic, attempt } = event.data;
      const isByPeople = automatic === undefined;
      ensure(
        isByPeople ? end === "failed" : end === null,
        () => `retried after ${end ?? "no end"}`,
      );
      ensure(attempt === count + 1, () => `attempt ${attempt} after ${count}`);
      [count, end] = [attempt, null];
    }
    ensure(task.attempt === count, () => `attempt ${task.attempt} of ${count}`);
    const earlier = task.attempts.at(-1)?.attempt ?? 0;
    ensure(earlier === count - 1, () => `the attempt before ${count} is recorded as ${earlier}`);
    ensure(
      task.attempts.length === earlier,
      () => `${task.attempts.length} attempts before ${count}`,
    );
  };
}

function staysUnchanged({ before, task }: RunStep): void {
  if (before === null || (before.status !== "completed" && before.status !== "cancelled")) return;
  if (before === task) return;
  for (const [name, value] of entriesOf(task)) {
    ensure(
      MUTABLE_FIELDS.has(name) || before[name] === value,
      () => `${name} changed after ${before.status}`,
    );
  }
}

function progress({ before, task }: RunStep): void {
  const least = task.attempt === before?.attempt ? before.progress : 0;
  const isCompleted = task.status === "completed";
  const isValid = isCompleted
    ? task.progress === 100
    : Number.isInteger(task.progress) && task.progress >= least && task.progress <= 99;
  ensure(isValid, () => `progress ${task.progress} after ${least} in status ${task.status}`);
}

function times({ before, task, now, events, world }: RunStep): void {
  if (events.length === 0) return ensure(task === before, () => "it changed without an event");
  ensure(task.updatedAt === now, () => `updated at ${task.updatedAt}, not at ${now}`);
  ensure(task.createdAt === (before?.createdAt ?? now), () => `created at ${task.createdAt}`);
  const isOver = !LIVE.includes(task.status);
  ensure(
    isOver === (endedAtOf(task) !== null),
    () => `ended at ${endedAtOf(task)} with status ${task.status}`,
  );
  if (isOver && !hasEnded(before))
    ensure(endedAtOf(task) === now, () => `ended at ${endedAtOf(task)}`);
  if (events.some(startsWork)) ensure(task.startedAt === now, () => `started at ${task.startedAt}`);
  if (!world.traits.clock.isSteady) return;
  const order = [task.createdAt, task.startedAt ?? task.createdAt, endedAtOf(task) ?? now, now];
  ensure(isRising(order), () => `out of order: ${order.join(", ")}`);
}

function hasEnded(before: Task | null): boolean {
  return before !== null && !LIVE.includes(before.status);
}

function startsWork({ type }: TaskEvent): boolean {
  return type === "started";
}

function isRising(instants: readonly number[]): boolean {
  return instants.every((at, index) => at >= (instants[index - 1] ?? at));
}

/** The cast is safe, because a task has only the properties of its type. */
function entriesOf(task: Task): [keyof Task, unknown][] {
  return Object.entries(task) as [keyof Task, unknown][];
}
