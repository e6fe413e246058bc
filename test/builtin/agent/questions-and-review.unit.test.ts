import { describe, expect, it } from "vitest";
import { AgentHarness } from "./agent-harness.ts";
import { blockOf } from "../../../src/tasks/model/task.ts";

const CSV = "shop,sales\nNorth,10\nNorth,12\nNorth,11\nSouth,20\nSouth,22\nSouth,24\n";

describe("the initial question", () => {
  it("an agent that asks first blocks until it has an answer, and quotes the answer in the report", async () => {
    const harness = new AgentHarness({
      context: { csv: CSV, askFirst: "Which shop matters *most*?" },
    });
    await harness.run();
    expect(harness.task.status).toBe("blocked");
    expect(blockOf(harness.task)).toMatchObject({
      kind: "input",
      question: "Which shop matters *most*?",
    });
    expect(harness.calls).toEqual([]);
    harness.command({ type: "respond", response: "South.\n\n# Not a heading" });
    await harness.run();
    const report = harness.text("report.md");
    expect(report).toContain("Which shop matters \\*most\\*?");
    expect(report).toContain("> South.");
    expect(report).toContain("> \\# Not a heading");
  });

  it("input in the answer to a question is read", async () => {
    const harness = new AgentHarness({ context: { askFirst: "Where are the figures?" } });
    await harness.run();
    harness.command({ type: "respond", response: { csv: CSV } });
    await harness.run();
    expect(harness.outcome.result.insights).toContain(
      "The mean of sales is 16.5 (n = 6, SD 6.189).",
    );
    expect(harness.outcome.result.summary).toContain("6 rows and 2 columns of answer 1.csv");
  });
});

describe("review", () => {
  it("work with requireReview is submitted for review, and submitted again after changes are requested", async () => {
    const harness = new AgentHarness({
      context: { csv: CSV, requireReview: true },
      deliverables: ["summary"],
    });
    await harness.run();
    expect(harness.task.status).toBe("review");
    expect(harness.names()).toEqual(["summary.txt"]);
    const before = harness.calls.length;
    harness.command({
      type: "review",
      decision: "request_changes",
      comment: "Please add a <b>chart</b>, and presentations.",
    });
    expect(harness.task.currentPhase).toBe("drafting");
    await harness.run();
    expect(harness.task.status).toBe("review");
    expect(harness.names()).toEqual([
      "summary.txt",
      "presentation.html",
      "chart.svg",
      "chart-2.svg",
    ]);
    expect(harness.calls.slice(before).every(({ toolId }) => toolId === "chart-maker")).toBe(true);
    expect(harness.text("presentation.html")).toContain("Please add a &lt;b&gt;chart&lt;/b&gt;");
    // The second round adds files and does not overwrite those of the first.
    expect([...harness.files.keys()]).toContain("1.0/summary.txt");
    expect(harness.outcome.deliverables.every(({ key }) => key.startsWith("1.1/"))).toBe(true);
    harness.command({ type: "review", decision: "approve", comment: null });
    expect(harness.task.status).toBe("completed");
  });

  it("a tool that is granted between two review rounds is used", async () => {
    const harness = new AgentHarness({
      context: { csv: CSV, requireReview: true },
      deliverables: ["chart"],
    });
    harness.grants.delete("chart-maker");
    await harness.run();
    expect(harness.names()).toEqual([]);
    expect(harness.quality.completeness).toBeLessThan(60);
    harness.grants.set("chart-maker", null);
    harness.command({ type: "review", decision: "request_changes", comment: "You may draw now." });
    await harness.run();
    expect(harness.names()).toContain("chart.svg");
    expect(harness.quality.completeness).toBe(100);
  });

  it("replaced input is read before the work is submitted again", async () => {
    const harness = new AgentHarness({ context: { csv: CSV, requireReview: true } });
    await harness.run();
    harness.command({ type: "update", change: { context: { csv: CSV.replace("24", "30") } } });
    harness.command({ type: "review", decision: "request_changes", comment: "It is 30." });
    await harness.run();
    expect(harness.task.status).toBe("review");
    expect(harness.outcome.result.insights).toContain(
      "The mean of sales is 17.5 (n = 6, SD 7.893).",
    );
  });
});
