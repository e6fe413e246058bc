import type { Violation } from "./check/violation.ts";
import type { History } from "./history.ts";

const VIOLATIONS_SHOWN = 20;
const NAMES_WIDTH = 22;

/** What a run must have done: its name, how often it was, and how often at least it must have been. */
export type Least = readonly (readonly [string, number, number])[];

/** Each that is missing, in words. */
export function missing(least: Least): string[] {
  return least
    .filter(([, count, wanted]) => count < wanted)
    .map(([what, count, wanted]) => `${what}: ${count}, and at least ${wanted} are wanted`);
}

/** Names and values, a line each. */
export function linesOf(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `${name.padEnd(NAMES_WIDTH)} ${value}`).join("\n");
}

/** How a run ended. */
export interface Outcome {
  readonly missed: readonly string[];
  readonly violations: readonly Violation[];
  readonly history: History;
  /** What makes it less than a full run; null for a full one. */
  readonly short: string | null;
  /** What repeats its plan. */
  readonly seed: string;
}

/** Tells it, and ends the process: with 1 unless all held. */
export function conclude({ missed, violations, history, short, seed }: Outcome): never {
  for (const words of missed) console.error(`Too little was tried: ${words}`);
  for (const { law, about, words } of violations.slice(0, VIOLATIONS_SHOWN)) {
    console.error(`\nNOT SO: ${law}: ${about ?? ""} ${words}`);
    if (about !== null) for (const line of history.about(about)) console.error(`  ${line}`);
  }
  const isSound = missed.length === 0 && violations.length === 0;
  const summary = `${violations.length} violations, ${missed.length} things tried too little`;
  if (!isSound) console.log(`NOT HELD: ${summary}, with ${seed}`);
  else console.log(short === null ? "All held." : `A short run: ${short}. Nothing was found.`);
  process.exit(isSound ? 0 : 1);
}

/** Says things with the seconds that a run has taken so far. */
export function speaker(): (words: string) => void {
  const startedAt = Date.now();
  return (words) => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0)} s: ${words}`);
}
