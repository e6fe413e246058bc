import { describe, expect, it } from "vitest";
import { costOfLives, sumOf } from "../../bench/report/cost.ts";
import { costSection } from "../../bench/report/cost-section.ts";
import { CLOUDFLARE, OTHERS, STORAGE, type Price } from "../../bench/report/prices.ts";
import { costOfOffer, OFFERS } from "../../bench/report/vendors.ts";
import type { LifeUse } from "../../bench/results.ts";
import { LIFE, PACED } from "./sample-results.ts";
import { parseTables } from "./markdown-tables.ts";

const NOTHING_USED: LifeUse = {
  requests: 0,
  objectRequests: 0,
  alarms: 0,
  d1Queries: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  r2Writes: 0,
  r2Reads: 0,
  queueMessages: 0,
  processorMs: 0,
  objectMs: 0,
};

function cost(use: Partial<LifeUse>): number {
  return sumOf(costOfLives({ ...NOTHING_USED, ...use }));
}

describe("the cost of a million tasks in Bosun", () => {
  // The expected costs are computed by hand from the price list.
  it.each<[Partial<LifeUse>, number]>([
    [{}, 0],
    [{ requests: 1 }, 0.3],
    [{ processorMs: 5 }, 0.1],
    [{ objectRequests: 7 }, 1.05],
    // 0.05 s × 0.128 GB × $12.50 per million GB-s. A million object-seconds cost $1.60.
    [{ objectMs: 50 }, 0.08],
    [{ objectRowsWritten: 3, d1RowsWritten: 4 }, 7],
    [{ objectRowsRead: 100, d1RowsRead: 200 }, 0.3],
    [{ r2Writes: 2, r2Reads: 5 }, 10.8],
    [{ queueMessages: 2 }, 2.4],
    // Queries are billed only by their rows.
    [{ d1Queries: 100 }, 0],
    [
      {
        requests: 1,
        processorMs: 5,
        objectRequests: 7,
        objectMs: 50,
        objectRowsWritten: 14,
        objectRowsRead: 30,
      },
      15.56,
    ],
  ])("a million tasks that each use %o cost %d dollars", (use, expected) => {
    expect(cost(use)).toBeCloseTo(expected, 9);
  });

  it("the cost lists each factor and their sum", () => {
    const [own = []] = parseTables(costSection(LIFE, PACED));
    expect(own.slice(1).map(([what, , ...factors]) => [what, ...factors])).toEqual([
      ["requests", "2", "0.30", "$0.60"],
      ["ms of CPU time", "12", "0.02", "$0.24"],
      ["object requests", "9", "0.15", "$1.35"],
      ["GB-s of object duration", "0.0064", "12.50", "$0.08"],
      ["rows written in objects", "17", "1.00", "$17.00"],
      ["rows read in objects", "30", "0.001", "$0.03"],
      ["rows written in D1", "7", "1.00", "$7.00"],
      ["rows read in D1", "10", "0.001", "$0.01"],
      ["R2 class A operations", "1", "4.50", "$4.50"],
      ["R2 class B operations", "2", "0.36", "$0.72"],
      ["queue operations", "3", "0.40", "$1.20"],
      ["total", "", "", "$32.73"],
    ]);
    expect(costSection(LIFE, PACED)).toContain(
      [
        "2 × 0.30 + 12 × 0.02 + 9 × 0.15 + 0.0064 × 12.50",
        "  + 17 × 1.00 + 30 × 0.001 + 7 × 1.00 + 10 × 0.001",
        "  + 1 × 4.50 + 2 × 0.36 + 3 × 0.40",
        "  ≈ $32.73",
      ].join("\n"),
    );
  });

  it("the cost section states the cost for both paces and describes the task", () => {
    const text = costSection(LIFE, PACED);
    expect(text).toContain(
      "$32.73 without a pause between steps, which is the figure that the target applies to, and $33.48 with 500 ms between steps",
    );
    expect(text).toContain("a task without input, which calls no tool and delivers one file");
    const [, paced = []] = parseTables(text);
    expect(paced.find(([what]) => what === "object requests")?.slice(2)).toEqual([
      "14",
      "0.15",
      "$2.10",
    ]);
    expect(paced.at(-1)?.at(-1)).toBe("$33.48");
  });

  it("tasks that use nothing cost nothing, and other products have no ratio to them", () => {
    const [, , others = []] = parseTables(costSection(NOTHING_USED, PACED));
    const [, own, ...rest] = others;
    expect(own?.slice(0, 3)).toEqual(["Bosun", "as above", "$0"]);
    expect(new Set(rest.map((row) => row[3]))).toEqual(new Set(["–"]));
  });
});

describe("other products' prices for a million tasks of five steps", () => {
  // The expected prices are computed by hand from the vendors' billing rules.
  const BY_HAND = [
    ["Cloudflare Workflows", "requests 2 × 0.30 + steps 5 × 8.00", 40.6],
    ["Temporal Cloud, Developer", "Actions 6 × 50.00 × 1.1", 330],
    ["Temporal Cloud, last band", "Actions 6 × 25.00 × 1.1", 165],
    ["AWS Step Functions, Standard", "state transitions 5 × 25.00", 125],
    ["AWS Step Functions, Express", "requests 1 × 1.00 + GB-s 0.00625 × 16.67", 1.1041875],
    ["AWS Lambda durable functions", "durable operations 6 × 8.00", 48],
    ["Inngest Pro, first band", "executions 6 × 50.00", 300],
    ["Inngest Pro, last band", "executions 6 × 15.00", 90],
    ["Trigger.dev", "runs 6 × 25.00", 150],
    ["Upstash Workflow", "steps 5 × 10.00", 50],
  ] as const;

  it("the cost of each other product matches the value computed by hand", () => {
    const found = OFFERS.map((offer) => [offer.name, costOfOffer(offer)] as const);
    expect(found.map(([name]) => name)).toEqual(BY_HAND.map(([name]) => name));
    for (const [place, [, , dollars]] of BY_HAND.entries()) {
      expect(found[place]?.[1]).toBeCloseTo(dollars, 9);
    }
  });

  it("each other product's cost is shown with its formula, cheapest first, next to Bosun's", () => {
    const [, , others = []] = parseTables(costSection(LIFE, PACED));
    const [, own, ...rest] = others;
    expect(own?.slice(0, 4)).toEqual(["Bosun", "as above", "$32.73", "1"]);
    const formulas = BY_HAND.toSorted(([, , one], [, , other]) => one - other);
    expect(rest.map(([name, formula]) => [name, formula])).toEqual(
      formulas.map(([name, formula]) => [name, formula]),
    );
    expect(rest.find(([name]) => name === "Cloudflare Workflows")?.slice(2, 4)).toEqual([
      "$40.60",
      "1.24",
    ]);
  });
});

describe("prices", () => {
  const prices: Price[] = [CLOUDFLARE, STORAGE, OTHERS].flatMap((list) => Object.values(list));

  it("each price has a source address that the page names once", () => {
    const page = costSection(LIFE, PACED);
    expect(prices.length).toBeGreaterThan(20);
    for (const { source, dollars, per } of prices) {
      expect(new URL(source).protocol).toBe("https:");
      expect(page.split(`<${source}>`)).toHaveLength(2);
      expect(Math.min(dollars, per)).toBeGreaterThan(0);
    }
    expect(page).toContain("read in November 2026");
  });
});
