import { describe, expect, it } from "vitest";
import { EXECUTOR_TYPES } from "../../../../src/agents/model/agent.ts";
import { TASK_EVENT_TYPES } from "../../../../src/tasks/model/events.ts";
import { ATTEMPTS_MAX } from "../../../../src/tasks/limits.ts";
import { TASK_STATUSES } from "../../../../src/tasks/model/task.ts";
import { setting } from "../../../../scripts/proof/setting.ts";
import type { TaskProfile } from "./task-generator.ts";
import { checkProfile } from "./check-properties.ts";
import { Coverage } from "./coverage.ts";
import { REPORTS } from "../fixtures.ts";
import { COMMAND_TYPES } from "./command-weights.ts";

const SEED_MAX = 2 ** 31 - 1_000;
/** A different seed for each run, unless PROPERTIES_SEED sets one. */
const SEED = setting("PROPERTIES_SEED", Date.now() % SEED_MAX, 0, SEED_MAX);
const CHANCE = { seed: SEED, path: pathIn(process.env["PROPERTIES_PATH"] ?? "") };
/** Multiplies the number of runs. */
const TIMES = setting("PROPERTIES_TIMES", 1);

const LIVES: Readonly<Record<TaskProfile, number>> = {
  ordinary: 20_500 * TIMES,
  unsteady: 1_500 * TIMES,
  stubborn: 240 * TIMES,
  hoarding: 60 * TIMES,
};

/** A set of runs checked in one test, with its own seed. */
interface Batch {
  readonly profile: TaskProfile;
  readonly part: number;
}

const BATCH_LIVES = 5_125 * TIMES;
/** A failed run is repeated by its seed and path, for which one batch per profile is enough. */
const BATCHES: readonly Batch[] = namesOf(LIVES).flatMap((profile) => {
  const parts = CHANCE.path === null ? Math.ceil(LIVES[profile] / BATCH_LIVES) : 1;
  return Array.from({ length: parts }, (_, before) => ({ profile, part: before + 1 }));
});

/** On an idle core, a batch takes less than a minute. The limit grows with the number of runs. */
const LIMITS = { timeout: 240_000 * TIMES };

const ENDING = ["blocked", "review", "completed", "failed", "released"] as const;
const REFUSALS = [
  "deadline_passed",
  "idempotency_key_reused",
  "invalid_state",
  "lease_lost",
  "no_other_agent",
  "task_not_completed",
  "validation",
] as const;
const INVALID = [
  "report: progress",
  "report: work",
  "report: name",
  "respond: response",
  "retry: notes",
  "update: context",
  "update: deadline",
  "update: notes",
] as const;
const ERRORS = [
  "AGENT_ERROR",
  "BUDGET_EXCEEDED",
  "DEADLINE_EXCEEDED",
  "LEASE_EXPIRED",
  "NO_AGENT_AVAILABLE",
  "REVIEW_REJECTED",
] as const;
const AGAIN = ["admit", "release", "retry", "expire"] as const;
const QUEUE = ["released on admission", "resumed in a slot", "resumed by a worker"] as const;
const AGENT_CHANGES = [
  "agent changed while pending",
  "agent changed while assigned",
  "assign silent",
] as const;
const CLOCKS = [
  "clock stood still",
  "clock advanced by milliseconds",
  "clock advanced by a year or more",
  "clock past the deadline",
  "clock past the lease",
] as const;

const cpuBefore = process.cpuUsage();
const coverage = new Coverage();
/** How long each batch took, or why it failed. */
const done = new Map<Batch, { readonly ms: number } | { readonly broken: unknown }>();

describe("the invariants of a task", LIMITS, () => {
  it.each(BATCHES)("every invariant holds in $profile runs, batch $part", (batch) => {
    expect(runBatch(batch)).toBeGreaterThan(0);
  });

  it("the runs include at least a million transitions", () => {
    const { runs, issued, recorded, accepted, withoutEffect, rejected } = runAllBatches();
    const ms = BATCHES.reduce((sum, batch) => sum + runBatch(batch), 0);
    const { user, system } = process.cpuUsage(cpuBefore);
    const cpuSeconds = ((user + system) / 1_000_000).toFixed(1);
    console.log(
      `properties: ${issued} commands in ${runs} runs in ${(ms / 1_000).toFixed(1)} s (${cpuSeconds} s of processor time): ${accepted} accepted with ${recorded} events, ${withoutEffect} without effect, ${rejected} rejected; PROPERTIES_SEED=${SEED}`,
    );
    expect(accepted + withoutEffect + rejected).toBe(issued);
    expect(issued).toBeGreaterThanOrEqual(1_000_000);
    expect(recorded).toBeGreaterThanOrEqual(500_000);
    expect(rejected).toBeGreaterThanOrEqual(100_000);
  });
});

