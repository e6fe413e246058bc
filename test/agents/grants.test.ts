import { describe, expect, it } from "vitest";
import { Bench, csvOf, penguins } from "./fixture.ts";
import { blockOf, errorOf } from "../../src/tasks/model/task.ts";

const CSV = csvOf(penguins());

describe("an agent uses what it was granted, and nothing else", () => {
  it("without a tool that reads the material it fails, and names the tool to grant", async () => {
    const bench = new Bench({ context: { csv: CSV } });
    bench.grants.delete("table-analyst");
    await bench.run();
    expect(errorOf(bench.task)).toMatchObject({ code: "TOOL_ERROR", retryable: true });
    expect(errorOf(bench.task)?.message).toContain("table-analyst/profile");
    expect(bench.calls).toEqual([]);
  });

  it("feels a grant revoked half way at the next call, and says so", async () => {
    const bench = new Bench({ context: { csv: CSV } });
    await bench.runToPhase("analysing");
    bench.grants.delete("table-analyst");
    await bench.run();
    const { quality } = bench;
    const { result } = bench.outcome;
    expect(bench.calls.filter(({ ok }) => !ok).length).toBeGreaterThan(0);
    expect(result.insights).toContain("Mean of Body Mass (g) is 4202 (n = 342, sd 802)");
    expect(result.insights.join("\n")).not.toMatch(/r = |by Species|outlier/);
    expect(result.summary).toContain(
      "Not all was done: calls of table-analyst (correlate, outliers and aggregate) were refused.",
    );
    expect(quality.completeness).toBeLessThan(80);
    expect(bench.text("report.md")).toMatch(/was refused: Agent "ada" has no access to tool/);
  });

  it("fails when the grant went before the first call", async () => {
    const bench = new Bench({ context: { csv: CSV } });
    await bench.runToPhase("gathering");
    bench.grants.delete("table-analyst");
    await bench.run();
    expect(errorOf(bench.task)).toMatchObject({ code: "TOOL_ERROR", retryable: true });
    expect(errorOf(bench.task)?.message).toContain('has no access to tool "table-analyst"');
  });

  it("without the chart maker it writes the report, and says what is missing", async () => {
    const bench = new Bench({ context: { csv: CSV }, deliverables: ["report", "chart"] });
    bench.grants.delete("chart-maker");
    await bench.run();
    expect(bench.names()).toEqual(["report.md", "report.html"]);
    expect(bench.text("report.html").includes("<svg")).toBe(false);
    expect(bench.text("report.md")).toContain("The agent has no access to chart-maker");
    expect(bench.text("report.md")).toContain("There is no chart: none could be drawn.");
    expect(bench.outcome.result.summary).toContain("no access to chart-maker");
    expect(bench.quality.completeness).toBeLessThan(75);
  });

  it("with some capabilities of a tool it does their part, and no other", async () => {
    const bench = new Bench({ context: { csv: CSV } });
    bench.grants.set("table-analyst", ["correlate", "outliers"]);
    await bench.run();
    const { insights, summary } = bench.outcome.result;
    expect(insights[0]).toBe(
      "Flipper Length (mm) and Body Mass (g) move together: r = 0.8712 (n = 342)",
    );
    expect(insights.join("\n")).not.toContain("Mean of");
    expect(summary).toContain("no access to table-analyst (profile and trend)");
    expect(bench.calls.every(({ ok }) => ok)).toBe(true);
  });

  it("without the format bridge the spreadsheet has no sheet of the rows, and says so", async () => {
    const bench = new Bench({ context: { csv: CSV }, deliverables: ["spreadsheet", "summary"] });
    bench.grants.delete("format-bridge");
    await bench.run();
    expect(bench.text("summary.txt")).toContain(
      "The agent has no access to format-bridge (convert)",
    );
  });

  it("an agent that is no longer registered gives the task up, at any time", async () => {
    const cases = [
      ["planning", { csv: CSV }],
      ["planning", {}],
      ["drafting", { csv: CSV }],
    ] as const;
    for (const [phase, context] of cases) {
      const bench = new Bench({ context });
      await bench.runToPhase(phase);
      bench.registered = false;
      await bench.run();
      expect(errorOf(bench.task)).toMatchObject({ code: "AGENT_ERROR", retryable: true });
    }
  });
});

describe("the budget", () => {
  it("stops the work with a question, and a higher limit lets it go on without repeating a call", async () => {
    const free = new Bench({ context: { csv: CSV } });
    await free.run();
    const bench = new Bench({ context: { csv: CSV }, budget: { maxToolCalls: 4 } });
    await bench.run();
    expect(blockOf(bench.task)).toMatchObject({ kind: "budget" });
    expect(blockOf(bench.task)?.question).toContain("4 tool calls");
    bench.command({ type: "respond", response: { maxToolCalls: 14 } });
    await bench.run();
    // It stops again while charts are drawn, with one drawn.
    expect(bench.task.currentPhase).toBe("drafting");
    expect(blockOf(bench.task)?.question).toContain("14 tool calls");
    bench.command({ type: "respond", response: { maxToolCalls: 100 } });
    await bench.run();
    expect(bench.outcome.result).toEqual(free.outcome.result);
    expect(bench.quality).toEqual(free.quality);
    expect(bench.calls.length).toBe(free.calls.length);
    expect(bench.text("report.html").match(/<svg /g)).toHaveLength(3);
  });

  it("answered with a text, it ends the calls: the work finishes with what is there", async () => {
    const bench = new Bench({ context: { csv: CSV }, budget: { maxToolCalls: 2 } });
    await bench.run();
    bench.command({ type: "respond", response: "Finish with what you have." });
    await bench.run();
    expect(bench.calls).toHaveLength(2);
    expect(bench.outcome.result.insights.join("\n")).toContain("r = 0.8712");
    expect(bench.quality.completeness).toBeLessThan(70);
    expect(bench.text("report.md")).toContain("> Finish with what you have.");
    expect(bench.text("report.md")).toContain(
      "was refused: The budget of 2 tool calls is used up.",
    );
  });

  it("of no call at all, answered with a text, gives an empty but honest result", async () => {
    const bench = new Bench({ context: { csv: CSV }, budget: { maxToolCalls: 0 } });
    await bench.run();
    bench.command({ type: "respond", response: "Then don't." });
    await bench.run();
    expect(bench.outcome.result.summary).toContain("Nothing could be read of context.csv.");
    expect(bench.outcome.result.insights).toEqual([]);
    expect(bench.quality.completeness).toBeLessThanOrEqual(10);
  });
});
