import fc from "fast-check";
import type { TaskEvent } from "../../src/domain/events.ts";
import { apply } from "../../src/domain/fold.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import {
  REVIEW_DECISIONS,
  type Budget,
  type ReviewDecision,
  type Task,
  type TaskStatus,
} from "../../src/domain/task.ts";
import { LEGAL_FROM, type Command, type CommandType } from "../../src/domain/commands.ts";
import { decide } from "../../src/domain/transitions.ts";
import { AGENT_ERROR, choice, createdWith, OUTCOME, placed, SECOND, T0 } from "./play.ts";

/** One move of a random life: which command, what it carries, and how long after the one before. */
interface Move {
  readonly pick: number;
  readonly decision: ReviewDecision;
  /** Most moves are legal, or lives would end at once; the others may be anything. */
  readonly lawful: boolean;
  readonly stale: boolean;
  readonly number: number;
  readonly flag: boolean;
  readonly context: JsonObject;
  readonly afterMs: number;
}

const CALL = { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true };

const json = fc.dictionary(
  fc.constantFrom("a", "b", "__proto__"),
  fc.constantFrom<JsonObject[string]>(null, 1, "x", { deep: [1] }),
);

const move: fc.Arbitrary<Move> = fc.record({
  pick: fc.noBias(fc.nat(10_000)),
  decision: fc.constantFrom(...REVIEW_DECISIONS),
  lawful: oneIn(4).map((rare) => !rare),
  stale: oneIn(8),
  number: fc.double({ min: -10, max: 120, noNaN: true }),
  flag: fc.boolean(),
  context: json,
  // A clock may stand still, run on, leap past a deadline, or be set back a little.
  afterMs: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: -500, max: 20 * SECOND }) },
    { weight: 1, arbitrary: fc.nat(40 * 24 * 3_600 * SECOND) },
  ),
});

const beginning = fc.record({
  deadline: fc.option(fc.integer({ min: T0 + 1, max: T0 + 3_600 * SECOND })),
  budget: fc.option(
    fc.constantFrom<Budget>({ maxDurationSeconds: 60 }, { maxToolCalls: 2 }, { maxCost: 1 }),
  ),
  withAgent: fc.boolean(),
});

/** A task that lived through random moves: its whole log, every state on the way, and the clock's. */
export interface Life {
  readonly log: readonly TaskEvent[];
  readonly states: readonly { readonly task: Task; readonly now: number }[];
}

export const life: fc.Arbitrary<Life> = fc
  .tuple(beginning, fc.array(move, { minLength: 1, maxLength: 60, size: "max" }))
  .map(([{ deadline, budget, withAgent }, moves]) => {
    const data = createdWith({ deadline, budget, choice: withAgent ? choice("ada") : null });
    const life_ = new Living();
    life_.take({ type: "create", data }, T0);
    let now = T0;
    for (const one of moves) {
      now += one.afterMs;
      life_.take(commandOf(one, life_.task), now);
    }
    return life_;
  });

class Living implements Life {
  readonly log: TaskEvent[] = [];
  readonly states: { task: Task; now: number }[] = [];
  #task: Task | null = null;

  get task(): Task {
    if (this.#task === null) throw new Error("not created");
    return this.#task;
  }

  take(command: Command, now: number): void {
    if (this.#task !== null) freeze(this.#task);
    const decided = decide(this.#task, command, now);
    if (decided.ok) {
      for (const event of placed(decided.value, this.log.length, () => now)) {
        this.log.push(event);
        this.#task = apply(this.#task, event);
      }
    }
    this.states.push({ task: this.task, now });
  }
}

function commandOf(given: Move, task: Task): Command {
  const all: readonly CommandType[] = typesFor(given.lawful ? task.status : null);
  const type = all[given.pick % all.length] ?? "tick";
  const attempt = given.stale ? task.attempt - 1 : task.attempt;
  const agent = choice(given.flag ? "bob" : "ada");
  switch (type) {
    case "create":
      return { type, data: createdWith({ fingerprint: given.flag ? "f" : "other" }) };
    case "assign":
      return { type, choice: agent };
    case "decline":
      return { type, reason: "no" };
    case "progress": {
      const data = {
        progress: given.number,
        phase: "drafting",
        calls: [CALL],
        work: given.context,
      };
      return { type, attempt, data };
    }
    case "block": {
      const kind = given.flag ? "input" : "budget";
      return { type, attempt, data: { kind, question: "?", calls: [CALL], work: given.context } };
    }
    case "spend":
      return { type, call: CALL };
    case "respond":
      return { type, response: given.flag ? { maxToolCalls: 9 } : "go on" };
    case "submit":
    case "complete":
      return { type, attempt, outcome: OUTCOME, calls: [CALL] };
    case "review": {
      const { decision } = given;
      return { type, decision, comment: given.flag ? "so" : null };
    }
    case "fail":
      return { type, attempt, error: AGENT_ERROR, calls: [CALL] };
    case "cancel":
      return { type, reason: null };
    case "retry": {
      const context = given.flag ? given.context : null;
      return { type, attempt, reassign: given.flag, choice: agent, context };
    }
    case "update": {
      const deadline = T0 + Math.round(given.number * 3_600 * SECOND);
      const change = given.flag ? { deadline } : { context: given.context, notes: "n" };
      return { type, change };
    }
    case "rate":
      return { type, feedback: { rating: 3 } };
    case "start":
    case "tick":
      return { type };
  }
}

/** What can be asked, each as often as it weighs: what moves a task on more often than what ends it. */
function typesFor(status: TaskStatus | null): CommandType[] {
  const types = Object.keys(LEGAL_FROM) as CommandType[];
  const fit = types.filter((type) => status === null || LEGAL_FROM[type].includes(status));
  return fit.flatMap((type) => Array.from({ length: WEIGHTS[type] ?? 6 }, () => type));
}

const WEIGHTS: Partial<Record<CommandType, number>> = {
  cancel: 1,
  fail: 1,
  tick: 2,
  update: 2,
  rate: 1,
};

function oneIn(count: number): fc.Arbitrary<boolean> {
  return fc.noBias(fc.integer({ min: 1, max: count })).map((drawn) => drawn === 1);
}

/** What is frozen throws when it is changed, which proves that deciding and folding are pure. */
function freeze(value: object): void {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  Object.freeze(value);
}