describe("the coverage of the runs", LIMITS, () => {
  it.each<[what: string, least: number, names: readonly string[]]>([
    ["the acceptance of each command", 1_000, COMMAND_TYPES.map((type) => `${type} accepted`)],
    [
      "the rejection of each command except `expire`",
      300,
      rejectableCommands().map((type) => `${type} rejected`),
    ],
    ["each type of event", 3_000, TASK_EVENT_TYPES.map((type) => `event ${type}`)],
    ["each status", 20_000, TASK_STATUSES.map((status) => `status ${status}`)],
    ["each kind of executor", 100_000, EXECUTOR_TYPES.map((type) => `executor ${type}`)],
    ["each report with the current lease", 1_000, namesOf(REPORTS).map(acceptedReport)],
    ["each report with a lost lease", 3_000, namesOf(REPORTS).map(lateReport)],
    [
      "a repeat of each report that ends the work",
      10,
      ENDING.map((type) => `report ${type}: 0 events`),
    ],
    ["each kind of rejection", 1_000, REFUSALS.map((kind) => `rejected: ${kind}`)],
    ["each invalid value", 1, INVALID.map((value) => `invalid ${value}`)],
    ["each error", 20, ERRORS.map((code) => `error ${code}`)],
    ["each cause of another attempt", 100, AGAIN.map((type) => `another attempt by ${type}`)],
    ["each path through an agent's queue", 500, QUEUE],
    ["each change of the agent by people", 500, AGENT_CHANGES],
    ["each speed of the clock", 2_000, CLOCKS],
  ])("the runs include %s, at least %d times", (_, least, names) => {
    const { seen } = runAllBatches();
    const times = names.map((name) => [name, seen.get(name) ?? 0] as const);
    expect(times.length).toBeGreaterThan(0);
    expect(times.filter(([, count]) => count < least)).toEqual([]);
  });

  it("the runs include retries up to the last attempt, and rejections of retries beyond it", () => {
    const { retriedMax, seen } = runAllBatches();
    expect(retriedMax).toBe(ATTEMPTS_MAX);
    expect(seen.get("no attempt left")).toBeGreaterThan(100);
  });
});

/** Parses the shrink path printed by a failed run. Null if there is none. */
function pathIn(text: string): string | null {
  if (text === "") return null;
  if (/^\d+(?::\d+)*$/.test(text)) return text;
  throw new Error(`PROPERTIES_PATH must be a path that a failed run printed, got "${text}"`);
}

/**
 * Returns how long a batch took, in milliseconds. Each batch runs once, for the first test that
 * needs it.
 */
function runBatch(batch: Batch): number {
  const outcome = done.get(batch) ?? outcomeOf(batch);
  done.set(batch, outcome);
  if ("broken" in outcome) throw outcome.broken;
  return outcome.ms;
}

function outcomeOf({
  profile,
  part,
}: Batch): { readonly ms: number } | { readonly broken: unknown } {
  const from = performance.now();
  const lives = Math.min(LIVES[profile] - (part - 1) * BATCH_LIVES, BATCH_LIVES);
  try {
    checkProfile(profile, lives, { seed: SEED + part - 1, path: CHANCE.path }, coverage);
    return { ms: performance.now() - from };
  } catch (broken) {
    return { broken };
  }
}

function runAllBatches(): Coverage {
  for (const batch of BATCHES) runBatch(batch);
  return coverage;
}

function rejectableCommands(): string[] {
  return COMMAND_TYPES.filter((type) => type !== "expire");
}

function acceptedReport(type: keyof typeof REPORTS): string {
  return `report ${type}: ${type === "heartbeat" ? 0 : 1} events`;
}

function lateReport(type: keyof typeof REPORTS): string {
  return `report ${type}: lease_lost`;
}

/** Returns the typed keys of a record. */
function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}
