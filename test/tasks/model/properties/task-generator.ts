import fc from "fast-check";
import { BUILTIN_TERMS, type AgentTerms } from "../../../../src/agents/model/agent.ts";
import type { TaskEvent } from "../../../../src/tasks/model/events.ts";
import type { TaskBudget } from "../../../../src/tasks/model/task.ts";
import { runTask, type RunStart } from "./run-task.ts";
import type { RunTraits } from "./command-generator.ts";
import { choice, buildCreated, MODEL, QUEUED, SECOND, T0, UNQUEUED, WORKER } from "../fixtures.ts";

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
  { ...WORKER, price: { perTask: 0.5, perMinute: 0 } },
  { ...WORKER, price: { perTask: 0, perMinute: 1.5 } },
  { ...BUILTIN_TERMS, executor: "a2a", price: { perTask: 2, perMinute: 0.25 } },
];

/**
 * A task checks the size of a worker's reports. For other agents, the service's own executors limit
 * the data.
 */
const HOARDING_TERMS: readonly AgentTerms[] = [UNQUEUED, WORKER, WORKER];

const BUDGETS: readonly TaskBudget[] = [
  { maxDurationSeconds: 60 },
  { maxToolCalls: 2 },
  { maxCost: 1 },
];

const STEADY: RunTraits = {
  clock: { isSteady: true, isSlow: false },
  isStubborn: false,
  isHoarder: false,
};
const SLOW = { isSteady: true, isSlow: true };

/** Profiles of runs, with their characteristics and maximum length. */
export const TASK_PROFILES = {
  ordinary: { character: STEADY, movesMax: 240 },
  // The clock is sometimes set back slightly.
  unsteady: { character: { ...STEADY, clock: { isSteady: false, isSlow: false } }, movesMax: 240 },
  stubborn: { character: { ...STEADY, clock: SLOW, isStubborn: true }, movesMax: 600 },
  hoarding: { character: { ...STEADY, clock: SLOW, isHoarder: true }, movesMax: 400 },
} satisfies Record<string, { character: RunTraits; movesMax: number }>;

export type TaskProfile = keyof typeof TASK_PROFILES;

/**
 * Generates the start of a run, and its commands as a list of numbers that fast-check can shrink.
 */
export function commandSequences(
  profile: TaskProfile,
  movesMax: number = TASK_PROFILES[profile].movesMax,
): fc.Arbitrary<readonly [RunStart, number[]]> {
  const { character } = TASK_PROFILES[profile];
  const isLong = character.isStubborn || character.isHoarder;
  const agent = fc.constantFrom(...(character.isHoarder ? HOARDING_TERMS : TERMS));
  const beginning = fc
    .record({
      deadline: isLong
        ? fc.constant(null)
        : fc.option(fc.integer({ min: T0 + 1, max: T0 + 3_600 * SECOND })),
      budget: fc.option(fc.constantFrom(...BUDGETS)),
      withAgent: fc.boolean(),
      terms: fc.record({ ada: agent, bob: agent }),
    })
    .map(({ deadline, budget, withAgent, terms }): RunStart => {
      const data = { deadline, budget, choice: withAgent ? choice("ada") : null };
      return { created: buildCreated(data), terms, traits: character };
    });
  const moves = fc.array(fc.integer(), { minLength: 1, maxLength: movesMax, size: "max" });
  return fc.tuple(beginning, fc.noBias(moves));
}

/** Generates the complete log of a random run. */
export const arbitraryLog: fc.Arbitrary<{ readonly log: readonly TaskEvent[] }> = commandSequences(
  "unsteady",
  40,
).map(([beginning, moves]) => runTask(beginning, moves, () => undefined));
