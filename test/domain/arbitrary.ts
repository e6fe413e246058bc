import fc from "fast-check";
import { BUILTIN_TERMS, type AgentTerms } from "../../src/agents/model/agent.ts";
import type { TaskEvent } from "../../src/tasks/model/events.ts";
import type { TaskBudget } from "../../src/tasks/model/task.ts";
import { live, type Beginning } from "./living.ts";
import type { Character } from "./moves.ts";
import { choice, createdWith, MODEL, QUEUED, SECOND, T0, UNQUEUED, WORKER } from "./play.ts";

const TERMS: readonly AgentTerms[] = [
  UNQUEUED,
  QUEUED,
  MODEL,
  { ...MODEL, maxConcurrentTasks: 1, requireReview: true },
  { ...BUILTIN_TERMS, executor: "a2a" },
  { ...BUILTIN_TERMS, executor: "a2a", maxConcurrentTasks: 3 },
  WORKER,
  WORKER,
  { ...WORKER, requireReview: true },
  { ...WORKER, maxConcurrentTasks: 1 },
];

/** Workers hand in what is measured; what other agents leave is written by our own executors. */
const HOARDERS: readonly AgentTerms[] = [UNQUEUED, WORKER, WORKER];

const BUDGETS: readonly TaskBudget[] = [
  { maxDurationSeconds: 60 },
  { maxToolCalls: 2 },
  { maxCost: 1 },
];

const STEADY: Character = {
  clock: { isSteady: true, isSlow: false },
  isStubborn: false,
  isHoarder: false,
};
const SLOW = { isSteady: true, isSlow: true };

/** Sorts of lives: what is theirs in common, and the most moves that they have. */
export const CROWDS = {
  ordinary: { character: STEADY, movesMax: 240 },
  // Some clocks are set back a little now and then.
  unsteady: { character: { ...STEADY, clock: { isSteady: false, isSlow: false } }, movesMax: 240 },
  stubborn: { character: { ...STEADY, clock: SLOW, isStubborn: true }, movesMax: 600 },
  hoarding: { character: { ...STEADY, clock: SLOW, isHoarder: true }, movesMax: 400 },
} satisfies Record<string, { character: Character; movesMax: number }>;

export type Crowd = keyof typeof CROWDS;

/** A beginning and moves for `live`; moves can be left out one by one until little else is left. */
export function livesOf(
  crowd: Crowd,
  movesMax: number = CROWDS[crowd].movesMax,
): fc.Arbitrary<readonly [Beginning, number[]]> {
  const { character } = CROWDS[crowd];
  const isLong = character.isStubborn || character.isHoarder;
  const agent = fc.constantFrom(...(character.isHoarder ? HOARDERS : TERMS));
  const beginning = fc
    .record({
      deadline: isLong
        ? fc.constant(null)
        : fc.option(fc.integer({ min: T0 + 1, max: T0 + 3_600 * SECOND })),
      budget: fc.option(fc.constantFrom(...BUDGETS)),
      withAgent: fc.boolean(),
      terms: fc.record({ ada: agent, bob: agent }),
    })
    .map(({ deadline, budget, withAgent, terms }): Beginning => {
      const data = { deadline, budget, choice: withAgent ? choice("ada") : null };
      return { created: createdWith(data), terms, character };
    });
  const moves = fc.array(fc.integer(), { minLength: 1, maxLength: movesMax, size: "max" });
  return fc.tuple(beginning, fc.noBias(moves));
}

/** The whole log of a task that lived through random moves. */
export const life: fc.Arbitrary<{ readonly log: readonly TaskEvent[] }> = livesOf(
  "unsteady",
  40,
).map(([beginning, moves]) => live(beginning, moves, () => undefined));
