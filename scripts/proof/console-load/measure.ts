import { setTimeout as pause } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import type { ReplayServer } from "./replay-server.ts";

const PROBE_MS = 20;
const MIB = 1024 ** 2;

/** What a view did while events arrived. Durations are in milliseconds, and sizes in MiB. */
export interface Measurement {
  readonly view: string;
  readonly events: number;
  /** How late the main thread ran a probe that was due every 20 ms. */
  readonly delays: readonly number[];
  /** The durations of the tasks of at least 50 ms. */
  readonly longTasks: readonly number[];
  /** The part of the time in which the main thread worked, from 0 to 1. */
  readonly busy: number;
  /** The heap after garbage collection at the start, in the middle and at the end. */
  readonly heap: readonly [number, number, number];
}

/** Runs in the page: records long tasks and the delays of the probe. */
const RECORD = `(() => {
  const recorded = { delays: [], longTasks: [] };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) recorded.longTasks.push(duration);
  }).observe({ type: "longtask" });
  let dueAt = performance.now() + ${PROBE_MS};
  const probe = () => {
    const now = performance.now();
    // While the main thread is blocked, the probe misses its later times, too.
    for (let delay = Math.max(0, now - dueAt); delay >= 0; delay -= ${PROBE_MS}) recorded.delays.push(delay);
    dueAt = now + ${PROBE_MS};
    setTimeout(probe, ${PROBE_MS});
  };
  setTimeout(probe, ${PROBE_MS});
  globalThis.recordedLoad = recorded;
})()`;

/** Sends events to the page for `seconds`, and measures the load on the page. */
export async function measure(
  page: Page,
  server: ReplayServer,
  { view, rate, seconds }: { view: string; rate: number; seconds: number },
): Promise<Measurement> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const sentBefore = server.sent();
  const start = await heapOf(cdp);
  await page.evaluate(RECORD);
  const stop = server.start(rate);
  const before = await metrics(cdp);
  await pause((seconds * 1_000) / 2);
  const middle = await heapOf(cdp);
  await pause((seconds * 1_000) / 2);
  stop();
  const after = await metrics(cdp);
  const recorded: Pick<Measurement, "delays" | "longTasks"> = await page.evaluate("recordedLoad");
  const end = await heapOf(cdp);
  await cdp.detach();
  const busy =
    ((after["TaskDuration"] ?? 0) - (before["TaskDuration"] ?? 0)) /
    ((after["Timestamp"] ?? 0) - (before["Timestamp"] ?? 0));
  return {
    view,
    events: server.sent() - sentBefore,
    ...recorded,
    busy,
    heap: [start, middle, end],
  };
}

async function metrics(cdp: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics: list } = await cdp.send("Performance.getMetrics");
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

/** The used heap after garbage collection, in MiB. The second collection frees what the first one finalised. */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("HeapProfiler.collectGarbage");
  return ((await metrics(cdp))["JSHeapUsedSize"] ?? 0) / MIB;
}

/** The value below which `part` of the values are; 0 if there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
