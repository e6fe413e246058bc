import fc from "fast-check";
import { TASK_PROFILES, commandSequences, type TaskProfile } from "./task-generator.ts";
import { AGENT_PROPERTIES } from "./agent-properties.ts";
import { TIME_PROPERTIES } from "./time-properties.ts";
import { CONTENT_PROPERTIES } from "./content-properties.ts";
import { WAITING_PROPERTIES } from "./waiting-properties.ts";
import { ensureBounded, ensureReplay } from "./replay.ts";
import { DECISION_PROPERTIES } from "./decision-properties.ts";
import { PropertyViolation, type Property } from "./property.ts";
import { LEASE_PROPERTIES } from "./lease-properties.ts";
import { PATH_PROPERTIES } from "./path-properties.ts";
import type { Coverage } from "./coverage.ts";
import { runTask, type RunStart, type RunStep } from "./run-task.ts";

const PROPERTIES: readonly Property[] = [
  ...PATH_PROPERTIES,
  ...DECISION_PROPERTIES,
  ...TIME_PROPERTIES,
  ...LEASE_PROPERTIES,
  ...AGENT_PROPERTIES,
  ...CONTENT_PROPERTIES,
  ...WAITING_PROPERTIES,
];

/** Identifies a run by the `seed` and `path` that a failed run printed. */
export interface RunSeed {
  readonly seed: number;
  readonly path: string | null;
}

/** The time limit for shrinking a failed run. Shrinking a long run would otherwise take minutes. */
const SHRINK_MS = 20_000;

/**
 * Checks all properties over many random runs. Throws a report of the shortest violating run that
 * it finds.
 */
export function checkProfile(
  profile: TaskProfile,
  lives: number,
  chance: RunSeed,
  coverage: Coverage,
): void {
  const { isHoarder } = TASK_PROFILES[profile].character;
  const property = fc.property(commandSequences(profile), ([beginning, moves]) => {
    checkRun(beginning, moves, isHoarder, coverage);
  });
  const { seed, path } = chance;
  const found = fc.check(property, { ...from(seed, path), numRuns: lives, endOnFailure: true });
  if (!found.failed) return;
  const limits = { interruptAfterTimeLimit: SHRINK_MS, numRuns: lives };
  const run = fc.check(property, { ...from(seed, found.counterexamplePath), ...limits });
  const [least] = run.counterexample ?? [];
  const story = least === undefined ? [] : traceOf(...least);
  const again = `PROPERTIES_SEED=${run.seed} PROPERTIES_PATH=${run.counterexamplePath} npx vitest run test/tasks/model/properties/task.properties.test.ts -t ${profile}`;
  throw new Error([messageOf(run.errorInstance), ...story, `To repeat: ${again}`].join("\n"));
}

function from(seed: number, path: string | null) {
  return path === null ? { seed } : { seed, path };
}

function checkRun(
  beginning: RunStart,
  moves: readonly number[],
  isHoarder: boolean,
  coverage: Coverage,
): void {
  const watches = PROPERTIES.map(({ observe: watch }) => watch());
  const { log, task } = runTask(beginning, moves, (step) => {
    coverage.count(step);
    for (const [index, watch] of watches.entries()) {
      try {
        watch(step);
      } catch (broken) {
        throw named(broken, PROPERTIES[index]?.claim ?? "");
      }
    }
  });
  ensureReplay(log, task);
  if (isHoarder) ensureBounded(task);
  coverage.runs += 1;
}

function named(broken: unknown, claim: string): unknown {
  return broken instanceof PropertyViolation
    ? new PropertyViolation(`${claim}: ${broken.message}`)
    : broken;
}

/** Describes a run, with the time, command and result of each step on one line. */
function traceOf(beginning: RunStart, moves: readonly number[]): string[] {
  const lines: string[] = [JSON.stringify(beginning.terms)];
  function tell({ now, command, decided, task }: RunStep): void {
    const came = decided.ok ? decided.value.map(({ type }) => type).join() : decided.failure.kind;
    const asked = JSON.stringify(command).slice(0, 400);
    lines.push(`${new Date(now).toISOString()} ${asked} -> ${came || "nothing"} (${task.status})`);
  }
  try {
    runTask(beginning, moves, tell);
  } catch (error) {
    lines.push(String(error));
  }
  return lines;
}

function messageOf(error: unknown): string {
  return error instanceof PropertyViolation
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
}
