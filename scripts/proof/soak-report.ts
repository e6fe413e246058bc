import { quantileSorted } from "simple-statistics";
import type { Violation } from "./check/violation.ts";
import type { Exchange } from "./history.ts";
import { formatCounts } from "./counts.ts";
import { linesOf, missing, type Least } from "./report.ts";
import type { Soaked } from "./soak.ts";
import { growth } from "./soak/memory.ts";

export const TASKS_FULL = 10_000;
/**
 * The memory of the entire process is shown but not checked, because it includes the local simulators of D1 and R2, and
 * garbage is collected late. Instead, the report checks the floor of the Worker's own heap and the number of objects
 * that remain in memory.
 */
const FLOOR_GROWTH_MAX_MIB = 2;
/** The object of a task that waits for a person may be in memory because it has just run an alarm. */
const OPEN_MAX = 10;
/** Until this many tasks have ended, the heap is still growing to its stable size. */
const WARM_TASKS = 2_000;
/** Claims wait by design, so they are not timed. */
const NOT_TIMED: ReadonlySet<string> = new Set(["claim"]);

export function soakTable(soaked: Soaked): string {
  const { history, samples, statuses, injected, seconds, tasks, logCounts } = soaked;
  const last = samples.at(-1);
  const peak = Math.max(...samples.map(({ mib }) => mib));
  return linesOf([
    [
      "tasks",
      `${tasks} in ${seconds.toFixed(0)} s, excluding idle periods: ${(tasks / seconds).toFixed(1)} per second`,
    ],
    [
      "ended",
      `${formatCounts(statuses)}; ${soaked.waiting} of these waited for people until they were cancelled`,
    ],
    ["events", `${soaked.events}, ${(soaked.events / seconds).toFixed(0)} per second`],
    ["faults injected", formatCounts([...injected, ["workers vanished", history.vanished]])],
    ["service log", formatCounts(logCounts) || "empty"],
    [
      "memory",
      `${samples[0]?.mib.toFixed(0)} MiB at the start, peak ${peak.toFixed(0)}, ${last?.mib.toFixed(0)} at the end`,
    ],
    ["minimum heap", growthText(soaked)],
    ["memory when idle", restsText(soaked)],
    ...latencies(history.exchanges),
  ]);
}

/** Memory problems in the idle periods. A full run must have enough idle periods to compare. */
export function memoryViolations(soaked: Soaked, tasks: number): Violation[] {
  const perThousand = restingGrowth(soaked);
  const messages = soaked.rests
    .filter(({ open }) => open > OPEN_MAX)
    .map(({ open, ended }) => `${open} objects are still in memory when idle after ${ended} tasks`);
  if (perThousand === null && tasks >= TASKS_FULL) messages.push("too few idle periods to compare");
  if ((perThousand ?? 0) > FLOOR_GROWTH_MAX_MIB) messages.push(growthText(soaked));
  return messages.map((message) => ({ rule: "memory does not grow", about: null, message }));
}

/**
 * The growth across the idle periods after the warm-up; null unless at least two of them have different task counts.
 */
function restingGrowth({ rests }: Soaked): number | null {
  const warm = rests.filter(({ ended }) => ended >= WARM_TASKS);
  if (warm.length < 2) return null;
  const perThousand = growth(warm);
  return Number.isNaN(perThousand) ? null : perThousand;
}

function restsText({ rests }: Soaked): string {
  const lines = rests.map(
    ({ mib, open, ended }) => `${mib.toFixed(0)} MiB, ${open} objects after ${ended}`,
  );
  return `${lines.join("; ")} (including the simulators of D1 and R2)`;
}

function growthText(soaked: Soaked): string {
  const perThousand = restingGrowth(soaked);
  const at = soaked.rests
    .map(({ ended, floorMib }) => `${floorMib.toFixed(0)} MiB after ${ended}`)
    .join(", ");
  if (perThousand === null) return `${at}; NOT CHECKED: too few tasks`;
  return `${at}: ${perThousand.toFixed(2)} MiB per 1,000 tasks, at most ${FLOOR_GROWTH_MAX_MIB}`;
}

/** Describes each minimum that a run did not reach. A short run need not reach the rare ones. */
export function missedBySoak(soaked: Soaked, tasks: number): string[] {
  const { statuses, injected, history } = soaked;
  const faults = [...injected.values()].reduce((sum, count) => sum + count, history.vanished);
  const workers = history.claimedTasks.length;
  const isShort = tasks < TASKS_FULL;
  const basis: Least = [
    ["tasks", soaked.tasks, tasks],
    ["completed", statuses.get("completed") ?? 0, isShort ? 1 : tasks / 2],
  ];
  if (isShort) return missing(basis);
  return missing([
    ...basis,
    ["failed", statuses.get("failed") ?? 0, tasks / 50],
    ["cancelled", statuses.get("cancelled") ?? 0, tasks / 50],
    ["waited for people", soaked.waiting, tasks / 1_000],
    ["claimed by workers", workers, tasks / 4],
    ["faults injected", faults, tasks / 200],
    ...(["broken off", "cut in the body", "sent twice"] as const).map(
      (kind) => [kind, injected.get(kind) ?? 0, tasks / 1_000] as const,
    ),
    ["memory samples", soaked.samples.length, 10],
  ]);
}

function latencies(exchanges: readonly Exchange[]): (readonly [string, string])[] {
  const timed = exchanges.filter(
    ({ kind, result }) => !NOT_TIMED.has(kind) && result !== "unknown",
  );
  return [...Map.groupBy(timed, ({ kind }) => kind)].map(([kind, same]) => {
    const times = same.map(({ startedAt, endedAt }) => endedAt - startedAt);
    const sorted = times.toSorted((one, other) => one - other);
    const at = (share: number): string => quantileSorted(sorted, share).toFixed(0);
    return [kind, `${same.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`];
  });
}
