import { setTimeout as pause } from "node:timers/promises";
import { median } from "simple-statistics";
import { NEVER_MS } from "../contestants/contestant.ts";
import { AGENTS, type Contestant, field, LIMIT, only, stopAll, THIS } from "../field.ts";
import { lives } from "../life.ts";
import { load } from "../load.ts";
import type { Work } from "../results.ts";
import { measured } from "../rounds.ts";
import { until } from "../until.ts";
import { countsOf, SETTLED_MS } from "../use.ts";
import type { Setting } from "./setting.ts";

const CONNECTIONS = 16;
const CREATED_A_ROUND = 300;
const READ_A_ROUND = 600;
const COLD_A_ROUND = 200;
const LIVES = 1_000;
/** Tasks that are read again and again, all of them in memory. */
const HOT = 64;
/** An object of the runtime that nobody calls is thrown out after ten seconds; some set an alarm of their own before. */
const ASLEEP = { everyMs: 500, withinMs: 60_000 };

/** Creation, and reading of what was created, of tasks that are due much later. */
export async function creations({ rounds, say, counted }: Setting): Promise<Work[]> {
  const contestants = await field(NEVER_MS);
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
    const created = await measured(
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
    // What creations have put off would be done between the reads.
    await pause(SETTLED_MS);
    const hot = await measured(
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
    // The others have nothing that is thrown out, nor does the engine of Workflows here.
    const objects = only(contestants, THIS, LIMIT, AGENTS);
    const starts = new Map(objects.map(({ name }) => [name, idsOf(name).length]));
    for (const one of objects) await create(one, (rounds + 1) * COLD_A_ROUND);
    for (const one of objects) await asleep(one);
    const cold = await measured(
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

/** From creation to completion in five steps without a pause. */
export async function wholeLives({ rounds, say, counted }: Setting): Promise<Work[]> {
  const contestants = await field(0);
  /** What lives took in the round before. */
  const usual = new Map<string, number>();
  try {
    const plan = {
      id: "life",
      title: "A whole life: created, five steps, completed",
      unit: "life",
      reference: LIMIT,
      rounds,
      turns: contestants.map((one) => ({
        contestant: one.name,
        async go() {
          const usualMs = usual.get(one.name) ?? 0;
          const sample = await lives({ ...one, amount: Math.ceil(LIVES / rounds), usualMs });
          usual.set(one.name, median([...sample.latenciesMs]));
          return sample;
        },
        counts: countsOf(counted, one.name, "life"),
      })),
    } as const;
    return [await measured(plan, say)];
  } finally {
    await stopAll(contestants);
  }
}

/** Waits until the runtime holds no object in memory any more. */
function asleep(one: Contestant): Promise<void> {
  const isEmpty = async (): Promise<boolean> =>
    Object.keys(Object(await one.send({ openObjects: "" }))).length === 0;
  return until(`${one.name} does not throw out its objects`, isEmpty, ASLEEP);
}
