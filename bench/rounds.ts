import { median, quantile } from "simple-statistics";
import type { Sample } from "./load.ts";
import type { Counts, Entry, Work } from "./results.ts";

/** The work of one contestant; round 0 is a warm-up. */
export interface Turn {
  readonly contestant: string;
  readonly go: (round: number) => Promise<Sample>;
  readonly counts?: Counts | null;
}

export interface Plan extends Pick<Work, "id" | "title" | "unit" | "reference" | "rounds"> {
  readonly turns: readonly Turn[];
}

type Samples = Map<string, Sample[]>;

/** Runs contestants in turns, round by round, so that other load on the machine affects all of them equally. */
export async function runRounds(plan: Plan, say: (words: string) => void): Promise<Work> {
  const { turns, ...about } = plan;
  const samples: Samples = new Map();
  await addSamples(samples, turns, plan.rounds);
  return toWork(about, turns, samples, say);
}

/** Contestants that were started together. */
export interface Start {
  readonly turns: readonly Turn[];
  readonly stop: () => Promise<void>;
}

/**
 * Like `runRounds`, but starts all contestants `starts` times and runs `rounds` rounds after each start, for work whose
 * throughput differs between starts of the same code.
 */
export async function runStarts(
  { rounds, ...about }: Omit<Plan, "turns">,
  starts: number,
  start: () => Promise<Start>,
  say: (words: string) => void,
): Promise<Work> {
  const samples: Samples = new Map();
  let turns: readonly Turn[] = [];
  for (let number = 1; number <= starts; number += 1) {
    const started = await start();
    try {
      turns = started.turns;
      await addSamples(samples, turns, rounds);
    } finally {
      await started.stop();
    }
  }
  return toWork({ ...about, rounds: starts * rounds }, turns, samples, say);
}

/**
 * Adds a sample per round and contestant, except for the warm-up round. Each round starts with the next contestant, so
 * that no contestant always follows the same one.
 */
async function addSamples(samples: Samples, turns: readonly Turn[], rounds: number): Promise<void> {
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % turns.length;
    for (const { contestant, go } of [...turns.slice(first), ...turns.slice(0, first)]) {
      const sample = await go(round);
      if (round > 0) samples.set(contestant, [...(samples.get(contestant) ?? []), sample]);
    }
  }
}

function toWork(
  about: Omit<Plan, "turns">,
  turns: readonly Turn[],
  samples: Samples,
  say: (words: string) => void,
): Work {
  const reference = about.reference === null ? null : (samples.get(about.reference) ?? null);
  const entries = turns.map(({ contestant, counts = null }): Entry => {
    const own = samples.get(contestant) ?? [];
    const isReference = own === reference || reference === null;
    return { contestant, figures: figuresOf(own, isReference ? null : reference), counts };
  });
  for (const { contestant, figures } of entries)
    say(`${about.id.padEnd(32)}${words(contestant, figures, about.reference)}`);
  return { ...about, entries };
}

function figuresOf(own: readonly Sample[], reference: readonly Sample[] | null): Entry["figures"] {
  const ratios = own.map((sample, round) => {
    const other = reference?.[round];
    return other === undefined ? 1 : rate(sample) / rate(other);
  });
  return {
    perSecond: median(own.map(rate)),
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
  const against = ratio === null ? "" : `, ${ratio.median.toFixed(2)} of ${reference}`;
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, processor ${processorMs.toFixed(2)} ms`;
  return `${contestant.padEnd(22)}${perSecond.toFixed(0).padStart(6)} /s, ${times}${against}`;
}
