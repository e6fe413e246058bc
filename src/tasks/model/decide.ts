import type { Failure } from "../../kernel/failure.ts";
import { checkJsonSize } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  BUDGET_BYTES_MAX,
  CONTEXT_BYTES_MAX,
  TASK_EVENTS_MAX,
  TASK_LOG_BYTES_MAX,
} from "../limits.ts";
import {
  type NamedCommands,
  type TaskCommand,
  commandNameOf,
  type CommandName,
} from "./command.ts";
import type { Task, TaskError } from "./task.ts";
import { allowedActions, findTransitions, stateOf, type TaskAction } from "./transitions.ts";
import { toFailure, optionChecks, checkDeadline } from "./fields.ts";
import type { NewTaskEvent, TaskEventType } from "./events.ts";
import { illegalTransition } from "./guards.ts";
import { type EventBuilder, type Rules, RULES } from "./rules.ts";

/**
 * Returns the events that a command produces at `now`, or why the task rejects it. A legal command that changes nothing
 * produces no events. `logBytes`: the current size of the log.
 */
export function decide(
  task: Task | null,
  command: TaskCommand,
  now: number,
  logBytes = 0,
): Result<NewTaskEvent[], Failure> {
  if (command.type === "create") return decideCreate(task, command, now);
  if (task === null) throw new Error(`A task must exist before "${command.type}"`);
  const decided = applyTable(commandNameOf(command), task, command, now);
  if (!decided.ok || decided.value.length === 0) return decided;
  return enforceLogLimits(task, command, decided.value, logBytes);
}

function applyTable<Name extends CommandName>(
  name: Name,
  task: Task,
  command: NamedCommands[Name],
  now: number,
): Result<NewTaskEvent[], Failure> {
  const transitions = findTransitions(stateOf(task), name);
  if (transitions === null) return fail(illegalTransition(task, command.type));
  const rules: Rules<NamedCommands[Name]> = RULES[name];
  for (const { requires = [], when = [], events } of transitions) {
    for (const check of requires) {
      const failure = defined(rules.requires?.[check], check)(task, command, now);
      if (failure !== null) return fail(failure);
    }
    if (when.every((guard) => defined(rules.when?.[guard], guard)(task, command, now))) {
      return ok(events.map((type) => buildEvent(type, rules, task, command, now)));
    }
  }
  return ok([]);
}

function buildEvent<Command, Type extends TaskEventType>(
  type: Type,
  { events = {} }: Rules<Command>,
  task: Task,
  command: Command,
  now: number,
): NewTaskEvent<Type> {
  const build: EventBuilder<Command, Type> | undefined = events[type];
  return { type, data: defined(build, type)(task, command, now) };
}

/** Never throws, because the type of `RULES` requires every name in the transition table. */
function defined<Rule>(rule: Rule | undefined, name: string): Rule {
  if (rule === undefined) throw new Error(`A command has no rule "${name}"`);
  return rule;
}

function decideCreate(
  task: Task | null,
  { data }: NamedCommands["create"],
  now: number,
): Result<NewTaskEvent[], Failure> {
  if (task !== null) {
    const isSame = task.fingerprint === data.fingerprint;
    return isSame ? ok([]) : fail({ kind: "idempotency_key_reused" });
  }
  const failure = validCreate(data, now);
  return failure === null ? ok([{ type: "created", data }]) : fail(failure);
}

/**
 * Events that lead to the end of a task. They are accepted even if the log is full, because at most three of them can
 * follow.
 */
const ENDING: ReadonlySet<TaskEventType> = new Set([
  "submitted",
  "approved",
  "completed",
  "failed",
  "cancelled",
]);

/**
 * Commands from clients and workers. If the log is full, they are rejected unless all their events are in `ENDING`. Any
 * other command that would let the task continue makes the task fail.
 */
const ASKED: ReadonlySet<TaskCommand["type"]> = new Set([
  "report",
  "respond",
  "review",
  "retry",
  "update",
  "rate",
]);

/** Actions that remain possible when a task's log is full. */
const STILL_POSSIBLE: ReadonlySet<TaskAction> = new Set(["cancel", "review", "deliverables"]);

/**
 * Returns a command's events if they fit in the task's log or are all in `ENDING`. Otherwise, a command from a client
 * or worker is rejected, and a task that would continue on its own fails. `logBytes`: the size of the log before these
 * events.
 */
function enforceLogLimits(
  task: Task,
  command: TaskCommand,
  events: readonly NewTaskEvent[],
  logBytes: number,
): Result<NewTaskEvent[], Failure> {
  const limit = exceededLimit(task.seq + events.length, logBytes);
  if (limit === null || events.every(({ type }) => ENDING.has(type))) return ok([...events]);
  if (ASKED.has(command.type)) {
    const { status } = task;
    const allowed = allowedActions(status).filter((action) => STILL_POSSIBLE.has(action));
    return fail({ kind: "task_log_full", limit, status, allowed });
  }
  const message = `The task has reached its limit of ${limit}. Create a new task for the rest of the work.`;
  const error: TaskError = { code: "AGENT_ERROR", message, retryable: false };
  return ok([{ type: "failed", data: { error, ...paidIn(events) } }]);
}

function exceededLimit(events: number, logBytes: number): string | null {
  if (events > TASK_EVENTS_MAX) return `${TASK_EVENTS_MAX} events`;
  return logBytes >= TASK_LOG_BYTES_MAX ? `${TASK_LOG_BYTES_MAX} bytes of events` : null;
}

/** The usage in events that are not written is still charged. */
function paidIn(events: readonly NewTaskEvent[]) {
  const calls = events.flatMap(({ data }) => ("calls" in data ? data.calls : []));
  const use = events.flatMap(({ data }) => ("use" in data ? [data.use] : []))[0];
  return use === undefined ? { calls } : { calls, use };
}

function validCreate(
  { deadline, context, budget }: NamedCommands["create"]["data"],
  now: number,
): Failure | null {
  return toFailure([
    ["deadline", deadline === null ? null : checkDeadline(deadline, now)],
    ["context", checkJsonSize(context, CONTEXT_BYTES_MAX)],
    ...optionChecks(context),
    ["budget", budget === null ? null : checkJsonSize(budget, BUDGET_BYTES_MAX)],
  ]);
}
