import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import {
  blockOf,
  errorOf,
  feedbackOf,
  isTerminal,
  type Task,
} from "../../../src/tasks/model/task.ts";
import type { Log } from "../read-state.ts";
import { EMPTY_LOG, stateAfter, type LogState } from "./transitions.ts";
import type { Violation } from "./violation.ts";

/**
 * Checks that each log is a valid sequence of events and that applying them results in the task that the service shows.
 */
export function checkPaths(logs: readonly Log[]): Violation[] {
  return logs.flatMap((log) => {
    const problems = [...walk(log), ...compare(log)];
    return problems.map((message) => ({
      rule: "logs contain only valid transitions",
      about: log.taskId,
      message,
    }));
  });
}

function* walk({ restored, states }: Log): Generator<string> {
  let state: LogState = EMPTY_LOG;
  for (const [index, event] of restored.entries()) {
    const before = states[index - 1] ?? null;
    if (event.seq !== index + 1) yield `seq ${event.seq} is at position ${index + 1}`;
    const next = stateAfter(event, state);
    const after = states[index] ?? null;
    if (next === undefined || next.status !== after?.status) {
      yield `${event.type} (${event.seq}) in ${state.status} leads to ${after?.status}`;
    }
    state = next ?? { ...state, status: after?.status ?? "none" };
    if (before !== null && after !== null) yield* checkStep(before, event, after);
  }
}

function* checkStep(before: Task, event: TaskEvent, after: Task): Generator<string> {
  const isNewAttempt = after.attempt > before.attempt;
  if (isNewAttempt !== (event.type === "retried"))
    yield `attempt ${after.attempt} was started by ${event.type}`;
  if (!isNewAttempt && after.progress < before.progress) {
    yield `progress fell from ${before.progress} to ${after.progress} (${event.seq})`;
  }
  const isAutomatic = event.type === "retried" && event.data.automatic !== undefined;
  if (event.type === "retried" && isAutomatic !== (before.status === "in_progress")) {
    yield `retried (${event.seq}) in ${before.status}, automatic: ${isAutomatic}`;
  }
  if (isTerminal(before.status) && before.status !== "failed" && after.status !== before.status) {
    yield `${before.status} became ${after.status} (${event.seq})`;
  }
}

function* compare({ states, shown }: Log): Generator<string> {
  const task = states.at(-1);
  if (task === undefined) return yield "the log is empty";
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["status", task.status, shown.status],
    ["agentId", task.agentId, shown.agentId ?? null],
    ["priority", task.priority, shown.priority],
    ["progress", task.progress, shown.progress],
    ["attempt", task.attempt, shown.attempt],
    ["deadline", iso(task.deadline), shown.deadline ?? null],
    ["notes", task.notes, shown.notes ?? null],
    ["context", JSON.stringify(task.context), JSON.stringify(shown.context)],
    [
      "cancelReason",
      task.status === "cancelled" ? task.cancelReason : null,
      shown.cancelReason ?? null,
    ],
    ["error", errorOf(task)?.code ?? null, shown.error?.code ?? null],
    ["question", blockOf(task)?.question ?? null, shown.blocked?.question ?? null],
    ["rating", feedbackOf(task)?.rating ?? null, shown.feedback?.rating ?? null],
  ];
  for (const [name, logged, seen] of pairs) {
    if (logged !== seen)
      yield `${name} is ${String(logged)} in the log, but ${String(seen)} in the GET response`;
  }
}

export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
