import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { AgentHarness } from "./agent-harness.ts";

async function resultOf(context: JsonObject) {
  const harness = new AgentHarness({ context, deliverables: ["summary"] });
  await harness.run();
  return { ...harness.outcome.result, file: harness.text("summary.txt") };
}

function rows(count: number, row: (index: number) => JsonObject): { data: JsonObject[] } {
  return { data: Array.from({ length: count }, (_, index) => row(index)) };
}

describe("the sentences in a result", () => {
  it("a count of one row, column, word or sentence uses the singular", async () => {
    const table = await resultOf({ csv: "a\n1\n" });
    expect(table.summary).toContain("1 row and 1 column of context.csv");
    expect(table.recommendations).toEqual([
      "Collect more rows before you act on these figures: the table has only 1 row, and fewer than 30 can be misleading.",
    ]);
    const text = await resultOf({ text: "Ship." });
    expect(text.insights).toContain("The text has 1 word in 1 sentence (reading time: 1s).");
    expect(text.insights).toContain("The main keyword of the text, with its count, is Ship (1).");
    expect(text.summary).toContain("The main keyword is Ship.");
  });

  it("one sentence lists the identifiers and agrees with their number", async () => {
    const one = await resultOf(rows(40, (index) => ({ id: index, kg: index % 7 })));
    expect(one.file).toContain("id only identifies rows, so it was not analysed.");
    const two = await resultOf(rows(40, (index) => ({ id: index, nr: 90 - index, kg: index % 7 })));
    expect(two.file).toContain("id and nr only identify rows, so they were not analysed.");
  });

  it("a value is the most common only if no other value is as common", async () => {
    const kinds = (list: string) =>
      resultOf(rows(30, (index) => ({ kind: list[index % list.length] ?? "" })));
    expect((await kinds("ab")).insights).toEqual([
      "The 2 values of kind are equally common (15 of 30 rows each).",
    ]);
    expect((await kinds("aab")).insights).toEqual([
      "a is the most common of 2 values of kind (20 of 30 rows).",
    ]);
    expect((await kinds("aabbc")).insights).toEqual([
      "a and b are the most common of 3 values of kind (12 of 30 rows each).",
    ]);
    // The tool lists five values, so a sixth could be equally common.
    expect((await kinds("abcdef")).insights).toEqual([]);
  });

  it("a constant column with missing values is constant only in the rows with a value", async () => {
    const { insights, recommendations } = await resultOf(
      rows(40, (index) => ({ flag: index < 10 ? null : "x", kg: index % 7 })),
    );
    expect(insights).toContain("flag is x in all 30 rows with a value.");
    expect(recommendations).toContain(
      "Leave flag out of comparisons, because it is the same in all 30 rows with a value.",
    );
  });

  it("one outlier uses the singular, and values beyond fences of zero width are not outliers", async () => {
    const { insights, recommendations } = await resultOf(
      rows(40, (index) => ({ kg: index === 3 ? 50_000 : index % 7, zero: index === 5 ? 9 : 0 })),
    );
    expect(insights).toContain(
      "1 of 40 values of kg is an outlier, outside the range -5 to 11; it is 50,000 in row 4.",
    );
    expect(recommendations).toContain(
      "Check the outlier in kg, 50,000 in row 4, before you rely on its mean.",
    );
    expect(insights.filter((text) => text.includes("outlier"))).toHaveLength(1);
  });

  it("numbers with five or more digits are grouped in sentences, and no sentence is repeated", async () => {
    const { insights, recommendations, file } = await resultOf(
      rows(60, (index) => ({ city: index % 2 ? "Oslo" : "Rome", income: 20_000 + 1_000 * index })),
    );
    expect(insights).toContain("The mean of income is 49,500 (n = 60, SD 17,460).");
    const lines = file.split("\n").filter((line) => line !== "");
    expect(new Set(lines).size).toBe(lines.length);
    for (const sentence of [...insights, ...recommendations]) expect(sentence).toMatch(/[."]$/);
  });

  it("with several sources, each sentence in the summary and each recommendation names its source", async () => {
    const { summary, recommendations } = await resultOf({
      csv: "a\n1\n2\n",
      data: [{ b: 1 }, { b: 5 }],
    });
    expect(summary).toContain(
      "context.csv: The mean of a is 1.5. context.data: The mean of b is 3.",
    );
    expect(recommendations.map((text) => text.split(":")[0])).toEqual([
      "context.csv",
      "context.data",
    ]);
  });

  it("random data yields no significant difference and no recommendation", async () => {
    // A multiplicative congruential generator modulo 2^31 - 1 (Park and Miller, 1988).
    let state = 11;
    const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const { insights, recommendations } = await resultOf(
      rows(35, (index) => ({ customer: `c${index % 5}`, price: Math.round(1_000 * next()) })),
    );
    expect(insights.join("\n")).toContain("no significant difference");
    expect(recommendations).toEqual([]);
  });
});
