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

/** How a life begins. */
export interface RunStart extends Omit<RunContext, "tokens"> {
  readonly created: TaskEventData["created"];
}

/** One move of a life: what was asked of which task, what came of it, and the task from then on. */
export interface RunStep {
  readonly before: Task | null;
  readonly command: TaskCommand;
  readonly now: number;
  readonly decided: Result<readonly NewTaskEvent[], Failure>;
  /** What was decided, at its places in the log. */
  readonly events: readonly TaskEvent[];
  readonly task: Task;
  readonly world: RunContext;
  /** For whatever a law tries out beside the move. */
  readonly dice: Rng;
}

/** After what has ended for good a few moves more are made, as nothing may come of them. */
const MOVES_BEHIND_THE_END = 6;

/** Lives a task through moves, each drawn from its own number, and shows every step to `watch`. */
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
    if (task === null) throw new Error("A life must begin with a task that can be created");
    if (command.type === "admit" && command.grant !== null) tokens.push(command.grant.token);
    watch({ before, command, now, decided, events: log.slice(first), task, world, dice: rng });
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

/** What is frozen throws when it is changed, which proves that deciding and folding are pure. */
function freeze(value: object): void {
  for (const name in value) {
    const inner: unknown = Reflect.get(value, name);
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  Object.freeze(value);
}
