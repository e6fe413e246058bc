import { describe, expect, it } from "vitest";
import { measured } from "../../bench/report/digits.ts";
import { resultsPage } from "../../bench/report/markdown.ts";
import { verdict } from "../../bench/report/targets.ts";
import type { Results, Work } from "../../bench/results.ts";
import { LIMIT, SAMPLE_RESULTS, work } from "./sample-results.ts";
import { parseChapters, parseTables } from "./markdown-tables.ts";

const CHARTS = [{ path: "charts/create.svg", description: "Create [a] task" }];

function page(changed: Partial<Results> = {}, tried: string | null = null): string {
  return resultsPage({ ...SAMPLE_RESULTS, ...changed }, CHARTS, tried);
}

/** All table rows that contain all of these cells. */
function rowsWith(text: string, ...cells: readonly string[]): string[][] {
  return parseTables(text)
    .flat()
    .filter((row) => cells.every((cell) => row.includes(cell)));
}

describe("the page of results", () => {
  it("the page has its chapters in order", () => {
    const text = page({}, "- It was tried.");
    expect(text.startsWith("# Benchmark\n")).toBe(true);
    expect(parseChapters(text)).toEqual([
      "Targets",
      "Create a task",
      "Read a task",
      "Full task lifecycle",
      "List tasks",
      "Invoke a tool",
      "Authenticate",
      "Charts",
      "Bundle and start-up",
      "Cost of a million tasks",
      "Optimisations and their effects",
      "How it was measured",
      "Omitted contestants",
    ]);
  });

  it("the page states the time, the code and the machine of the measurement", () => {
    const text = page();
    expect(text).toContain("measured on 22 November 2026 at commit `0123abc`");
    expect(text).toContain("`npm run bench`");
    expect(text).toContain("Imaginary 9000, 2 cores, 8.00 GiB of memory");
    expect(text).toContain("node 24.0.0, workerd 1.2.3");
    expect(text).toContain("- Somebody's server: it is not installed");
  });

  it("the page has one row for each contestant of each measurement other than lists", () => {
    const works = SAMPLE_RESULTS.works.filter(({ id }) => !id.startsWith("list-"));
    expect(works.length).toBeGreaterThan(5);
    for (const { entries } of works) {
      for (const { contestant, figures } of entries) {
        const { perSecond, p50Ms, p99Ms, processorMs } = figures;
        const cells = [perSecond, p50Ms, p99Ms, processorMs].map(measured);
        expect(rowsWith(page(), contestant, ...cells)).toHaveLength(1);
      }
    }
  });

  it("the page lists measurements by size, and the counts of the largest", () => {
    const [latencies = [], rates = [], largest = []] = parseTables(page()).filter(
      ([heads]) => heads?.[0] === "list",
    );
    expect(latencies[0]).toEqual(["list", "contestant", "1,000", "100,000", "1,000,000"]);
    expect(latencies).toHaveLength(16);
    expect(latencies[1]).toEqual([
      "All tasks, first page",
      "Bosun",
      "13.6 / 33.9",
      "13.9 / 34.8",
      "14.3 / 35.8",
    ]);
    expect(rates[1]?.slice(2)).toEqual(["1,180 (0.845)", "1,150 (0.833)", "1,120 (0.820)"]);
    expect(rates[2]?.slice(2)).toEqual(["1,400", "1,380", "1,360"]);
    expect(largest).toHaveLength(16);
    expect(largest[1]?.slice(0, 3)).toEqual(["All tasks, first page", "Bosun", "1,120"]);
  });

  it("the page shows a dash where a contestant has no list of that size", () => {
    const works = [
      work("list-status-1000", "By status", { Bosun: 100, "pg-boss": 200 }),
      work("list-status-100000", "By status", { Bosun: 50 }),
      work("list-newest", "The newest, however many", { Bosun: 25 }),
    ];
    const text = page({ works });
    expect(rowsWith(text, "By status", "pg-boss")[0]).toEqual([
      "By status",
      "pg-boss",
      "80.0 / 200",
      "–",
    ]);
    expect(rowsWith(text, "Bosun", "25.0")).toHaveLength(1);
  });

  it("the page shows ratios with their bounds and the counts, and a dash where none exists", () => {
    const [bosun] = rowsWith(page(), "Bosun", "612");
    expect(bosun?.slice(2, 3)).toEqual(["0.823 (0.798..0.855)"]);
    expect(bosun?.slice(-3)).toEqual(["7", "1", "–"]);
    expect(rowsWith(page(), LIMIT, "744")[0]?.[2]).toBe("1");
    expect(rowsWith(page(), "BullMQ", "4,120")[0]?.slice(-3)).toEqual(["–", "–", "–"]);
    expect(rowsWith(page(), "Bosun", "3,330")[0]?.[2]).toBe("–");
  });

  it("a single measurement has its own title if that is more specific", () => {
    expect(page()).toContain("Full lifecycle: creation, five steps, completion.\n\nRounds: 9.");
    expect(page()).not.toContain("Create a task.\n");
  });

  it.each([
    ["List tasks by team, after a cursor, of 1000", "tasks by team, after a cursor"],
    ["By team, of 1,000 rows", "By team"],
    ["By team (1,000 tasks)", "By team"],
    ["By team, of 10,000 rows", "By team, of 10,000 rows"],
    ["1000", "1000"],
  ])(
    "a row of the list table shows only the distinguishing part of the list's title: %s",
    (title, shown) => {
      const works = [work("list-team-1000", title, { Bosun: 25 })];
      expect(rowsWith(page({ works }), shown, "640 / 1,600")).toHaveLength(1);
    },
  );

  it("measurements without a known group are listed too", () => {
    const works = [...SAMPLE_RESULTS.works, work("claim", "Claim a task", { Bosun: 123.4 })];
    expect(parseChapters(page({ works }))).toContain("Other measurements");
    expect(rowsWith(page({ works }), "Bosun", "123")).toHaveLength(1);
  });

  it("the numbers of rounds are listed per measurement if they differ", () => {
    const [first, ...others] = SAMPLE_RESULTS.works.filter(({ id }) => id.startsWith("read"));
    const works = [...others, { ...first, rounds: 5 }].filter((one): one is Work => "id" in one);
    expect(page({ works })).toContain(
      "Rounds: 9 (Read a task after its eviction), 5 (Read a task that is in memory). Ratios are relative to the baseline.",
    );
  });

  it("tables are well-formed for any names", () => {
    const name = "a|b \\| c\\\nd";
    const named = work("create", "Create", { [name]: 100, [LIMIT]: 200 });
    const targets = [{ what: name, asked: name, measured: 1, isMet: true }];
    const text = page({ works: [named], targets });
    for (const [heads = [], ...rows] of parseTables(text)) {
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toHaveLength(heads.length);
    }
    const shown = "a|b \\| c\\ d";
    expect(rowsWith(text, shown, "100")).toHaveLength(1);
    expect(rowsWith(text, shown, "met")).toHaveLength(1);
  });

  it("the page shows the alarms per task", () => {
    expect(page()).toContain(
      "The number of alarms per lifecycle in Bosun is 2.25 without a pause between steps and 7.25 with 500 ms",
    );
  });

  it("the page shows charts with their descriptions, and has no charts chapter without them", () => {
    expect(page()).toContain("![Create \\[a\\] task](charts/create.svg)");
    expect(parseChapters(resultsPage(SAMPLE_RESULTS, []))).not.toContain("Charts");
  });

  it("the notes on what was tried form a chapter of the page, which is absent without notes", () => {
    const tried = page({}, "# Tried\n\nFirst words.\n\n### Caches\n\nMore.\n");
    expect(tried).toContain("## Optimisations and their effects\n\nFirst words.\n\n### Caches");
    expect(tried).not.toContain("# Tried\n");
    expect(page()).not.toContain("Optimisations and");
  });

  it("the page states that no contestant was omitted", () => {
    expect(page({ leftOut: [] })).toContain("## Omitted contestants\n\nNone.\n");
  });
});

