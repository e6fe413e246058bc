import { describe, expect, it } from "vitest";
import type { Results, Target, Work } from "../../bench/results.ts";
import { targetsTable } from "../../bench/report/targets.ts";
import { targetsOf } from "../../bench/targets.ts";
import { LIMIT, SAMPLE_RESULTS, work } from "./sample-results.ts";

function target(begins: string, changed: Partial<Results>): Target | undefined {
  return targetsOf({ ...SAMPLE_RESULTS, ...changed }).find(({ what }) => what.startsWith(begins));
}

/** A list benchmark. As `work` does for all measurements, it derives p50 from the throughput. */
function list(kind: string, size: number, own: number, limit: number): Work {
  return work(`list-${kind}-${size}`, kind, { Bosun: own, [LIMIT]: limit });
}

const LISTS = [
  list("a-first", 1_000, 90, 100),
  list("a-first", 100_000, 60, 100),
  list("a-first", 1_000_000, 85, 100),
];

describe("the targets", () => {
  it("the targets for lists cover both the median of all kinds and the slowest kind", () => {
    const typical = target("lists: throughput relative to baseline, median", { works: LISTS });
    expect(typical).toMatchObject({ asked: "at least 0.8", measured: 0.85, isMet: true });
    const slowest = target("lists: throughput relative to baseline, slowest", { works: LISTS });
    expect(slowest).toMatchObject({ asked: "at least 0.8", measured: 0.6, isMet: false });
  });

  it("a target shows the range of its rounds and whether they lie on both sides of the bound", () => {
    const life = { ...work("life", "Life", { Bosun: 82, [LIMIT]: 100 }), id: "life" };
    const lifeTarget = target("full lifecycle: throughput relative to baseline", { works: [life] });
    expect(lifeTarget?.measured).toBeCloseTo(0.82, 9);
    const spread = { least: 0.7, most: 0.9 };
    const met = { what: "create", asked: "at least 0.8", measured: 0.82, isMet: true };
    expect(targetsTable([{ ...met, spread }])).toMatch(
      /0\.820 \(0\.700\.\.0\.900\) \| met; some rounds met the bound, others did not/,
    );
    expect(targetsTable([{ ...met, spread: { least: 0.81, most: 0.9 } }])).toMatch(/met +\|/);
    expect(lifeTarget?.spread).toMatchObject({
      least: expect.any(Number),
      most: expect.any(Number),
    });
  });

  it("the target for flat list latency covers all sizes, not only the largest", () => {
    const [few, , most] = LISTS.map(({ entries }) => entries[0]?.figures.p50Ms ?? NaN);
    const flat = target("lists: p50", { works: LISTS });
    expect(flat?.measured).toBeCloseTo(90 / 60, 9);
    expect(flat?.isMet).toBe(false);
    // If only the smallest and the largest table were compared, the target would be met.
    expect(Number(most) / Number(few)).toBeLessThan(1.3);
  });

  it("the target for flat list latency compares each kind of list only with itself", () => {
    const works = [
      ...LISTS,
      list("b-first", 1_000, 900, 1_000),
      list("b-first", 100_000, 800, 1_000),
    ];
    expect(target("lists: p50", { works })?.measured).toBeCloseTo(1.5, 9);
  });

  it("the targets for a full lifecycle compare throughput with that of other products", () => {
    const works = [
      work("life", "Life", { Bosun: 90, [LIMIT]: 100, Workflows: 45, "Agents SDK": 60 }),
    ];
    expect(target("full lifecycle: throughput relative to Workflows", { works })).toMatchObject({
      measured: 2,
      isMet: false,
    });
    expect(
      target("full lifecycle: throughput relative to the Agents SDK", { works }),
    ).toMatchObject({
      measured: 1.5,
      isMet: true,
    });
  });

  it("the cost target applies to tasks without a pause between steps", () => {
    const costly = { ...SAMPLE_RESULTS.life, objectRowsWritten: 1_000 };
    const paced = { pauseMs: 500, use: costly };
    expect(target("cost of a million lifecycles", { pacedLife: paced })?.measured).toBeCloseTo(
      32.73,
      2,
    );
    expect(target("cost of a million lifecycles", { life: costly })?.measured).toBeGreaterThan(
      1_000,
    );
  });

  it("a target that was not measured is not met", () => {
    const targets = targetsOf({ ...SAMPLE_RESULTS, works: [] });
    const unmeasured = targets.filter(({ measured }) => measured === null);
    expect(unmeasured.length).toBe(targets.length - 3);
    expect(unmeasured.filter(({ isMet }) => isMet)).toEqual([]);
  });

  it("a target is met at the bound itself", () => {
    const bundle = { bytes: 1, gzipBytes: 1024 ** 2, startUpMs: 100 };
    expect(target("bundle", { bundle })?.isMet).toBe(true);
    expect(target("start-up", { bundle })?.isMet).toBe(true);
    expect(target("start-up", { bundle: { ...bundle, startUpMs: 100.1 } })?.isMet).toBe(false);
  });
});
