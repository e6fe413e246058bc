import { start, type Dialect, type Running } from "./contestants/contestant.ts";
import { missingServer } from "./contestants/servers.ts";
import { BOSUN, plain as plainDialect } from "./dialects.ts";

/** A running contestant and how to send requests to it. */
export interface Contestant extends Running {
  readonly dialect: Dialect;
}

/** The contestant that all others are compared with. */
export const LIMIT = "baseline";
export const THIS = "Bosun";
export const WORKFLOWS = "Workflows";
export const AGENTS = "Agents SDK";
export const PG_BOSS = "pg-boss";

const ALL: readonly { name: string; file: string; needs: "postgres" | "redis" | null }[] = [
  { name: THIS, file: "bosun", needs: null },
  { name: LIMIT, file: "bare", needs: null },
  { name: WORKFLOWS, file: "workflow", needs: null },
  { name: AGENTS, file: "agent", needs: null },
  { name: "BullMQ", file: "bullmq", needs: "redis" },
  { name: PG_BOSS, file: "pg-boss", needs: "postgres" },
];

/** The contestants that this machine cannot run, and why. */
export function leftOut(): string[] {
  return ALL.flatMap(({ name, needs }) => {
    const missing = needs === null ? null : missingServer(needs);
    return missing === null ? [] : [`${name}: this machine has no ${missing}`];
  });
}

export interface FieldSetting {
  /** The contestants to start; all available ones by default. */
  readonly names?: readonly string[];
  /** Whether the contestants count their platform calls, which makes them slower. */
  readonly isCounted?: boolean;
}

/**
 * Starts contestants. `pauseMs` is the pause before a task's first step; in Bosun, it also precedes each later step.
 */
export async function startContestants(
  pauseMs: number,
  { names, isCounted = false }: FieldSetting = {},
): Promise<Contestant[]> {
  const chosen = ALL.filter(
    ({ name, needs }) =>
      (names === undefined || names.includes(name)) &&
      (needs === null || missingServer(needs) === null),
  );
  const settings = { BENCH_PAUSE_MS: String(pauseMs), BENCH_COUNTED: isCounted ? "yes" : "no" };
  const started = await Promise.allSettled(
    chosen.map(async ({ name, file }) => {
      const dialect = file === "bosun" ? BOSUN : plainDialect(pauseMs);
      return { ...(await start(name, file, settings)), dialect };
    }),
  );
  const running = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = started.find((one) => one.status === "rejected");
  if (failed === undefined) return running;
  await stopAll(running);
  throw failed.reason;
}

export async function stopAll(running: readonly Running[]): Promise<void> {
  await Promise.all(running.map((one) => one.stop()));
}

/** The contestants with these names, in the order of `contestants`. */
export function only(
  contestants: readonly Contestant[],
  ...names: readonly string[]
): Contestant[] {
  return contestants.filter(({ name }) => names.includes(name));
}
