import { beforeAll, describe, expect, it } from "vitest";
import { BUILTIN_PHASES } from "../../../src/tasks/model/schedule.ts";
import { AgentHarness, toCsv, penguins } from "./agent-harness.ts";

const MEASURES = ["Beak Length (mm)", "Beak Depth (mm)", "Flipper Length (mm)", "Body Mass (g)"];

/** The numbers in a column. The tests compute figures from them with plain sums, independently of the tools. */
function numbersOf(name: string): (number | null)[] {
  return penguins().map((row) => {
    const cell = row[name];
    return typeof cell === "number" ? cell : null;
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(x: string, y: string): { r: number; n: number } {
  const ys = numbersOf(y);
  const pairs = numbersOf(x).flatMap((value, row): [number, number][] => {
    const other = ys[row] ?? null;
    return value === null || other === null ? [] : [[value, other]];
  });
  const [mx, my] = [meanOf(pairs.map(([a]) => a)), meanOf(pairs.map(([, b]) => b))];
  const sum = (of: (a: number, b: number) => number) =>
    pairs.reduce((total, [a, b]) => total + of(a - mx, b - my), 0);
  const r = sum((a, b) => a * b) / Math.sqrt(sum((a) => a * a) * sum((_, b) => b * b));
  return { r: Number(r.toPrecision(4)), n: pairs.length };
}

describe("the penguin data as CSV", () => {
  const harness = new AgentHarness({
    task: "How do body mass and flippers differ between the species?",
    deliverables: ["report", "presentation", "analysis", "chart", "spreadsheet", "summary", "memo"],
    context: { csv: toCsv(penguins()) },
  });
  let trail: [string, number][] = [];
  beforeAll(async () => {
    trail = await harness.run();
  });

  it("an analysis runs through the five phases, one step each", () => {
    expect(trail).toEqual([
      ["gathering", 20],
      ["analysing", 40],
      ["drafting", 60],
      ["finalising", 80],
      ["finalising", 100],
    ]);
    expect(BUILTIN_PHASES).toHaveLength(trail.length);
    expect(harness.task.status).toBe("completed");
  });

  it("the insights and deliverables state every mean to four digits", () => {
    for (const name of MEASURES) {
      const values = numbersOf(name).filter((value) => value !== null);
      const mean = Number(meanOf(values).toPrecision(4));
      const stated = harness.outcome.result.insights.filter((text) =>
        text.startsWith(`The mean of ${name} is ${mean} (n = ${values.length}, SD `),
      );
      expect(stated).toHaveLength(1);
      for (const file of ["report.md", "report.html", "memo.md", "analysis.json"]) {
        expect(harness.text(file)).toContain(String(mean));
      }
    }
  });

  it("the insights and deliverables state every correlation to four digits", () => {
    for (const [index, x] of MEASURES.entries()) {
      for (const y of MEASURES.slice(index + 1)) {
        const { r, n } = correlation(x, y);
        const stated = harness.outcome.result.insights.filter(
          (text) => text.startsWith(`${x} and ${y} `) && text.endsWith(`: r = ${r} (n = ${n}).`),
        );
        expect(stated).toHaveLength(1);
        for (const file of ["report.md", "report.html", "analysis.json"]) {
          expect(harness.text(file)).toContain(String(r));
        }
      }
    }
  });

  it("the recommendations state figures from the insights", () => {
    const { recommendations } = harness.outcome.result;
    expect(recommendations[0]).toContain("r = 0.8712");
    expect(recommendations.some((text) => text.includes("5076 for Gentoo"))).toBe(true);
    expect(recommendations.some((text) => text.includes("Sex (10 of 344 rows)"))).toBe(true);
  });

  it("the first insight and the summary are about the measure that the task names", () => {
    expect(harness.outcome.result.insights[0]).toMatch(/^The mean of Body Mass \(g\)/);
    expect(harness.outcome.result.summary).toContain(
      "The mean of Body Mass (g) by Species ranges from 3701 for Adelie to 5076 for Gentoo.",
    );
  });

  it("a complete analysis scores 100 for completeness, and missing values or unchecked figures lower its accuracy", () => {
    const { quality } = harness;
    expect(quality.completeness).toBe(100);
    // 18 of 2,408 cells are missing, and three of six correlations were not checked a second time.
    expect(quality.accuracy).toBeGreaterThan(85);
    expect(quality.accuracy).toBeLessThan(99);
    expect(quality.clarity).toBeGreaterThan(60);
  });

  it("an analysis makes at most 16 calls and keeps its work log below 16,000 characters", () => {
    expect(harness.calls.length).toBeLessThanOrEqual(16);
    expect(harness.calls.every(({ ok }) => ok)).toBe(true);
    expect(JSON.stringify(harness.task.work).length).toBeLessThan(16_000);
  });

  it("every requested deliverable is created with the requested type", () => {
    const made = harness.outcome.deliverables.map(({ type, name }) => [type, name]);
    expect(made).toEqual([
      ["report", "report.md"],
      ["report", "report.html"],
      ["presentation", "presentation.html"],
      ["analysis", "analysis.json"],
      ["chart", "chart.svg"],
      ["chart", "chart-2.svg"],
      ["chart", "chart-3.svg"],
      ["spreadsheet", "spreadsheet.xlsx"],
      ["summary", "summary.txt"],
      ["memo", "memo.md"],
    ]);
    for (const { name, size } of harness.outcome.deliverables) {
      expect(harness.bytes(name).byteLength).toBe(size);
      expect(size).toBeGreaterThan(200);
    }
  });

  it("the pages contain their charts and need no external resources", () => {
    for (const [file, charts] of [
      ["report.html", 3],
      ["presentation.html", 3],
    ] as const) {
      const page = harness.text(file);
      expect(page.match(/<svg /g)).toHaveLength(charts);
      expect(
        page.match(/<script|<link|<iframe|<img|@import|src=| on\w+="|https?:(?!\/\/www\.w3\.org)/g),
      ).toBeNull();
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("a repeated drafting step returns the same result", async () => {
    const again = new AgentHarness({
      task: harness.task.task,
      context: { csv: toCsv(penguins()) },
    });
    await again.runToPhase("drafting");
    const before = again.task;
    await again.step();
    const { drafted } = again.task.work;
    again.task = before;
    await again.step();
    const strip = (value: unknown) => JSON.stringify(value).replaceAll(/"createdAt":\d+/g, "");
    expect(strip(again.task.work["drafted"])).toBe(strip(drafted));
  });
});
