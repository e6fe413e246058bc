import { median, quantile } from "simple-statistics";
import type { Sample } from "./load.ts";
import type { Counts, Entry, Work } from "./results.ts";

/** Executes one round of the contestant's work; round 0 is a warm-up. */
export interface Turn {
  readonly contestant: string;
  readonly go: (round: number) => Promise<Sample>;
  readonly counts?: Counts | null;
}

export interface Plan extends Pick<Work, "id" | "title" | "unit" | "reference" | "rounds"> {
  readonly turns: readonly Turn[];
}

/** The samples of each contestant by name, one per round. */
type Samples = ReadonlyMap<string, readonly Sample[]>;
type About = Omit<Plan, "turns">;

/** Lets contestants take turns, round by round, so that other load on the machine affects all of them equally. */
export async function runRounds(plan: Plan, say: (words: string) => void): Promise<Work> {
  const { turns, ...about } = plan;
  const entries = toEntries(about, turns, await sampleRounds(turns, plan.rounds));
  sayEntries(about, entries, say);
  return { ...about, entries };
}

/** Contestants that were started at the same time. */
export interface Start {
  readonly turns: readonly Turn[];
  readonly stop: () => Promise<void>;
}

/**
 * Like `runRounds`, but starts all contestants `starts` times and runs `rounds` rounds after each start. This is for
 * work whose throughput differs between starts of the same code.
 */
export async function runStarts(
  about: About,
  starts: number,
  start: () => Promise<Start>,
  say: (words: string) => void,
): Promise<Work> {
  const all = new Map<string, Sample[]>();
  let turns: readonly Turn[] = [];
  for (let number = 1; number <= starts; number += 1) {
    const started = await start();
    try {
      const samples = await sampleRounds(started.turns, about.rounds);
      say(`${about.id}: start ${number} of ${starts}`);
      sayEntries(about, toEntries(about, started.turns, samples), say);
      for (const [contestant, own] of samples)
        all.set(contestant, [...(all.get(contestant) ?? []), ...own]);
    } finally {
      await started.stop();
    }
    turns = started.turns;
  }
  say(`${about.id}: all starts`);
  const entries = toEntries(about, turns, all);
  sayEntries(about, entries, say);
  return { ...about, rounds: starts * about.rounds, entries };
}

/** Runs a warm-up round, whose samples are discarded, and then `rounds` rounds. */
async function sampleRounds(turns: readonly Turn[], rounds: number): Promise<Samples> {
  const samples = new Map<string, Sample[]>(turns.map(({ contestant }) => [contestant, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { contestant, go } of orderOf(turns, round)) {
      const sample = await go(round);
      if (round > 0) samples.get(contestant)?.push(sample);
    }
  }
  return samples;
}

/**
 * The order of the turns in a round. It changes so that the delayed work of a contestant does not always run during the
 * same contestant's turn. With an even number n of contestants, each contestant directly follows every other one
 * exactly once in n rounds (Williams design).
 */
function orderOf(turns: readonly Turn[], round: number): Turn[] {
  const count = turns.length;
  return turns.flatMap((_, place) => {
    const step = place % 2 === 1 ? (place + 1) / 2 : count - place / 2;
    return turns[(step + round) % count] ?? [];
  });
}

function toEntries({ reference: name }: About, turns: readonly Turn[], samples: Samples): Entry[] {
  const reference = name === null ? null : (samples.get(name) ?? null);
  return turns.map(({ contestant, counts = null }) => {
    const own = samples.get(contestant) ?? [];
    const figures = figuresOf(own, contestant === name ? null : reference);
    return { contestant, figures, counts };
  });
}

function sayEntries(
  { id, reference }: About,
  entries: readonly Entry[],
  say: (words: string) => void,
): void {
  for (const { contestant, figures } of entries)
    say(`${id.padEnd(32)}${words(contestant, figures, reference)}`);
}

function figuresOf(own: readonly Sample[], reference: readonly Sample[] | null): Entry["figures"] {
  if (reference !== null && reference.length !== own.length)
    throw new Error(
      `A contestant has ${own.length} samples, but the reference has ${reference.length}`,
    );
  const ownRates = own.map(rate);
  const ratios = (reference ?? []).map((other, round) => (ownRates[round] ?? NaN) / rate(other));
  return {
    perSecond: median(ownRates),
    p50Ms: median(own.map(({ latenciesMs }) => quantile([...latenciesMs], 0.5))),
    p99Ms: median(own.map(({ latenciesMs }) => quantile([...latenciesMs], 0.99))),
    processorMs: median(own.map(({ processorMs, requests }) => processorMs / requests)),
    ratio:
      reference === null
        ? null
        : { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
  };
}

function rate({ requests, seconds }: Sample): number {
  return requests / seconds;
}

function words(contestant: string, figures: Entry["figures"], reference: string | null): string {
  const { perSecond, p50Ms, p99Ms, processorMs, ratio } = figures;
  const against = ratio === null ? "" : `, ${ratio.median.toFixed(2)} × ${reference}`;
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, CPU ${processorMs.toFixed(2)} ms`;
  return `${contestant.padEnd(22)}${perSecond.toFixed(0).padStart(6)} /s, ${times}${against}`;
}
