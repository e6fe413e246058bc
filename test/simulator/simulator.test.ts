import { expect, it } from "vitest";
import { missing, type Least } from "../../scripts/proof/report.ts";
import { setting } from "../../scripts/proof/setting.ts";
import { CALL_KINDS, type CallOutcome } from "./fault-plan.ts";
import { simulate, type SimulationResult } from "./simulate.ts";

/**
 * Settings for a custom run. SIM_SEED is the first seed, and SIM_LIVES is the minimum number of
 * tasks.
 */
const FIRST_SEED = setting("SIM_SEED", 1, 0);
const LIVES_FULL = 20_000;
const LIVES = setting("SIM_LIVES", LIVES_FULL);
const TIMEOUT_MS = 60_000 + LIVES * 50;
const OUTCOMES: readonly CallOutcome[] = ["lost", "unheard", "silent", "mute", "late"];

/**
 * Minimum counts per thousand tasks in a full run, because a run in which nothing happens proves
 * nothing.
 */
const PER_THOUSAND: Readonly<Record<string, number>> = {
  acknowledged: 3_000,
  completed: 250,
  failed: 50,
  cancelled: 100,
  "blocked or in review": 50,
  crash: 500,
  eviction: 500,
  "write rejected": 50,
  "alarm early": 50,
  "alarm late": 200,
  "alarm twice": 30,
  "alarm failed": 200,
  "turn twice": 10,
  "turn late": 10,
  "consumer ended": 10,
  "worker vanished": 1,
  "retention over": 50,
  "fault in a purge": 100,
  "patience ended": 1,
  "remote work cancelled": 10,
  "row written by the feed": 100,
  "webhook judged": 100,
  "filter changed": 10,
  "agent changed": 5,
  "receiver failed": 50,
  "receiver slow": 50,
  ...Object.fromEntries(OUTCOMES.map((fate) => [fate, 50])),
  ...Object.fromEntries(CALL_KINDS.map((kind) => [`faults of ${kind}`, kind === "r2" ? 5 : 10])),
};

/**
 * Minimum counts per thousand tasks in a shorter run, where rare events may not occur and a single
 * task may do nothing.
 */
const PER_THOUSAND_SHORT = { acknowledged: 10 };

it(
  "whatever commands, failures and crashes occur, nothing acknowledged is lost and all pending work is done",
  { timeout: TIMEOUT_MS },
  async () => {
    const seen = new Map<string, number>();
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    let lives = 0;
    let seed = FIRST_SEED;
    for (; lives < LIVES && seed < FIRST_SEED + LIVES; seed += 1) {
      const lived = await simulate(seed).catch((cause: unknown) => {
        throw new Error(`Seed ${seed}`, { cause });
      });
      await new Promise((resolve) => setImmediate(resolve));
      if (lived.violations.length > 0) throw new Error(await report(seed, lived));
      // A world in which no task is created contributes nothing.
      lives += lived.ends.length;
      count(seen, lived);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    const cpuSeconds = (cpu.user + cpu.system) / 1_000_000;
    const figures = Object.fromEntries(
      [...seen].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
    console.log({ seeds: [FIRST_SEED, seed - 1], lives, seconds, cpuSeconds, ...figures });
    expect(missing(leastOf(seen, lives))).toEqual([]);
  },
);

it("a seed always produces the same simulation", async () => {
  const seeds = [3, 1_415, 92_653];
  const once = await livesOf(seeds);
  const again = await livesOf(seeds.toReversed());
  expect(again.toReversed()).toEqual(once);
  expect(Math.min(...once.map(({ lines }) => lines.length))).toBeGreaterThan(10);
});

async function livesOf(seeds: readonly number[]): Promise<SimulationResult[]> {
  const lives: SimulationResult[] = [];
  for (const seed of seeds) lives.push(await simulate(seed, true));
  return lives;
}

/** Runs a seed again and reports every effect. */
async function report(seed: number, { violations }: SimulationResult): Promise<string> {
  const { lines } = await simulate(seed, true);
  const again = `Run it again: SIM_SEED=${seed} SIM_LIVES=1 npx vitest run --project simulator`;
  return [`Seed ${seed}:`, ...violations, "", ...lines, "", ...violations, again].join("\n");
}

function leastOf(seen: ReadonlyMap<string, number>, lives: number): Least {
  return Object.entries(LIVES < LIVES_FULL ? PER_THOUSAND_SHORT : PER_THOUSAND).map(
    ([name, least]) => [name, seen.get(name) ?? 0, Math.floor((least * lives) / 1_000)] as const,
  );
}

function count(
  seen: Map<string, number>,
  { faultCounts: befell, ends, acknowledged }: SimulationResult,
): void {
  const add = (name: string, times: number): void => {
    seen.set(name, (seen.get(name) ?? 0) + times);
  };
  add("acknowledged", acknowledged);
  for (const end of ends)
    add(end === "blocked" || end === "review" ? "blocked or in review" : end, 1);
  for (const [name, times] of befell) {
    const [kind = "", fate = ""] = name.split(" ");
    const isCall =
      CALL_KINDS.some((one) => one === kind) && [...OUTCOMES, "twice"].some((one) => one === fate);
    if (!isCall) add(name, times);
    else {
      add(fate, times);
      add(`faults of ${kind}`, times);
    }
  }
}
