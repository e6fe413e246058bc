import { describe, expect, it } from "vitest";
import { Bench } from "./fixture.ts";
import { blockOf } from "../../src/tasks/model/task.ts";

const CSV = "shop,sales\nNorth,10\nNorth,12\nNorth,11\nSouth,20\nSouth,22\nSouth,24\n";

describe("asking first", () => {
  it("blocks until there is an answer, then quotes it", async () => {
    const bench = new Bench({ context: { csv: CSV, askFirst: "Which shop matters *most*?" } });
    await bench.run();
    expect(bench.task.status).toBe("blocked");
    expect(blockOf(bench.task)).toMatchObject({
      kind: "input",
      question: "Which shop matters *most*?",
    });
    expect(bench.calls).toEqual([]);
    bench.command({ type: "respond", response: "South.\n\n# Not a heading" });
    await bench.run();
    const report = bench.text("report.md");
    expect(report).toContain("Which shop matters \\*most\\*?");
    expect(report).toContain("> South.");
    expect(report).toContain("> \\# Not a heading");
  });

  it("reads material that the answer brings", async () => {
    const bench = new Bench({ context: { askFirst: "Where are the figures?" } });
    await bench.run();
    bench.command({ type: "respond", response: { csv: CSV } });
    await bench.run();
    expect(bench.outcome.result.insights).toContain("Mean of sales is 16.5 (n = 6, sd 6.189)");
    expect(bench.outcome.result.summary).toContain("6 rows and 2 columns of answer 1.csv");
  });
});

describe("review", () => {
  it("is asked for when the context wants it; changes are drafted and submitted again", async () => {
    const bench = new Bench({
      context: { csv: CSV, requireReview: true },
      deliverables: ["summary"],
    });
    await bench.run();
    expect(bench.task.status).toBe("review");
    expect(bench.names()).toEqual(["summary.txt"]);
    const before = bench.calls.length;
    bench.command({
      type: "review",
      decision: "request_changes",
      comment: "Please add a <b>chart</b>, and presentations.",
    });
    expect(bench.task.currentPhase).toBe("drafting");
    await bench.run();
    expect(bench.task.status).toBe("review");
    expect(bench.names()).toEqual(["summary.txt", "presentation.html", "chart.svg", "chart-2.svg"]);
    expect(bench.calls.slice(before).every(({ toolId }) => toolId === "chart-maker")).toBe(true);
    expect(bench.text("presentation.html")).toContain("Please add a &lt;b&gt;chart&lt;/b&gt;");
    // The second round lies beside the first, not over it.
    expect([...bench.files.keys()]).toContain("1.0/summary.txt");
    expect(bench.outcome.deliverables.every(({ key }) => key.startsWith("1.1/"))).toBe(true);
    bench.command({ type: "review", decision: "approve", comment: null });
    expect(bench.task.status).toBe("completed");
  });

  it("uses a tool that was granted between two rounds", async () => {
    const bench = new Bench({
      context: { csv: CSV, requireReview: true },
      deliverables: ["chart"],
    });
    bench.grants.delete("chart-maker");
    await bench.run();
    expect(bench.names()).toEqual([]);
    expect(bench.quality.completeness).toBeLessThan(60);
    bench.grants.set("chart-maker", null);
    bench.command({ type: "review", decision: "request_changes", comment: "You may draw now." });
    await bench.run();
    expect(bench.names()).toContain("chart.svg");
    expect(bench.quality.completeness).toBe(100);
  });

  it("reads replaced material before it submits again", async () => {
    const bench = new Bench({ context: { csv: CSV, requireReview: true } });
    await bench.run();
    bench.command({ type: "update", change: { context: { csv: CSV.replace("24", "30") } } });
    bench.command({ type: "review", decision: "request_changes", comment: "It is 30." });
    await bench.run();
    expect(bench.task.status).toBe("review");
    expect(bench.outcome.result.insights).toContain("Mean of sales is 17.5 (n = 6, sd 7.893)");
  });
});
