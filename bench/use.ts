import { setTimeout as pause } from "node:timers/promises";
import { median } from "simple-statistics";
import { FEED_PUBLISH_DELAY_MS } from "../src/tasks/limits.ts";
import { NEVER_MS } from "./contestants/contestant.ts";
import {
  AGENTS,
  startContestants,
  LIMIT,
  PG_BOSS,
  stopAll,
  THIS,
  type Contestant,
} from "./field.ts";
import { lives } from "./life.ts";
import { load } from "./load.ts";
import type { Counts } from "./results.ts";

/** Platform calls per request or lifecycle, named as in `bench/workers/counting.ts`. */
export type Use = Readonly<Record<string, number>>;

/** Platform calls by contestant, then by kind of work (`create`, `read` or `life`). */
export type Counted = ReadonlyMap<string, ReadonlyMap<string, Use>>;

const CREATED = 64;
const WARMING = 32;
const LIVES = 128;
/** After this time, tasks have published their delayed events. PostgreSQL's statistics lag by up to ten seconds. */
export const SETTLED_MS = FEED_PUBLISH_DELAY_MS + 2_000;
const POSTGRES_SETTLED_MS = 11_000;

/** Counts the contestants' platform calls for each kind of work, in runs that are not timed. */
export async function countUses(): Promise<Counted> {
  const uses = new Map<string, Map<string, Use>>();
  const note = (one: Contestant, work: string, use: Use): void => {
    const known = uses.get(one.name) ?? new Map<string, Use>();
    uses.set(one.name, known.set(work, use));
  };
  const names = [THIS, LIMIT, AGENTS, PG_BOSS];
  for (const pauseMs of [NEVER_MS, 0]) {
    const contestants = await startContestants(pauseMs, { names, isCounted: true });
    try {
      await Promise.all(
        contestants.map(async (one) => {
          if (pauseMs === 0) note(one, "life", await useOfLives(one));
          else await countRequests(one, (work, use) => note(one, work, use));
        }),
      );
    } finally {
      await stopAll(contestants);
    }
  }
  return uses;
}

async function countRequests(
  one: Contestant,
  note: (work: string, use: Use) => void,
): Promise<void> {
  const ids: string[] = [];
  const create = () =>
    load({
      ...one,
      connections: 1,
      amount: CREATED,
      ask: one.dialect.create,
      status: 201,
      onBody: (body) => ids.push(one.dialect.idIn(body)),
    });
  // The first run is not counted, because it creates tables and fills caches. Its delayed work must end before the
  // second run.
  await useOf(one, CREATED, create);
  note("create", await useOf(one, CREATED, create));
  let place = 0;
  const ask = () => one.dialect.read(ids[place++ % ids.length] ?? "");
  const read = () => load({ ...one, connections: 1, amount: CREATED, ask, status: 200 });
  note("read", await useOf(one, CREATED, read));
}

/** A contestant's platform calls per lifecycle. */
export async function useOfLives(one: Contestant): Promise<Use> {
  // This warm-up measures the usual duration of a lifecycle. Without it, clients would poll far more often.
  let usualMs = 0;
  await useOf(one, WARMING, async () => {
    usualMs = median([...(await lives({ ...one, amount: WARMING })).latenciesMs]);
  });
  return useOf(one, LIVES, () => lives({ ...one, amount: LIVES, usualMs }));
}

async function useOf(one: Contestant, times: number, work: () => Promise<unknown>): Promise<Use> {
  const before = await taken(one);
  await work();
  await pause(one.name === PG_BOSS ? POSTGRES_SETTLED_MS : SETTLED_MS);
  const after = await taken(one);
  const each = Object.entries(after).map(([name, all]) => [
    name,
    (all - (before[name] ?? 0)) / times,
  ]);
  return Object.fromEntries(each);
}

/** All counters so far. */
async function taken(one: Contestant): Promise<Use> {
  if (one.name === PG_BOSS) return { rowsWritten: Number(await one.send({ rowsWritten: "" })) };
  const answer = await fetch(`${one.origin}/counted`);
  const use: Use = JSON.parse(await answer.text());
  return use;
}

export function countsOf(all: Counted, contestant: string, work: string): Counts | null {
  const use = all.get(contestant)?.get(work);
  if (use === undefined) return null;
  const { rowsWritten, objectRowsWritten = 0, d1RowsWritten = 0, objectRequests, d1Queries } = use;
  return {
    rowsWritten: rowsWritten ?? objectRowsWritten + d1RowsWritten,
    objectRequests: objectRequests ?? null,
    d1Queries: d1Queries ?? null,
  };
}
