import { describe, expect, it } from "vitest";
import { checkMean, checkCorrelation } from "../../../src/builtin/agent/cross-checks.ts";
import {
  escapeMarkdown,
  formatMarkdownTable,
} from "../../../src/builtin/agent/deliverables/markdown.ts";
import {
  parseDeliverableKind,
  resolveDeliverableTypes,
} from "../../../src/builtin/agent/deliverables/kinds.ts";
import type { TableFindings } from "../../../src/builtin/agent/findings.ts";
import { createInsight } from "../../../src/builtin/agent/insights.ts";
import { scoreQuality, type QualityEvidence } from "../../../src/builtin/agent/compose-draft.ts";
import { classifyColumns } from "../../../src/builtin/agent/column-roles.ts";
import type { ColumnProfile } from "../../../src/builtin/agent/result-schemas.ts";
import { AgentHarness } from "./agent-harness.ts";

function column(name: string, given: Partial<ColumnProfile> = {}): ColumnProfile {
  return {
    name,
    type: "number",
    count: 10,
    missing: 0,
    distinct: 5,
    min: 0,
    max: 10,
    mean: 4,
    median: 4,
    standardDeviation: 2,
    q1: 3,
    q3: 5,
    top: [],
    ...given,
  };
}

const EMPTY: TableFindings = {
  source: "context.csv",
  profile: null,
  pairs: [],
  fences: [],
  groupings: [],
  trends: [],
  caveats: [],
};

function grouping(groups: [sum: number, count: number][]): TableFindings {
  const groupRows = groups.map(([sum, count], place) => ({
    group: `g${place}`,
    count,
    sum,
    mean: null,
    median: null,
    min: null,
    max: null,
  }));
  return { ...EMPTY, groupings: [{ groupBy: "g", column: "x", groups: groupRows, notes: [] }] };
}

describe("cross-checks", () => {
  it("a cross-check confirms a mean, contradicts a wrong one, and skips one that it does not cover", () => {
    expect(
      checkMean(
        grouping([
          [10, 5],
          [30, 5],
        ]),
        column("x"),
      ),
    ).toBe("confirmed");
    expect(
      checkMean(
        grouping([
          [10, 5],
          [31, 5],
        ]),
        column("x"),
      ),
    ).toBe("contradicted");
    expect(
      checkMean(
        grouping([
          [10, 5],
          [30, 4],
        ]),
        column("x"),
      ),
    ).toBe("unchecked");
    expect(checkMean(EMPTY, column("x"))).toBe("unchecked");
  });

  it("a cross-check compares a correlation, including its sign, with the line fitted to the same points", () => {
    const pair = { x: "x", y: "y", r: -0.5, n: 10 };
    const trend = (slope: number, r2: number, n = 10): TableFindings => ({
      ...EMPTY,
      trends: [
        {
          column: "y",
          by: "x",
          n,
          slope,
          r2,
          direction: "falling",
          perUnit: "unit of x",
          first: { at: 0, value: 0 },
          last: { at: 1, value: 1 },
          notes: [],
        },
      ],
    });
    expect(checkCorrelation(trend(-2, 0.25), pair)).toBe("confirmed");
    expect(checkCorrelation(trend(2, 0.25), pair)).toBe("contradicted");
    expect(checkCorrelation(trend(-2, 0.36), pair)).toBe("contradicted");
    expect(checkCorrelation(trend(-2, 0.25, 9), pair)).toBe("unchecked");
  });

  it("a contradicting cross-check is noted next to the figure", () => {
    expect(createInsight("Mean of x is 4", "contradicted").text).toContain(
      "a second call returned a different figure",
    );
  });
});

