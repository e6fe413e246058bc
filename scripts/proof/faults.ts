import { setTimeout as pause } from "node:timers/promises";
import type { Bosun } from "./bosun.ts";
import type { Rng } from "./rng.ts";

type FaultKind = "kill" | "freeze" | "freeze, then kill";

/** A period of downtime. Times are in milliseconds since 1970. */
export interface Outage {
  readonly kind: FaultKind;
  readonly from: number;
  readonly until: number;
}

export interface FaultSchedule {
  readonly kills: number;
  readonly freezes: number;
  /**
   * The maximum planned pause between two faults. A pause is extended, up to `PATIENCE_MS`, until `writesBetween`
   * writes have been made.
   */
  readonly pauseMaxMs: number;
  readonly writesBetween: number;
  readonly freezeMaxMs: number;
  /** No fault starts after this many seconds. */
  readonly seconds: number;
}

/** The share of faults that follow the previous one immediately, possibly while the service is still starting. */
const AT_ONCE = 0.15;
const PAUSE_MIN_MS = 300;
/** The maximum time, including the pause, to wait for `writesBetween` writes, which take longer on a busy machine. */
const PATIENCE_MS = 15_000;
const POLL_MS = 50;

/** The kinds of faults in random order, each as often as configured. */
function planOf(schedule: FaultSchedule, rng: Rng): FaultKind[] {
  const both = Math.floor(Math.min(schedule.kills, schedule.freezes) / 4);
  const plan: FaultKind[] = [
    ...Array.from({ length: both }, () => "freeze, then kill" as const),
    ...Array.from({ length: schedule.kills - both }, () => "kill" as const),
    ...Array.from({ length: schedule.freezes - both }, () => "freeze" as const),
  ];
  return plan
    .map((kind) => ({ kind, place: rng.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ kind }) => kind);
}

/**
 * Injects the planned faults into the service and returns the resulting outages. `writes` returns the number of writes
 * so far.
 */
export async function injectFaults(
  bosun: Bosun,
  schedule: FaultSchedule,
  rng: Rng,
  writes: () => number,
): Promise<Outage[]> {
  const outages: Outage[] = [];
  const endsAt = Date.now() + schedule.seconds * 1_000;
  for (const kind of planOf(schedule, rng)) {
    const isAtOnce = rng.isHit(AT_ONCE);
    const pauseMs = rng.integer(PAUSE_MIN_MS, schedule.pauseMaxMs);
    const frozenMs = rng.integer(50, schedule.freezeMaxMs);
    if (!isAtOnce) await calm(pauseMs, writes, writes() + schedule.writesBetween);
    if (Date.now() > endsAt) break;
    const from = Date.now();
    if (kind !== "kill") {
      bosun.freeze();
      await pause(frozenMs);
    }
    if (kind === "freeze") bosun.thaw();
    else await bosun.crash();
    outages.push({ kind, from, until: Date.now() });
  }
  return outages;
}

async function calm(pauseMs: number, writes: () => number, wanted: number): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  await pause(pauseMs);
  while (writes() < wanted && Date.now() < giveUpAt) await pause(POLL_MS);
}

/** The uptime within a period. */
export function upMs(outages: readonly Outage[], from: number, until: number): number {
  const outMs = outages.reduce((sum, outage) => {
    const overlap = Math.min(outage.until, until) - Math.max(outage.from, from);
    return sum + Math.max(0, overlap);
  }, 0);
  return Math.max(0, until - from - outMs);
}
