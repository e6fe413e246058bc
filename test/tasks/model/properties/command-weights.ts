import type { TaskCommand } from "../../../../src/tasks/model/command.ts";
import { slotOf, type Task, workStartSeqOf } from "../../../../src/tasks/model/task.ts";
import { stateOf, TRANSITIONS } from "../../../../src/tasks/model/transitions.ts";
import type { Rng } from "../../../support/rng.ts";
import type { RunTraits } from "./command-generator.ts";

type CommandType = TaskCommand["type"];
type Weights = Readonly<Record<CommandType, number>>;

/** Relative frequencies. Commands that advance a task are more frequent than those that end it. */
const PLAIN: Weights = {
  create: 4,
  assign: 12,
  start: 6,
  decline: 3,
  admit: 1,
  release: 1,
  endLease: 0.5,
  hold: 1,
  report: 2,
  progress: 8,
  block: 6,
  requestApproval: 3,
  settleApproval: 4,
  spend: 3,
  respond: 8,
  submit: 4,
  complete: 1,
  review: 8,
  fail: 2,
  cancel: 0.5,
  retry: 8,
  update: 3,
  rate: 1,
  expire: 3,
};

export const COMMAND_TYPES = namesOf(PLAIN);

/** Lower frequencies for some commands while a task is queued or held by a worker. */
const ASIDE = { start: 1, decline: 1, progress: 1, block: 1, submit: 1, complete: 0.5 };
const WAITING: Weights = { ...PLAIN, ...ASIDE, admit: 24, release: 3 };
const HELD: Weights = { ...PLAIN, ...ASIDE, report: 20, endLease: 1.5 };
/** Once a lease has expired, `expire` is usually the next command. */
const LOST: Weights = { ...HELD, expire: 40 };
/** After its deadline, a task can continue only with a new deadline. */
const OVERDUE: Weights = { ...PLAIN, retry: 3, update: 40 };
const STUBBORN: Weights = { ...PLAIN, fail: 40, retry: 100, cancel: 0.02, complete: 0.02 };
const ENDLESS = { fail: 0.2, cancel: 0, complete: 0 };
const HOARDING: Weights = { ...PLAIN, ...ENDLESS, update: 20, block: 24, respond: 60, retry: 40 };
const FILLING = { report: 60, update: 4, submit: 0.1, block: 0.3, expire: 0.1 };
const HOARDING_HELD: Weights = { ...HELD, ...ENDLESS, ...FILLING };

/** Draws a command type that the task allows, or any type if the task is null. */
export function drawCommandType(
  rng: Rng,
  task: Task | null,
  character: RunTraits,
  now: number,
): CommandType {
  const weights = task === null ? PLAIN : weightsFor(task, character, now);
  let sum = 0;
  for (const type of COMMAND_TYPES) if (fits(type, task)) sum += weights[type];
  let left = rng.next() * sum;
  for (const type of COMMAND_TYPES) {
    if (!fits(type, task)) continue;
    left -= weights[type];
    if (left < 0) return type;
  }
  return "expire";
}

function fits(type: CommandType, task: Task | null): boolean {
  if (task === null || type === "report") return true;
  return Object.keys(TRANSITIONS[stateOf(task)]).some((name) => name.split(".")[0] === type);
}

function weightsFor(task: Task, { isStubborn, isHoarder }: RunTraits, now: number): Weights {
  if (isStubborn) return STUBBORN;
  if (task.status === "failed" && isOverdue(task, now)) return OVERDUE;
  if (slotOf(task) === "queued") return WAITING;
  const isHeld =
    task.terms.executor === "worker" && task.lease !== null && workStartSeqOf(task) > 0;
  if (isHoarder) return isHeld ? HOARDING_HELD : HOARDING;
  if (!isHeld) return PLAIN;
  return (task.lease?.expiresAt ?? now) <= now ? LOST : HELD;
}

export function isOverdue({ deadline }: Task, now: number): boolean {
  return deadline !== null && deadline <= now;
}

/** Returns the typed keys of a record. */
function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}
