import { describe, expect, it } from "vitest";
import { AgentHarness, toCsv, penguins } from "./agent-harness.ts";
import { blockOf, errorOf } from "../../../src/tasks/model/task.ts";
import { unzip } from "./unzip.ts";

const CSV = toCsv(penguins());

describe("a built-in agent's grants", () => {
  it("without a tool that can read the input, the task fails with an error that names the tools to grant", async () => {
    const harness = new AgentHarness({ context: { csv: CSV } });
    harness.grants.delete("table-analyst");
    await harness.run();
    expect(errorOf(harness.task)).toMatchObject({ code: "TOOL_ERROR", retryable: true });
    expect(errorOf(harness.task)?.message).toContain("table-analyst/profile");
    expect(harness.calls).toEqual([]);
  });

  it("a grant that is revoked during the task stops the next call, and the result says so", async () => {
    const harness = new AgentHarness({ context: { csv: CSV } });
    await harness.runToPhase("analysing");
    harness.grants.delete("table-analyst");
    await harness.run();
    const { quality } = harness;
    const { result } = harness.outcome;
    expect(harness.calls.filter(({ ok }) => !ok).length).toBeGreaterThan(0);
    expect(result.insights).toContain("The mean of Body Mass (g) is 4202 (n = 342, SD 802).");
    expect(result.insights.join("\n")).not.toMatch(/r = |by Species|outlier/);
    expect(result.summary).toContain(
      "The work is incomplete: calls to table-analyst (correlate, outliers and aggregate) were refused.",
    );
    expect(quality.completeness).toBeLessThan(80);
    expect(harness.text("report.md")).toMatch(/was refused: Agent "ada" has no access to tool/);
  });

  it("the task fails if access to the tool that reads its input is revoked before the first call", async () => {
    const harness = new AgentHarness({ context: { csv: CSV } });
    await harness.runToPhase("gathering");
    harness.grants.delete("table-analyst");
    await harness.run();
    expect(errorOf(harness.task)).toMatchObject({ code: "TOOL_ERROR", retryable: true });
    expect(errorOf(harness.task)?.message).toContain('has no access to tool "table-analyst"');
  });

  it("without the chart maker, the agent writes the report and says what is missing", async () => {
    const harness = new AgentHarness({ context: { csv: CSV }, deliverables: ["report", "chart"] });
    harness.grants.delete("chart-maker");
    await harness.run();
    expect(harness.names()).toEqual(["report.md", "report.html"]);
    expect(harness.text("report.html").includes("<svg")).toBe(false);
    expect(harness.text("report.md")).toContain("The agent has no access to chart-maker");
    expect(harness.text("report.md")).toContain("No chart could be drawn.");
    expect(harness.outcome.result.summary).toContain("no access to chart-maker");
    expect(harness.quality.completeness).toBeLessThan(75);
  });

  it("an agent that is granted some capabilities of a tool uses only those", async () => {
    const harness = new AgentHarness({ context: { csv: CSV } });
    harness.grants.set("table-analyst", ["correlate", "outliers"]);
    await harness.run();
    const { insights, summary } = harness.outcome.result;
    expect(insights[0]).toBe(
      "Flipper Length (mm) and Body Mass (g) have a strong positive correlation: r = 0.8712 (n = 342).",
    );
    expect(insights.join("\n")).not.toContain("Mean of");
    expect(summary).toContain("no access to table-analyst (profile and trend)");
    expect(harness.calls.every(({ ok }) => ok)).toBe(true);
  });

  it("without the format bridge, the spreadsheet has no sheet for the data, and the summary says why", async () => {
    const harness = new AgentHarness({
      context: { csv: CSV },
      deliverables: ["spreadsheet", "summary"],
    });
    harness.grants.delete("format-bridge");
    await harness.run();
    expect(harness.text("summary.txt")).toContain(
      "The agent has no access to format-bridge (convert)",
    );
    const book = unzip(harness.bytes("spreadsheet.xlsx"));
    const sheets = book.get("xl/workbook.xml");
    expect(sheets).toContain('name="Columns"');
    expect(sheets).not.toContain('name="Data"');
  });

  it("a task fails with AGENT_ERROR in planning or drafting if its agent is no longer registered", async () => {
    const cases = [
      ["planning", { csv: CSV }],
      ["planning", {}],
      ["drafting", { csv: CSV }],
    ] as const;
    for (const [phase, context] of cases) {
      const harness = new AgentHarness({ context });
      await harness.runToPhase(phase);
      harness.registered = false;
      await harness.run();
      expect(errorOf(harness.task)).toMatchObject({ code: "AGENT_ERROR", retryable: true });
    }
  });
});

describe("the budget", () => {
  it("an exhausted budget blocks the task with a question, and a higher limit resumes it without repeated calls", async () => {
    const free = new AgentHarness({ context: { csv: CSV } });
    await free.run();
    const harness = new AgentHarness({ context: { csv: CSV }, budget: { maxToolCalls: 4 } });
    await harness.run();
    expect(blockOf(harness.task)).toMatchObject({ kind: "budget" });
    expect(blockOf(harness.task)?.question).toContain("4 tool calls");
    harness.command({ type: "respond", response: { maxToolCalls: 14 } });
    await harness.run();
    // The task stops again during drafting, after drawing one chart.
    expect(harness.task.currentPhase).toBe("drafting");
    expect(blockOf(harness.task)?.question).toContain("14 tool calls");
    harness.command({ type: "respond", response: { maxToolCalls: 100 } });
    await harness.run();
    expect(harness.outcome.result).toEqual(free.outcome.result);
    expect(harness.quality).toEqual(free.quality);
    expect(harness.calls.length).toBe(free.calls.length);
    expect(harness.text("report.html").match(/<svg /g)).toHaveLength(3);
  });

  it("a text answer to the budget question stops further calls, and the task finishes with its results so far", async () => {
    const harness = new AgentHarness({ context: { csv: CSV }, budget: { maxToolCalls: 2 } });
    await harness.run();
    harness.command({ type: "respond", response: "Finish with what you have." });
    await harness.run();
    expect(harness.calls).toHaveLength(2);
    expect(harness.outcome.result.insights.join("\n")).toContain("r = 0.8712");
    expect(harness.quality.completeness).toBeLessThan(70);
    expect(harness.text("report.md")).toContain("> Finish with what you have.");
    expect(harness.text("report.md")).toContain(
      "was refused: The budget of 2 tool calls is used up.",
    );
  });

  it("a budget of zero calls, if not raised, yields an empty result with low completeness", async () => {
    const harness = new AgentHarness({ context: { csv: CSV }, budget: { maxToolCalls: 0 } });
    await harness.run();
    harness.command({ type: "respond", response: "Then don't." });
    await harness.run();
    expect(harness.outcome.result.summary).toContain("Nothing could be read from context.csv.");
    expect(harness.outcome.result.insights).toEqual([]);
    expect(harness.quality.completeness).toBeLessThanOrEqual(10);
  });
});
