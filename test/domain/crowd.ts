import fc from "fast-check";
import { CROWDS, livesOf, type Crowd } from "./arbitrary.ts";
import { AGENT_LAWS } from "./laws/agents.ts";
import { CLOCK_LAWS } from "./laws/clocks.ts";
import { CONTENT_LAWS } from "./laws/content.ts";
import { mustHoldLittle, mustReplay } from "./laws/ending.ts";
import { JUDGEMENT_LAWS } from "./laws/judgement.ts";
import { LawBroken, type Law } from "./laws/law.ts";
import { LEASE_LAWS } from "./laws/leases.ts";
import { PATH_LAWS } from "./laws/path.ts";
import type { Tally } from "./laws/tally.ts";
import { live, type Beginning, type Step } from "./living.ts";

const LAWS: readonly Law[] = [
  ...PATH_LAWS,
  ...JUDGEMENT_LAWS,
  ...CLOCK_LAWS,
  ...LEASE_LAWS,
  ...AGENT_LAWS,
  ...CONTENT_LAWS,
];

/** Where to begin: `seed` and `path` as a failed run has printed them. */
export interface Chance {
  readonly seed: number;
  readonly path: string | null;
}

/** How long a broken life is made shorter; the longest would take minutes to come to an end. */
const SHRINK_MS = 20_000;

/** Has many random lives lived under all laws; throws what the shortest life that breaks one has to tell. */
export function watchCrowd(crowd: Crowd, lives: number, chance: Chance, tally: Tally): void {
  const { isHoarder } = CROWDS[crowd].character;
  const property = fc.property(livesOf(crowd), ([beginning, moves]) => {
    watchLife(beginning, moves, isHoarder, tally);
  });
  const { seed, path } = chance;
  const found = fc.check(property, { ...from(seed, path), numRuns: lives, endOnFailure: true });
  if (!found.failed) return;
  const limits = { interruptAfterTimeLimit: SHRINK_MS, numRuns: lives };
  const run = fc.check(property, { ...from(seed, found.counterexamplePath), ...limits });
  const [least] = run.counterexample ?? [];
  const story = least === undefined ? [] : storyOf(...least);
  const again = `LAWS_SEED=${run.seed} LAWS_PATH=${run.counterexamplePath} npx vitest run test/domain/laws.test.ts -t ${crowd}`;
  throw new Error([messageOf(run.errorInstance), ...story, `Once more: ${again}`].join("\n"));
}

function from(seed: number, path: string | null) {
  return path === null ? { seed } : { seed, path };
}

function watchLife(
  beginning: Beginning,
  moves: readonly number[],
  isHoarder: boolean,
  tally: Tally,
): void {
  const watches = LAWS.map(({ watch }) => watch());
  const { log, task } = live(beginning, moves, (step) => {
    tally.count(step);
    for (const [index, watch] of watches.entries()) {
      try {
        watch(step);
      } catch (broken) {
        throw named(broken, LAWS[index]?.says ?? "");
      }
    }
  });
  mustReplay(log, task);
  if (isHoarder) mustHoldLittle(task);
  tally.lives += 1;
}

function named(broken: unknown, law: string): unknown {
  return broken instanceof LawBroken ? new LawBroken(`${law}: ${broken.message}`) : broken;
}

/** A life line by line: when, what was asked, what came of it. */
function storyOf(beginning: Beginning, moves: readonly number[]): string[] {
  const lines: string[] = [JSON.stringify(beginning.terms)];
  function tell({ now, command, decided, task }: Step): void {
    const came = decided.ok ? decided.value.map(({ type }) => type).join() : decided.failure.kind;
    const asked = JSON.stringify(command).slice(0, 400);
    lines.push(`${new Date(now).toISOString()} ${asked} -> ${came || "nothing"} (${task.status})`);
  }
  try {
    live(beginning, moves, tell);
  } catch (fault) {
    lines.push(String(fault));
  }
  return lines;
}

function messageOf(error: unknown): string {
  return error instanceof LawBroken
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
}
