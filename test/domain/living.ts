import type { TaskCommand } from "../../src/tasks/model/command.ts";
import type { TaskEventData, NewTaskEvent, TaskEvent } from "../../src/tasks/model/events.ts";
import type { Failure } from "../../src/kernel/failure.ts";
import { applyEvent } from "../../src/tasks/model/fold.ts";
import type { Result } from "../../src/kernel/result.ts";
import type { Task } from "../../src/tasks/model/task.ts";
import { decide } from "../../src/tasks/model/decide.ts";
import { momentOf } from "./clock.ts";
import { Dice } from "./dice.ts";
import { commandOf, type World } from "./moves.ts";
import { T0 } from "./play.ts";

/** How a life begins. */
export interface Beginning extends Omit<World, "tokens"> {
  readonly created: TaskEventData["created"];
}

/** One move of a life: what was asked of which task, what came of it, and the task from then on. */
export interface Step {
  readonly before: Task | null;
  readonly command: TaskCommand;
  readonly now: number;
  readonly decided: Result<readonly NewTaskEvent[], Failure>;
  /** What was decided, at its places in the log. */
  readonly events: readonly TaskEvent[];
  readonly task: Task;
  readonly world: World;
  /** For whatever a law tries out beside the move. */
  readonly dice: Dice;
}

/** After what has ended for good a few moves more are made, as nothing may come of them. */
const MOVES_BEHIND_THE_END = 6;

/** Lives a task through moves, each drawn from its own number, and shows every step to `watch`. */
export function live(
  beginning: Beginning,
  moves: readonly number[],
  watch: (step: Step) => void,
): { readonly log: readonly TaskEvent[]; readonly task: Task } {
  const { created, character, terms } = beginning;
  const tokens: string[] = [];
  const world: World = { character, terms, tokens };
  const log: TaskEvent[] = [];

  function take(before: Task | null, command: TaskCommand, now: number, dice: Dice): Task {
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
    watch({ before, command, now, decided, events: log.slice(first), task, world, dice });
    return task;
  }

  let now = T0;
  let task = take(null, { type: "create", data: created }, now, new Dice(0));
  let left = MOVES_BEHIND_THE_END;
  for (const move of moves) {
    if (task.status === "completed" || task.status === "cancelled") left -= 1;
    if (left < 0) break;
    const dice = new Dice(move);
    now = momentOf(dice, character.clock, task, now);
    task = take(task, commandOf(dice, task, world, now), now, dice);
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
