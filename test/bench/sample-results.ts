import type { Counts, Entry, LifeUse, PacedLife, Results, Work } from "../../bench/results.ts";

/** Made-up figures for tests. */

export const LIMIT = "baseline";

function entry(
  contestant: string,
  perSecond: number,
  limit: number | null,
  counts: Counts | null = null,
): Entry {
  const median = limit === null ? null : perSecond / limit;
  return {
    contestant,
    figures: {
      perSecond,
      p50Ms: 16_000 / perSecond,
      p99Ms: 40_000 / perSecond,
      processorMs: 1_400 / perSecond,
      ratio: median === null ? null : { median, least: median * 0.97, most: median * 1.04 },
    },
    counts,
  };
}

export function work(id: string, title: string, rates: Readonly<Record<string, number>>): Work {
  const limit = rates[LIMIT] ?? null;
  const entries = Object.entries(rates).map(([name, perSecond]) =>
    entry(
      name,
      perSecond,
      name === LIMIT ? null : limit,
      name === "BullMQ" ? null : { rowsWritten: 7, objectRequests: 1, d1Queries: null },
    ),
  );
  const reference = limit === null ? null : LIMIT;
  return { id, title, unit: id === "life" ? "life" : "request", reference, rounds: 9, entries };
}

const LIST_KINDS = [
  ["all-first", "All tasks, first page", 1_180],
  ["status-first", "By status, first page", 1_090],
  ["agent-first", "By agent, first page", 1_120],
  ["status-deep", "By status, a page further in", 1_010],
  ["dates", "Between two dates", 940],
] as const;
const SIZES = [1_000, 100_000, 1_000_000];

const LISTS = LIST_KINDS.flatMap(([kind, title, rate]) =>
  SIZES.map((size, place) =>
    work(`list-${kind}-${size}`, `${title}, of ${size.toLocaleString("en-US")} tasks`, {
      Bosun: rate - 31 * place,
      [LIMIT]: rate + 217 - 17 * place,
      "pg-boss": 1_733 - 600 * place,
    }),
  ),
);

export const LIFE: LifeUse = {
  requests: 2,
  objectRequests: 9,
  alarms: 2.25,
  d1Queries: 5,
  d1RowsRead: 10,
  d1RowsWritten: 7,
  objectRowsRead: 30,
  objectRowsWritten: 17,
  r2Writes: 1,
  r2Reads: 2,
  queueMessages: 1,
  processorMs: 12,
  objectMs: 50,
};

export const PACED: PacedLife = {
  pauseMs: 500,
  use: { ...LIFE, objectRequests: 14, alarms: 7.25 },
};

export const SAMPLE_RESULTS: Results = {
  at: "2026-11-22T23:59:59.000Z",
  commit: "0123abc",
  machine: { processor: "Imaginary 9000", cores: 2, memoryBytes: 8 * 2 ** 30 },
  versions: { node: "24.0.0", workerd: "1.2.3" },
  works: [
    work("create", "Create a task", {
      Bosun: 612,
      [LIMIT]: 744,
      Workflows: 388,
      "Agents SDK": 301,
      BullMQ: 4_120,
      "pg-boss": 1_530,
    }),
    work("read-hot", "Read a task that is in memory", {
      Bosun: 2_010,
      [LIMIT]: 2_240,
      BullMQ: 6_000,
    }),
    work("read-cold", "Read a task after its eviction", {
      Bosun: 480,
      [LIMIT]: 566,
      Workflows: 90.4,
    }),
    work("life", "Full lifecycle: creation, five steps, completion", {
      Bosun: 71.3,
      [LIMIT]: 118,
      "Agents SDK": 54,
      BullMQ: 1_090,
    }),
    ...LISTS,
    work("invoke", "Invoke a tool", { Bosun: 841, [LIMIT]: 1_030 }),
    work("authenticate", "Authenticate", { Bosun: 3_333 }),
  ],
  bundle: { bytes: 2_500_000, gzipBytes: 700_000, startUpMs: 43.21 },
  life: LIFE,
  pacedLife: PACED,
  targets: [
    { what: "Creation, ratio to baseline", asked: "at least 0.8", measured: 0.8226, isMet: true },
    {
      what: "Full lifecycle, ratio to baseline",
      asked: "at least 0.8",
      measured: 0.6042,
      isMet: false,
    },
    { what: "p99 of a page of a million", asked: "at most 25 ms", measured: 31, isMet: false },
    { what: "Tasks a minute", asked: "at least 1,000", measured: null, isMet: false },
  ],
  leftOut: ["Somebody's server: it is not installed"],
};