describe("a target", () => {
  it("the table marks each target as met, as missed with the shortfall, or as not measured", () => {
    const [targets = []] = parseTables(page());
    expect(targets.slice(1).map((row) => row.slice(2))).toEqual([
      ["0.823", "met"],
      ["0.604", "missed by 0.196 (24 %)"],
      ["31.0", "missed by 6.00 (24 %)"],
      ["–", "not measured"],
    ]);
  });

  it.each([
    ["at least 0.8", 0.7999, "**missed** by 0.000100 (less than 1 %)"],
    ["at most 1,000 ms", 1_500, "**missed** by 500 (50 %)"],
    ["at most .5", 1, "**missed** by 0.500 (100 %)"],
    ["at most 0", 3, "**missed** by 3.00"],
    ["as fast as before", 3, "**missed**"],
    // Missed for a reason other than the figure shown.
    ["at least 2, in each round", 3, "**missed**"],
  ])("a missed target of '%s' at %d is shown as '%s'", (asked, value, expected) => {
    expect(verdict({ what: "it", asked, measured: value, isMet: false })).toBe(expected);
  });

  it("a target marked as met is shown as met, with or without a figure", () => {
    expect(verdict({ what: "it", asked: "at least 1", measured: 1, isMet: true })).toBe("met");
    expect(verdict({ what: "it", asked: "yes", measured: null, isMet: true })).toBe("met");
  });
});
