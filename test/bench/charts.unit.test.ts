import { XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { chartsOf } from "../../bench/report/charts.ts";
import type { Results } from "../../bench/results.ts";
import { LIMIT, SAMPLE_RESULTS, work } from "./sample-results.ts";

function svgOf(name: string, changed: Partial<Results> = {}): string {
  const found = chartsOf({ ...SAMPLE_RESULTS, ...changed }).find((chart) => chart.name === name);
  if (found === undefined) throw new Error(`There is no chart ${name}`);
  return found.svg;
}

function expectWhole(svg: string) {
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|\son\w+=|href=/);
}

interface Bar {
  readonly left: number;
  readonly length: number;
}

/** The left edges and lengths of all bars of one colour, in pixels. */
function bars(svg: string, colour: string): Bar[] {
  const drawn = new RegExp(`<path d="M([\\d.]+) \\S+l([\\d.]+) 0l[^"]*Z" fill="${colour}"`, "g");
  return Array.from(svg.matchAll(drawn), ([, left, length]) => ({
    left: Number(left),
    length: Number(length),
  }));
}

/** The x positions of the dashed lines. */
function dashes(svg: string): number[] {
  const lines = svg.matchAll(/<path d="M([\d.]+) [^"]*"[^>]*stroke-dasharray/g);
  return [...lines].map(([, x]) => Number(x));
}

const BOSUN_BARS = "#0072B2";
const LIMIT_BARS = "#8A8A8A";

describe("charts", () => {
  const charts = chartsOf(SAMPLE_RESULTS);

  it("one chart is drawn for each group, one for growing lists and one for the cost", () => {
    expect(charts.map(({ name }) => name)).toEqual([
      "create",
      "read",
      "life",
      "lists",
      "list-latency",
      "invoke",
      "authenticate",
      "cost",
    ]);
  });

  it.each(charts)(
    "the chart $name is static, has a white background, and has a text description",
    (chart) => {
      expectWhole(chart.svg);
      expect(chart.svg).not.toMatch(/<animate|<style|transition/);
      expect(chart.svg).toMatch(/<rect width="860" height="\d+" x="0" y="0" fill="#FFFFFF">/);
      expect(chart.svg).toContain(`<title>${chart.description.replaceAll("'", "&#39;")}</title>`);
      expect(chart.description).toMatch(/ second;|milliseconds|US dollars/);
    },
  );

  it("the same results produce the same charts", () => {
    expect(chartsOf(SAMPLE_RESULTS)).toEqual(charts);
  });

  it("charts are well-formed for any names, and for a single figure", () => {
    const rates = {
      '<b> & "c" \'': 100,
      __proto__named: 90,
      [LIMIT]: 200,
      ["long ".repeat(50)]: 1,
    };
    const works = [
      work("create", "Create <i>", rates),
      work("list-a-1000", "A & b", rates),
      work("list-newest", "Newest", { Bosun: 25 }),
      work("claim", "Claim", { Bosun: 1 }),
    ];
    const drawn = chartsOf({ ...SAMPLE_RESULTS, works });
    expect(drawn.map(({ name }) => name)).toEqual([
      "create",
      "lists",
      "list-latency",
      "other",
      "cost",
    ]);
    for (const { svg } of drawn) expectWhole(svg);
  });

  it("only the cost chart is drawn if no work was measured", () => {
    expect(chartsOf({ ...SAMPLE_RESULTS, works: [] }).map(({ name }) => name)).toEqual(["cost"]);
  });
});

describe("throughput", () => {
  it("throughput is shown both by the length of the bars and in figures", () => {
    const svg = svgOf("create");
    const [bosun] = bars(svg, BOSUN_BARS);
    const [limit] = bars(svg, LIMIT_BARS);
    expect(Number(bosun?.length) / Number(limit?.length)).toBeCloseTo(612 / 744, 2);
    expect(bars(svg, "#A9B8C6")).toHaveLength(4);
    expect(svg).toContain(">612 (0.823 × baseline)<");
    expect(svg).toContain(">requests per second<");
  });

  it("the baseline is marked at the end of its bar, once for each operation that has one", () => {
    const [bar] = bars(svgOf("create"), LIMIT_BARS);
    const [mark = 0, ...more] = dashes(svgOf("create"));
    expect(mark).toBeCloseTo(Number(bar?.left) + Number(bar?.length), 0);
    expect(more).toEqual([]);
    expect(dashes(svgOf("read"))).toHaveLength(2);
    expect(dashes(svgOf("authenticate"))).toHaveLength(0);
  });

  it("the throughput of lists is that of the largest directory", () => {
    const svg = svgOf("lists");
    expect(bars(svg, BOSUN_BARS)).toHaveLength(5);
    expect(svg).toContain("List tasks, 1,000,000 in the directory: throughput");
    expect(svg).toContain(">By status, a page further in<");
  });
});

describe("scales", () => {
  it("a scale is logarithmic, and labelled so, if figures differ by orders of magnitude", () => {
    expect(svgOf("cost")).toContain("US dollars per million tasks (log scale)");
    expect(svgOf("list-latency")).not.toContain("log scale");
    const works = [
      work("list-a-1000", "A", { Bosun: 1_000, "pg-boss": 900 }),
      work("list-a-1000000", "A", { Bosun: 900, "pg-boss": 2 }),
    ];
    const svg = svgOf("list-latency", { works });
    expectWhole(svg);
    expect(svg).toContain("p50 in milliseconds (log scale)");
  });
});