describe("quality", () => {
  const columns = [column("x", { count: 8, missing: 2 }), column("y", { count: 10, missing: 0 })];
  const evidence: QualityEvidence = {
    findings: {
      tables: [{ ...EMPTY, profile: { rows: 10, columns, unread: 0, notes: [] } }],
      texts: [],
    },
    calls: { wanted: 4, done: 3 },
    deliverables: { asked: 2, made: 1 },
    crossChecks: ["confirmed", "unchecked", "contradicted"],
    summary: ["The cat sat on the mat."],
  };

  it("the quality score is computed as documented", async () => {
    // Completeness (1/2 + 3/4) / 2; accuracy 18/20 · (1 + ½ + 0) / 3; six words of one syllable each.
    const { score, ...parts } = scoreQuality(evidence);
    expect(parts).toEqual({ completeness: 63, accuracy: 45, clarity: 100 });
    expect(score).toBe(Math.round(0.4 * 45 + 0.4 * 63 + 0.2 * 100));
  });

  it("a report on unreadable input scores 0 for accuracy, and 5 for completeness if half its deliverables exist", async () => {
    const nothing = scoreQuality({
      ...evidence,
      findings: { tables: [], texts: [] },
      crossChecks: [],
    });
    expect(nothing).toMatchObject({ completeness: 5, accuracy: 0 });
  });

  it("a summary of long words scores 0 for clarity", async () => {
    const heavy = [
      "Multidimensional heterogeneity characterises organisational interdependencies.",
    ];
    expect(scoreQuality({ ...evidence, summary: heavy }).clarity).toBe(0);
  });
});

describe("column roles", () => {
  it("columns are classified as measures, groups, times or ids", () => {
    const columns = [
      column("order_id", { distinct: 10, min: 1, max: 10 }),
      column("userId", { distinct: 10, min: 1, max: 10 }),
      column("Covid", { distinct: 10, min: 1, max: 10 }),
      column("Year", { distinct: 10, min: 2000, max: 2009 }),
      column("Kind", { type: "text", distinct: 2 }),
      column("Comment", { type: "text", distinct: 10 }),
      column("Body Mass (g)"),
    ];
    const roles = classifyColumns(
      { rows: 10, columns, unread: 0, notes: [] },
      "What of the body mass?",
    );
    expect(roles.measures.map(({ name }) => name)).toEqual(["Body Mass (g)", "Covid"]);
    expect(roles.groups.map(({ name }) => name)).toEqual(["Kind"]);
    expect(roles.order?.name).toBe("Year");
    expect(roles.identifiers.map(({ name }) => name)).toEqual(["order_id", "userId"]);
  });
});

describe("deliverable kinds", () => {
  it("deliverable kinds are matched regardless of case and of leading and trailing spaces", () => {
    expect(parseDeliverableKind(" Report ")).toBe("report");
    expect(parseDeliverableKind("reports")).toBeNull();
  });

  it("review comments add the deliverables that they name, without duplicates", () => {
    const { task } = new AgentHarness({ deliverables: ["Chart"] });
    const reviewComments = [
      "Charts are fine.",
      "A summary, please; the chartered ship is irrelevant.",
    ];
    expect(resolveDeliverableTypes({ ...task, reviewComments })).toEqual(["Chart", "summary"]);
  });
});

describe("Markdown", () => {
  it.each([
    ["1. no list", "1\\. no list"],
    ["- no list", "\\- no list"],
    ["--- no rule", "\\--- no rule"],
    ["-0.58", "-0.58"],
    ["3.5 stays", "3.5 stays"],
    ["# *a* _b_ `c` <d> [e](f) &amp;", "\\# \\*a\\* \\_b\\_ \\`c\\` \\<d\\> \\[e\\](f) \\&amp;"],
    ["two\n\nlines", "two lines"],
  ])("the text %j is shown as plain text in Markdown", (text, markdown) => {
    expect(escapeMarkdown(text)).toBe(markdown);
  });

  it("columns of numbers are right-aligned in Markdown tables", () => {
    expect(
      formatMarkdownTable(
        ["a|b", "n"],
        [
          ["x", 1],
          ["y", null],
        ],
      ),
    ).toBe("| a\\|b | n |\n| --- | ---: |\n| x | 1 |\n| y |  |");
  });
});
