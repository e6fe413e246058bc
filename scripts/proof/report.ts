import type { Violation } from "./check/violation.ts";
import type { History } from "./history.ts";

const VIOLATIONS_SHOWN = 20;
const NAMES_WIDTH = 22;

/** The minimums of a run, each with its name, the actual number and the required number. */
export type Least = readonly (readonly [string, number, number])[];

/** Describes each minimum that was not reached. */
export function missing(least: Least): string[] {
  return least
    .filter(([, count, wanted]) => count < wanted)
    .map(([what, count, wanted]) => `${what}: ${count}, must be at least ${wanted}`);
}

/** Formats names and values, one pair per line. */
export function linesOf(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `${name.padEnd(NAMES_WIDTH)} ${value}`).join("\n");
}

/** The result of a run. */
export interface Outcome {
  readonly missed: readonly string[];
  readonly violations: readonly Violation[];
  readonly history: History;
  /** Why this is not a full run; null for a full run. */
  readonly short: string | null;
  /** The settings that reproduce the plan of this run. */
  readonly seed: string;
}

/**
 * Prints the result and ends the process. The exit code is 1 if there are violations or minimums that were not reached.
 */
export function conclude({ missed, violations, history, short, seed }: Outcome): never {
  for (const message of missed) console.error(`Minimum not reached: ${message}`);
  for (const { rule, about, message } of violations.slice(0, VIOLATIONS_SHOWN)) {
    console.error(`\nVIOLATED: ${rule}: ${about ?? ""} ${message}`);
    if (about !== null) for (const line of history.about(about)) console.error(`  ${line}`);
  }
  const isSound = missed.length === 0 && violations.length === 0;
  const summary = `${violations.length} violations, ${missed.length} minimums not reached`;
  if (!isSound) console.log(`FAILED: ${summary}. To reproduce: ${seed}`);
  else
    console.log(short === null ? "All checks passed." : `Short run (${short}): all checks passed.`);
  process.exit(isSound ? 0 : 1);
}

/** Returns a function that prints messages with the seconds since the start of the run. */
export function speaker(): (message: string) => void {
  const startedAt = Date.now();
  return (message) => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0)} s: ${message}`);
}
