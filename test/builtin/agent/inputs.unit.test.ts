import { describe, expect, it } from "vitest";
import { AgentHarness, toCsv, penguins } from "./agent-harness.ts";
import { errorOf } from "../../../src/tasks/model/task.ts";

const TEXT =
  "The harbour master keeps the register of every ship that enters the harbour. " +
  "Each ship pays a fee that depends on its length. Long ships pay more than short ships. " +
  "In winter the harbour freezes, and ships wait outside until the icebreaker opens a channel.";

async function worked(
  created: ConstructorParameters<typeof AgentHarness>[0],
): Promise<AgentHarness> {
  const harness = new AgentHarness(created);
  await harness.run();
  return harness;
}

describe("an agent's input", () => {
  it("a text is measured, searched for keywords and summarised", async () => {
    const { outcome, quality, ...harness } = await worked({ context: { text: TEXT } }).then(
      (one) => ({
        outcome: one.outcome,
        quality: one.quality,
        calls: one.calls,
        report: one.text("report.md"),
      }),
    );
    expect(outcome.result.insights[0]).toMatch(/^The text has 45 words in 4 sentences/);
    expect(outcome.result.insights.join("\n")).toMatch(
      /The main keywords of the text, with their counts, are .*ships/,
    );
    expect(quality.completeness).toBe(100);
    expect(harness.calls.map(({ capability }) => capability)).toEqual([
      "readability",
      "keywords",
      "summarise",
      "bar",
    ]);
    expect(harness.report).toContain("> Each ship pays a fee");
  });

  it("a tool's notes about its figures appear in the report", async () => {
    const german =
      "Der Hafenmeister führt das Register aller Schiffe, die in den Hafen kommen. Jedes Schiff zahlt eine Gebühr, die von seiner Länge abhängt. Im Winter friert der Hafen zu, und die Schiffe warten draußen auf den Eisbrecher.";
    const report = (await worked({ context: { text: german } })).text("report.md");
    expect(report.slice(report.indexOf("## Limitations"))).toMatch(
      /- context\.text: .*designed for English/,
    );
    const english = (await worked({ context: { text: TEXT } })).text("report.md");
    expect(english).not.toMatch(/designed for English/);
  });

  it("a second fenced table in the task's text is reported as not read", async () => {
    const table = (rows: string): string => `\`\`\`csv\n${rows}\n\`\`\``;
    const task = `Analyse\n${table("shop,sold\nN,1\nS,5")}\nand\n${table("shop,sold\nE,2\nW,7")}`;
    const report = (await worked({ task, context: {} })).text("report.md");
    expect(report).toContain("was read; 1 other fenced block was ignored.");
  });

  it("rows given as data yield the same insights as the same rows in CSV", async () => {
    const [rows, csv] = await Promise.all([
      worked({ context: { data: penguins() } }),
      worked({ context: { csv: toCsv(penguins()) } }),
    ]);
    expect(rows.outcome.result.insights).toEqual(csv.outcome.result.insights);
  });

  it("several sources are read, and every insight names its source", async () => {
    const data = [1, 2, 3, 4].map((x) => ({ x, y: 2 * x + (x % 2) }));
    const { outcome } = await worked({ context: { csv: toCsv(penguins()), data, text: TEXT } });
    const sources = new Set(outcome.result.insights.map((text) => text.split(":")[0]));
    expect([...sources]).toEqual(["context.csv", "context.data", "context.text"]);
    expect(outcome.result.insights).toContain(
      "context.data: The mean of x is 2.5 (n = 4, SD 1.291).",
    );
    expect(outcome.result.summary).toMatch(/context\.csv.*context\.data.*context\.text/);
  });

  it.each([
    ["no context", {}, "There was nothing to read: the context contains no csv, data or text."],
    ["a blank text", { text: " \n" }, "context.text is blank, so it was not read."],
    ["no rows", { data: [] }, "context.data has no rows, so it was not read."],
    ["a number for CSV", { csv: 7 }, "context.csv is not a string, so it was not read."],
    ["only a header", { csv: "a,b\n" }, "There are no rows in context.csv."],
  ])(
    "with %s as input, the report states the reason and has no insights",
    async (_, context, sentence) => {
      const harness = await worked({
        context,
        deliverables: ["report", "presentation", "spreadsheet"],
      });
      const { quality } = harness;
      const { result } = harness.outcome;
      expect(result.summary).toContain(sentence);
      expect(result.insights).toEqual([]);
      expect(result.recommendations).toEqual([]);
      expect(quality.completeness).toBeLessThanOrEqual(10);
      expect(quality.accuracy).toBe(0);
      expect(harness.text("report.md")).toContain(sentence.replaceAll("_", "\\_"));
      expect(harness.names()).toContain("spreadsheet.xlsx");
    },
  );

  it("the input in the task's own text is read if the context has none", async () => {
    const [own, given] = await Promise.all([
      worked({ task: `Summarise: ${TEXT}` }),
      worked({ task: "Summarise", context: { text: TEXT } }),
    ]);
    expect(own.outcome.result.insights).toEqual(given.outcome.result.insights);
    expect(own.outcome.result.summary).toContain("45 words in 4 sentences of task.text");
    expect(own.quality.completeness).toBe(100);
    expect(own.text("report.md")).toContain("> Each ship pays a fee");
  });

  it("a table in the task's own text is read as a table", async () => {
    const { outcome } = await worked({ task: `Analyse this:\n${toCsv(penguins())}` });
    const { outcome: given } = await worked({ context: { csv: toCsv(penguins()) } });
    expect(outcome.result.insights).toEqual(given.result.insights);
  });

  it("the context is read instead of the task's text if it has input", async () => {
    const { outcome } = await worked({ task: `Summarise: ${TEXT}`, context: { csv: "a\n1\n5\n" } });
    expect(outcome.result.summary).toContain("2 rows and 1 column of context.csv");
    expect(outcome.result.summary).not.toContain("task.text");
  });

  it("a blank context text is replaced by the task's text, and the report says so", async () => {
    const harness = await worked({ task: `Summarise: ${TEXT}`, context: { text: " " } });
    expect(harness.outcome.result.summary).toContain("of task.text");
    expect(harness.text("report.md")).toContain("context.text is blank, so it was not read.");
  });

  it("a ragged CSV with a repeated column name is analysed, and the report notes both", async () => {
    const harness = await worked({ context: { csv: "a,b,a\n1,2\n3,4,5,6\n5,x,7\n" } });
    expect(harness.outcome.result.insights).toContain("The mean of a_2 is 6 (n = 2, SD 1.414).");
    const report = harness.text("report.md");
    expect(report).toContain("Repeated column names were numbered");
    expect(report).toContain(
      "1 row has too few cells (line 2); the absent cells are treated as missing values.",
    );
    expect(report).toContain(
      "1 row has more cells than the header (line 3); the extra cells were omitted.",
    );
  });

  it("an unreadable CSV fails the task with the reason and the line", async () => {
    const harness = await worked({ context: { csv: 'a,b\n1,"2\n' } });
    expect(harness.task.status).toBe("failed");
    expect(errorOf(harness.task)).toMatchObject({ code: "TOOL_ERROR", retryable: false });
    expect(errorOf(harness.task)?.message).toContain(
      "context.csv must close the quote that opens in the row on line 2",
    );
  });

  it("if one of two sources is unreadable, completeness is lower but the task does not fail", async () => {
    const harness = await worked({ context: { csv: 'a\n"1', text: TEXT } });
    expect(harness.outcome.result.summary).toContain(
      "The work is incomplete: calls to table-analyst (profile) returned no result.",
    );
    expect(harness.quality.completeness).toBeLessThan(100);
    expect(harness.text("report.md")).toContain("context.csv must close the quote");
  });

  it("a date column yields a trend, and id columns are excluded from the figures", async () => {
    const data = Array.from({ length: 28 }, (_, day) => ({
      order_id: 100 + day,
      day: `2026-02-${String(day + 1).padStart(2, "0")}`,
      sales: 10 + 3 * day,
    }));
    const harness = await worked({ context: { data }, deliverables: ["chart", "report"] });
    const { insights, recommendations } = harness.outcome.result;
    expect(insights).toContain(
      "The trend of sales over day is a rise of 3 per day (n = 28, r² = 1).",
    );
    expect(insights.join()).not.toContain("order_id");
    expect(recommendations[0]).toBe(
      "Plan for sales to rise by 3 per day as long as conditions stay the same (r² = 1).",
    );
    expect(harness.text("chart.svg")).toContain("sales by day");
    expect(harness.text("report.md")).toContain(
      "order\\_id only identifies rows, so it was not analysed.",
    );
  });

  it("the work restarts when its input is replaced", async () => {
    const harness = new AgentHarness({ context: { csv: "a\n1\n2\n3\n" } });
    await harness.runToPhase("drafting");
    harness.command({ type: "update", change: { context: { csv: "a\n10\n20\n60\n" } } });
    const trail = await harness.run();
    expect(trail[0]).toEqual(["planning", 60]);
    expect(trail.map(([, progress]) => progress)).toEqual(
      trail.map(([, progress]) => progress).toSorted((a, b) => a - b),
    );
    expect(harness.outcome.result.insights).toContain("The mean of a is 30 (n = 3, SD 26.46).");
    expect(harness.outcome.result.insights.join()).not.toContain("Mean of a is 2 ");
  });

  it("the findings of a very wide table stay small, and some columns are omitted", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `column ${index} ${"x".repeat(150)}`);
    const rows = Array.from({ length: 20 }, (_row, row) =>
      names.map((_, index) => (index % 2 === 0 ? row * index : `${"v".repeat(200)}${row % 4}`)),
    );
    const csv = [names, ...rows].map((cells) => cells.join(",")).join("\n");
    const harness = new AgentHarness({ context: { csv } });
    await harness.runToPhase("finalising");
    expect(JSON.stringify(harness.task.work).length).toBeLessThan(80_000);
    await harness.run();
    expect(harness.text("report.md")).toContain("260 columns of context.csv were omitted");
  });

  it("a column with a name of 5,000 characters is omitted", async () => {
    const harness = await worked({ context: { csv: `${"n".repeat(5_000)},b\n1,2\n3,4\n5,7\n` } });
    expect(harness.outcome.result.insights[0]).toBe("The mean of b is 4.333 (n = 3, SD 2.517).");
    expect(harness.text("report.md")).toContain("1 column of context.csv was omitted");
  });
});
