import type { TaskCommand } from "../../../../src/tasks/model/command.ts";
import type { TaskEventData, NewTaskEvent, TaskEvent } from "../../../../src/tasks/model/events.ts";
import type { Failure } from "../../../../src/kernel/failure.ts";
import { applyEvent } from "../../../../src/tasks/model/fold.ts";
import type { Result } from "../../../../src/kernel/result.ts";
import type { Task } from "../../../../src/tasks/model/task.ts";
import { decide } from "../../../../src/tasks/model/decide.ts";
import { nextInstant } from "./clock.ts";
import { Rng } from "../../../support/rng.ts";
import { drawCommand, type RunContext } from "./command-generator.ts";
import { T0 } from "../fixtures.ts";

/** The start of a run. */
export interface RunStart extends Omit<RunContext, "tokens"> {
  readonly created: TaskEventData["created"];
}

/** One step of a run: the command, its result and the resulting task. */
export interface RunStep {
  readonly before: Task | null;
  readonly command: TaskCommand;
  readonly now: number;
  readonly decided: Result<readonly NewTaskEvent[], Failure>;
  /** The resulting events, with their positions in the log. */
  readonly events: readonly TaskEvent[];
  readonly task: Task;
  readonly world: RunContext;
  /** Used for additional commands that a property tries. */
  readonly rng: Rng;
}

/**
 * The number of commands after a task is completed or cancelled. None of them may change it, except
 * for a rating.
 */
const MOVES_BEHIND_THE_END = 6;

/** Runs a task through commands, each drawn from one number, and passes every step to `watch`. */
export function runTask(
  beginning: RunStart,
  moves: readonly number[],
  watch: (step: RunStep) => void,
): { readonly log: readonly TaskEvent[]; readonly task: Task } {
  const { created, traits: character, terms } = beginning;
  const tokens: string[] = [];
  const world: RunContext = { traits: character, terms, tokens };
  const log: TaskEvent[] = [];

  function take(before: Task | null, command: TaskCommand, now: number, rng: Rng): Task {
    if (before !== null) freeze(before);
    const decided = decide(before, command, now);
    let task = before;
    const first = log.length;
    if (decided.ok) {
      for (const event of decided.value) {
        const placed: TaskEvent = { ...event, seq: log.length + 1, at: now };
        log.push(placed);
        task = applyEvent(task, placed);
      }
    }
    if (task === null) throw new Error("The generated task could not be created");
    if (command.type === "admit" && command.grant !== null) tokens.push(command.grant.token);
    watch({ before, command, now, decided, events: log.slice(first), task, world, rng });
    return task;
  }

  let now = T0;
  let task = take(null, { type: "create", data: created }, now, new Rng(0));
  let left = MOVES_BEHIND_THE_END;
  for (const move of moves) {
    if (task.status === "completed" || task.status === "cancelled") left -= 1;
    if (left < 0) break;
    const rng = new Rng(move);
    now = nextInstant(rng, character.clock, task, now);
    task = take(task, drawCommand(rng, task, world, now), now, rng);
  }
  return { log, task };
}

/**
 * Freezes a value. Changing it then throws, so the run proves that `decide` and `applyEvent` do not
 * change their arguments.
 */
function freeze(value: object): void {
  for (const name in value) {
    const inner: unknown = Reflect.get(value, name);
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  Object.freeze(value);
}
