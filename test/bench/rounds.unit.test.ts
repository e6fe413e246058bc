import { expect, it } from "vitest";
import type { Sample } from "../../bench/load.ts";
import type { Work } from "../../bench/results.ts";
import { runRounds, runStarts } from "../../bench/rounds.ts";

const COUNTS = { rowsWritten: 7, objectRequests: 2, d1Queries: null };
const ABOUT = {
  id: "create",
  title: "Create a task",
  unit: "request",
  reference: "limit",
} as const;

/** A one-second sample of identical requests with this latency and processor time. */
function sample(perSecond: number, eachMs = 1): Sample {
  return {
    requests: perSecond,
    seconds: 1,
    latenciesMs: [eachMs, eachMs, eachMs],
    processorMs: eachMs * perSecond,
  };
}

/** Runs rounds with these samples by contestant. The first sample is the warm-up. */
async function work(rates: Readonly<Record<string, readonly Sample[]>>): Promise<Work> {
  const turns = Object.entries(rates).map(([contestant, samples]) => ({
    contestant,
    go: async (round: number) => samples[round] ?? sample(0),
    counts: contestant === "own" ? COUNTS : null,
  }));
  return runRounds({ ...ABOUT, rounds: 3, turns }, () => {});
}

it("a ratio is the median of the rounds' own ratios, with the minimum and the maximum", async () => {
  const { entries } = await work({
    own: [sample(1), sample(50), sample(90), sample(400)],
    limit: [sample(1), sample(100), sample(100), sample(1_000)],
  });
  const [own, limit] = entries;
  // The ratio of the medians would be 0.9.
  expect(own?.figures.ratio).toEqual({ median: 0.5, least: 0.4, most: 0.9 });
  expect(own?.figures.perSecond).toBe(90);
  expect(limit?.figures.ratio).toBeNull();
});

it("the warm-up round does not count in any figure", async () => {
  const { entries, rounds } = await work({
    own: [sample(9_999, 9_999), sample(10, 2), sample(10, 2), sample(10, 2)],
    limit: [sample(1, 1), sample(20), sample(20), sample(20)],
  });
  expect(rounds).toBe(3);
  expect(entries[0]?.figures).toEqual({
    perSecond: 10,
    p50Ms: 2,
    p99Ms: 2,
    processorMs: 2,
    ratio: { median: 0.5, least: 0.5, most: 0.5 },
  });
});

it("counts are passed on, and missing counts are marked as missing", async () => {
  const { entries } = await work({ own: [], limit: [] });
  expect(entries.map(({ contestant, counts }) => [contestant, counts])).toEqual([
    ["own", COUNTS],
    ["limit", null],
  ]);
});

it("a measurement without a reference has no ratio", async () => {
  const turns = ["a", "b"].map((contestant) => ({ contestant, go: async () => sample(10) }));
  const { entries } = await runRounds({ ...ABOUT, reference: null, rounds: 1, turns }, () => {});
  expect(entries.map(({ figures }) => figures.ratio)).toEqual([null, null]);
});

it("in six rounds of six contestants, each contestant follows every other one once", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const order: string[][] = [];
  const turns = names.map((contestant) => ({
    contestant,
    async go(round: number) {
      (order[round] ??= []).push(contestant);
      return sample(10);
    },
  }));
  await runRounds({ ...ABOUT, reference: "a", rounds: 5, turns }, () => {});
  const pairs = order.flatMap((round) =>
    round.slice(1).map((one, place) => `${round[place]}${one}`),
  );
  expect(new Set(pairs).size).toBe(30);
  expect(order.map((round) => round.toSorted())).toEqual(Array.from(order, () => names));
});

it("each contestant has one turn per round, and each round starts with the next contestant", async () => {
  const order: string[][] = [];
  const turns = ["a", "b", "c"].map((contestant) => ({
    contestant,
    async go(round: number) {
      (order[round] ??= []).push(contestant);
      return sample(10);
    },
  }));
  const { entries } = await runRounds({ ...ABOUT, reference: "b", rounds: 3, turns }, () => {});
  expect(order).toEqual([
    ["a", "b", "c"],
    ["b", "c", "a"],
    ["c", "a", "b"],
    ["a", "b", "c"],
  ]);
  // The results keep the original order of the contestants.
  expect(entries.map(({ contestant }) => contestant)).toEqual(["a", "b", "c"]);
});

it("each start has a warm-up round, and the figures cover the rounds of all starts", async () => {
  const rates = [
    { own: [sample(9_999), sample(10), sample(20)], limit: [sample(1), sample(100), sample(50)] },
    { own: [sample(9_999), sample(60), sample(90)], limit: [sample(1), sample(120), sample(100)] },
  ];
  let started = 0;
  let stopped = 0;
  const start = async () => {
    const one = rates[started];
    started += 1;
    return {
      turns: (["own", "limit"] as const).map((contestant) => ({
        contestant,
        go: async (round: number) => one?.[contestant][round] ?? sample(0),
      })),
      stop: async () => {
        stopped += 1;
      },
    };
  };
  const { rounds, entries } = await runStarts({ ...ABOUT, rounds: 2 }, 2, start, () => {});
  expect({ rounds, started, stopped }).toEqual({ rounds: 4, started: 2, stopped: 2 });
  expect(entries[0]?.figures).toMatchObject({
    perSecond: 40,
    ratio: { median: 0.45, least: 0.1, most: 0.9 },
  });
});

it("starts with different contestants are an error", async () => {
  const contestants = [["own", "limit"], ["own"]];
  const start = async () => ({
    turns: (contestants.shift() ?? []).map((contestant) => ({
      contestant,
      go: async () => sample(10),
    })),
    stop: async () => {},
  });
  const run = runStarts({ ...ABOUT, rounds: 1 }, 2, start, () => {});
  await expect(run).rejects.toThrow("2 samples, but the reference has 1");
});

it("contestants are stopped even if a turn fails", async () => {
  let stopped = 0;
  const start = async () => ({
    turns: [{ contestant: "limit", go: () => Promise.reject(new Error("This turn failed.")) }],
    stop: async () => {
      stopped += 1;
    },
  });
  await expect(runStarts({ ...ABOUT, rounds: 1 }, 2, start, () => {})).rejects.toThrow(
    "This turn failed.",
  );
  expect(stopped).toBe(1);
});
