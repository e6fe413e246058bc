import { setTimeout as pause } from "node:timers/promises";
import { median } from "simple-statistics";
import { NEVER_MS } from "../contestants/contestant.ts";
import { AGENTS, type Contestant, startContestants, LIMIT, only, stopAll, THIS } from "../field.ts";
import { lives } from "../life.ts";
import { load } from "../load.ts";
import type { Counts, Work } from "../results.ts";
import { runRounds, runStarts, type Start, type Turn } from "../rounds.ts";
import { until } from "../until.ts";
import { countsOf, SETTLED_MS } from "../use.ts";
import type { Setting } from "./setting.ts";

const CONNECTIONS = 16;
const CREATED_A_ROUND = 300;
const READ_A_ROUND = 600;
const COLD_A_ROUND = 200;
/** With 200 lifecycles per round, the ratio to the baseline varied by a third between runs of the same code. */
const LIVES_A_ROUND = 600;
/** With the same code, the ratio of lifecycles to the baseline has varied by up to 0.07 between starts. */
const LIFE_STARTS = 3;
/** The number of tasks that are read repeatedly, so all of them stay in memory. */
const HOT = 64;
/**
 * How often to check for evictions, and how long to wait for them. The runtime evicts an object that has been idle for
 * ten seconds, but some objects still run an alarm.
 */
const ASLEEP = { everyMs: 500, withinMs: 60_000 };

/** Measures creating tasks, whose steps are not due during the benchmark, and reading them. */
export async function creations({ rounds, say, counted }: Setting): Promise<Work[]> {
  const contestants = await startContestants(NEVER_MS);
  try {
    const ids = new Map<string, string[]>(contestants.map(({ name }) => [name, []]));
    const idsOf = (name: string): string[] => ids.get(name) ?? [];
    const create = (one: Contestant, amount: number) =>
      load({
        ...one,
        connections: CONNECTIONS,
        amount,
        ask: one.dialect.create,
        status: 201,
        onBody: (body) => idsOf(one.name).push(one.dialect.idIn(body)),
      });
    const read = (one: Contestant, amount: number, from: number, among: number) => {
      let place = 0;
      const next = (): string => idsOf(one.name)[from + (place++ % among)] ?? "";
      const ask = () => one.dialect.read(next());
      return load({ ...one, connections: CONNECTIONS, amount, ask, status: 200 });
    };
    const about = { unit: "request", reference: LIMIT, rounds } as const;
    const created = await runRounds(
      {
        ...about,
        id: "create",
        title: "Create a task",
        turns: contestants.map((one) => ({
          contestant: one.name,
          go: () => create(one, CREATED_A_ROUND),
          counts: countsOf(counted, one.name, "create"),
        })),
      },
      say,
    );
    // Waits until the delayed work of the created tasks has finished.
    await pause(SETTLED_MS);
    const hot = await runRounds(
      {
        ...about,
        id: "read-hot",
        title: "Read a task that is in memory",
        turns: contestants.map((one) => ({
          contestant: one.name,
          go: () => read(one, READ_A_ROUND, 0, HOT),
          counts: countsOf(counted, one.name, "read"),
        })),
      },
      say,
    );
    // The other contestants do not evict anything, and neither does the local Workflows engine.
    const objects = only(contestants, THIS, LIMIT, AGENTS);
    const starts = new Map(objects.map(({ name }) => [name, idsOf(name).length]));
    for (const one of objects) await create(one, (rounds + 1) * COLD_A_ROUND);
    for (const one of objects) await untilEvicted(one);
    const cold = await runRounds(
      {
        ...about,
        id: "read-cold",
        title: "Read a task after its eviction",
        turns: objects.map((one) => ({
          contestant: one.name,
          go: (round: number) => {
            const from = (starts.get(one.name) ?? 0) + round * COLD_A_ROUND;
            return read(one, COLD_A_ROUND, from, COLD_A_ROUND);
          },
          counts: countsOf(counted, one.name, "read"),
        })),
      },
      say,
    );
    return [created, hot, cold];
  } finally {
    await stopAll(contestants);
  }
}

/** Measures tasks from creation to completion, with five steps and no pause. */
export async function wholeLives({ rounds, say, counted }: Setting): Promise<Work[]> {
  const plan = {
    id: "life",
    title: "Full lifecycle: creation, five steps, completion",
    unit: "life",
    reference: LIMIT,
    rounds,
  } as const;
  const start = async (): Promise<Start> => {
    const contestants = await startContestants(0);
    return {
      turns: contestants.map((one) => createLivesTurn(one, countsOf(counted, one.name, "life"))),
      stop: () => stopAll(contestants),
    };
  };
  return [await runStarts(plan, LIFE_STARTS, start, say)];
}

function createLivesTurn(one: Contestant, counts: Counts | null): Turn {
  /** The median duration of a lifecycle in the previous round. */
  let usualMs = 0;
  return {
    contestant: one.name,
    async go() {
      const sample = await lives({ ...one, amount: LIVES_A_ROUND, usualMs });
      usualMs = median([...sample.latenciesMs]);
      return sample;
    },
    counts,
  };
}

/** Waits until the runtime has evicted all objects. */
function untilEvicted(one: Contestant): Promise<void> {
  const isEmpty = async (): Promise<boolean> =>
    Object.keys(Object(await one.send({ openObjects: "" }))).length === 0;
  return until(`${one.name} did not evict its objects`, isEmpty, ASLEEP);
}
