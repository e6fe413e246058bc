import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { AgentHarness, penguins, toCsv } from "./agent-harness.ts";

const TEXT =
  "The harbour master keeps the register of every ship. Each ship pays a fee. Long ships pay more than short ships.";
const DAYS = Array.from({ length: 28 }, (_, day) => ({
  day: `2026-02-${String(day + 1).padStart(2, "0")}`,
  shop: day % 2 === 0 ? "North" : "South",
  sales: 10 + 3 * day,
}));

async function renderPages(context: JsonObject): Promise<{ report: string; slides: string[] }> {
  const harness = new AgentHarness({ context, deliverables: ["report", "presentation"] });
  await harness.run();
  const deck = harness.text("presentation.html");
  return {
    report: harness.text("report.html"),
    slides: deck.match(/<section[^]*?<\/section>/g) ?? [],
  };
}

/** The titles drawn in a page's charts. */
function drawnTitles(page: string): string[] {
  return [...page.matchAll(/<text [^>]*font-size:16px[^>]*>([^<]*)</g)].map(
    ([, title = ""]) => title,
  );
}

const CONTEXTS = [
  ["a table", { csv: toCsv(penguins()) }],
  ["a table over time", { data: DAYS }],
  ["a text", { text: TEXT }],
] as const;

describe("pages", () => {
  it("each chart in a report fills the text width and keeps its proportions", async () => {
    const { report } = await renderPages({ csv: toCsv(penguins()) });
    const [, rule = ""] = /^figure svg\{([^}]*)\}$/m.exec(report) ?? [];
    expect(rule.split(";")).toEqual(expect.arrayContaining(["width:100%", "height:auto"]));
    expect(rule).not.toContain("max-width");
    const charts = report.match(/<svg [^>]*>/g) ?? [];
    expect(charts).toHaveLength(3);
    for (const chart of charts) expect(chart).toMatch(/ viewBox="0 0 \d+ \d+"/);
  });

  it.each(CONTEXTS)(
    "with %s as input, neither a slide nor a caption repeats its chart's title",
    async (_, context) => {
      const { report, slides } = await renderPages(context);
      const figures = report.match(/<figure>[^]*?<\/figure>/g) ?? [];
      const withChart = slides.filter((slide) => slide.includes("<svg"));
      expect(withChart).toHaveLength(figures.length);
      expect(figures.length).toBeGreaterThan(0);
      for (const part of [...figures, ...withChart]) {
        const [title = "", ...others] = drawnTitles(part);
        expect(title).not.toBe("");
        expect(others).toEqual([]);
        const around = part.replace(/<svg[^]*<\/svg>/, "");
        expect(around).not.toContain(title);
      }
    },
  );

  it.each(CONTEXTS)(
    "with %s as input, every slide has an id, and the overview links to all other slides",
    async (_, context) => {
      const { slides } = await renderPages(context);
      const ids = slides.map((slide) => /^<section[^>]* id="([^"]+)"/.exec(slide)?.[1]);
      expect(ids).toEqual(slides.map((__, index) => `slide-${index + 1}`));
      const headings = slides.map((slide) => /<h2>(.*?)<\/h2>/.exec(slide)?.[1]);
      const [overview = ""] = /<ol[^]*<\/ol>/.exec(slides[0] ?? "") ?? [];
      const links = [...overview.matchAll(/<a href="#([^"]+)">(.*?)<\/a>/g)].map(([, id, text]) => [
        id,
        text,
      ]);
      expect(links).toEqual(ids.map((id, index) => [id, headings[index]]).slice(1));
      for (const slide of slides) expect(slide).toContain('href="#slide-1"');
    },
  );

  it("a Markdown report lists the charts that it cannot show", async () => {
    const harness = new AgentHarness({ context: { csv: toCsv(penguins()) } });
    await harness.run();
    expect(harness.text("report.md")).toContain(
      "Charts (not included in this file):\n\n- Body Mass (g) against Flipper Length (mm)\n",
    );
  });
});
