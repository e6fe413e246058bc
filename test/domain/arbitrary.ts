import fc from "fast-check";
import type { AgentTerms } from "../../src/domain/agent.ts";
import type { Command } from "../../src/domain/commands.ts";
import type { NewEvent, TaskEvent } from "../../src/domain/events.ts";
import type { Failure } from "../../src/domain/failure.ts";
import { apply } from "../../src/domain/fold.ts";
import type { Result } from "../../src/domain/result.ts";
import type { Budget, Task } from "../../src/domain/task.ts";
import { decide } from "../../src/domain/transitions.ts";
import { commandOf, momentOf, move, type World } from "./moves.ts";
import {
  choice,
  createdWith,
  MODEL,
  placed,
  QUEUED,
  SECOND,
  T0,
  UNQUEUED,
  WORKER,
} from "./play.ts";

const TERMS: readonly AgentTerms[] = [
  UNQUEUED,
  QUEUED,
  MODEL,
  { ...MODEL, maxConcurrentTasks: 1, requireReview: true },
  WORKER,
  WORKER,
  { ...WORKER, requireReview: true },
  { ...WORKER, maxConcurrentTasks: 1 },
];

const beginning = fc.record({
  deadline: fc.option(fc.integer({ min: T0 + 1, max: T0 + 3_600 * SECOND })),
  budget: fc.option(
    fc.constantFrom<Budget>({ maxDurationSeconds: 60 }, { maxToolCalls: 2 }, { maxCost: 1 }),
  ),
  withAgent: fc.boolean(),
  terms: fc.record({ ada: fc.constantFrom(...TERMS), bob: fc.constantFrom(...TERMS) }),
});

/** One move of a life: what was asked of which task, what came of it, and the task from then on. */
export interface Lived {
  readonly before: Task;
  readonly command: Command;
  readonly now: number;
  readonly decided: Result<readonly NewEvent[], Failure>;
  readonly task: Task;
}

/** A task that lived through random moves: its whole log, every state on the way, and the clock's. */
export interface Life {
  readonly log: readonly TaskEvent[];
  readonly states: readonly { readonly task: Task; readonly now: number }[];
  readonly moves: readonly Lived[];
  /** The tokens of all leases that it was ever held by, or offered. */
  readonly tokens: readonly string[];
}

export const life: fc.Arbitrary<Life> = fc
  .tuple(beginning, fc.array(move, { minLength: 1, maxLength: 60, size: "max" }))
  .map(([{ deadline, budget, withAgent, terms }, moves]) => {
    const data = createdWith({ deadline, budget, choice: withAgent ? choice("ada") : null });
    const life_ = new Living(terms);
    life_.take({ type: "create", data }, T0);
    let now = T0;
    for (const one of moves) {
      now = momentOf(one, life_.task, now);
      life_.take(commandOf(one, life_.task, life_, now), now);
    }
    return life_;
  });

class Living implements Life, World {
  readonly log: TaskEvent[] = [];
  readonly states: { task: Task; now: number }[] = [];
  readonly moves: Lived[] = [];
  readonly tokens: string[] = [];
  readonly terms: World["terms"];
  #task: Task | null = null;

  constructor(terms: World["terms"]) {
    this.terms = terms;
  }

  get task(): Task {
    if (this.#task === null) throw new Error("not created");
    return this.#task;
  }

  take(command: Command, now: number): void {
    const before = this.#task;
    if (before !== null) freeze(before);
    const decided = decide(before, command, now);
    if (decided.ok) {
      for (const event of placed(decided.value, this.log.length, () => now)) {
        this.log.push(event);
        this.#task = apply(this.#task, event);
      }
    }
    if (command.type === "admit" && command.grant !== null) this.tokens.push(command.grant.token);
    this.states.push({ task: this.task, now });
    if (before !== null) this.moves.push({ before, command, now, decided, task: this.task });
  }
}

/** What is frozen throws when it is changed, which proves that deciding and folding are pure. */
function freeze(value: object): void {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  Object.freeze(value);
}
