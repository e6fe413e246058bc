import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  commandNameOf,
  type CommandName,
  type NamedCommands,
  type TaskCommand,
} from "./command.ts";
import type { NewTaskEvent, TaskEventType } from "./events.ts";
import { illegalTransition, validCreate } from "./guards.ts";
import { enforceLogLimits } from "./log-limits.ts";
import { type EventBuilder, type Rules, RULES } from "./rules.ts";
import type { Task } from "./task.ts";
import { findTransitions, stateOf } from "./transitions.ts";

/**
 * The events of a command at `now`, or why the task does not accept it. Pure; a legal command that changes
 * nothing has no events. `logBytes`: the current size of the log.
 */
export function decide(
  task: Task | null,
  command: TaskCommand,
  now: number,
  logBytes = 0,
): Result<NewTaskEvent[], Failure> {
  if (command.type === "create") return decideCreate(task, command, now);
  if (task === null) throw new Error(`A task must be created before "${command.type}"`);
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

/** Never throws: the type of `RULES` requires every name of the table. */
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
