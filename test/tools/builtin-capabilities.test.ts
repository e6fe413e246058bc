import { expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, post } from "../support/client.ts";

// The column kg has a mean of 200/5, a sample variance of 5000/4, and quartiles of 20 and 40. Its
// correlation with the year is r = 200/√(10·5000).
const CSV = "year,place,kg\n2020,A,10\n2021,A,20\n2022,B,30\n2023,B,40\n2024,B,100\n";
// 16 words in 3 sentences with 22 syllables, so the Flesch score is 206.835 − 1.015·16/3 −
// 84.6·22/16 = 85.10.
const TEXT = "Solar panels make power. Power from solar panels is cheap. The cat sat on a mat.";

interface Case {
  readonly tool: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  /** Values that the result must contain, computed by hand. */
  readonly holds: object;
}

const CASES: readonly Case[] = [
  {
    tool: "json-workbench",
    capability: "validate",
    parameters: {
      document: '{"a": 1, "b": "x"}',
      schema: { type: "object", required: ["c"], properties: { b: { type: "number" } } },
    },
    holds: { valid: false, errors: [{ keyword: "required" }, { path: "/b", keyword: "type" }] },
  },
  {
    tool: "json-workbench",
    capability: "query",
    parameters: { document: '{"a": [{"n": 1}, {"n": 5}, {"n": 9}]}', path: "$.a[?@.n > 3].n" },
    holds: { count: 2, matches: [{ value: 5 }, { value: 9 }] },
  },
  {
    tool: "json-workbench",
    capability: "diff",
    parameters: { before: '{"a": 1, "b": [1, 2]}', after: '{"a": 2, "b": [1]}' },
    holds: {
      patch: [
        { op: "replace", path: "/a", value: 2 },
        { op: "remove", path: "/b/1" },
      ],
    },
  },
  {
    tool: "table-analyst",
    capability: "profile",
    parameters: { csv: CSV },
    holds: {
      rows: 5,
      columns: [
        { name: "year", mean: 2022, standardDeviation: 1.581 },
        {
          name: "place",
          top: [
            { value: "B", count: 3 },
            { value: "A", count: 2 },
          ],
        },
        { name: "kg", mean: 40, median: 30, standardDeviation: 35.36, q1: 20, q3: 40 },
      ],
    },
  },
  {
    tool: "table-analyst",
    capability: "aggregate",
    parameters: { csv: CSV, groupBy: "place", column: "kg" },
    holds: {
      groups: [
        { group: "B", count: 3, sum: 170, mean: 56.67, median: 40, min: 30, max: 100 },
        { group: "A", count: 2, sum: 30, mean: 15, median: 15, min: 10, max: 20 },
      ],
    },
  },
  {
    tool: "table-analyst",
    capability: "correlate",
    parameters: { csv: CSV },
    holds: { method: "pearson", pairs: [{ x: "year", y: "kg", r: 0.8944, n: 5 }] },
  },
  {
    tool: "table-analyst",
    capability: "outliers",
    parameters: { csv: CSV, column: "kg" },
    holds: { columns: [{ lower: -10, upper: 70, count: 1, outliers: [{ row: 5, value: 100 }] }] },
  },
  {
    tool: "table-analyst",
    capability: "trend",
    parameters: { csv: CSV, column: "kg", by: "year" },
    holds: { slope: 20, intercept: -40_400, r2: 0.8, direction: "rising", n: 5 },
  },
  {
    tool: "message-composer",
    capability: "render-template",
    parameters: {
      template: "Dear {{ name }}, {{ items | size }} boxes weigh {{ items | sum }} kg.{{ thanks }}",
      values: { name: "Ada", items: [10, 20, 30] },
    },
    holds: { text: "Dear Ada, 3 boxes weigh 60 kg.", missing: ["thanks"] },
  },
  {
    tool: "message-composer",
    capability: "markdown-to-html",
    parameters: { markdown: "# Hi\n\n*you*" },
    holds: { html: "<h1>Hi</h1>\n<p><em>you</em></p>\n" },
  },
  {
    tool: "message-composer",
    capability: "markdown-to-text",
    parameters: { markdown: "Read [this](https://example.com)." },
    holds: { text: "Read this [https://example.com]." },
  },
  {
    tool: "text-analyst",
    capability: "keywords",
    parameters: { text: TEXT, limit: 1 },
    holds: { words: 16, language: "en", keywords: [{ term: "solar panels", count: 2 }] },
  },
  {
    tool: "text-analyst",
    capability: "summarise",
    parameters: { text: TEXT, sentences: 1 },
    holds: { summary: "Solar panels make power.", ofSentences: 3 },
  },
  {
    tool: "text-analyst",
    capability: "readability",
    parameters: { text: TEXT },
    holds: { words: 16, sentences: 3, syllables: 22, fleschReadingEase: 85.1 },
  },
  {
    tool: "chart-maker",
    capability: "bar",
    parameters: { csv: CSV, x: "place", y: "kg" },
    holds: { svg: expect.stringMatching(/^<svg[^]*Mean of kg by place[^]*B, 56\.67[^]*A, 15/) },
  },
  {
    tool: "chart-maker",
    capability: "line",
    parameters: { csv: CSV, x: "year", y: "kg" },
    holds: { svg: expect.stringMatching(/^<svg[^]*5 points from 10 to 100/) },
  },
  {
    tool: "chart-maker",
    capability: "scatter",
    parameters: { csv: CSV, x: "year", y: "kg" },
    holds: { svg: expect.stringMatching(/^<svg[^]*kg against year\. 5 dots/) },
  },
  {
    tool: "chart-maker",
    capability: "histogram",
    parameters: { csv: CSV, column: "kg", bins: 3 },
    holds: { svg: expect.stringMatching(/^<svg[^]*3 bins[^]*from 10 to 40[^]*3 rows/) },
  },
  {
    tool: "format-bridge",
    capability: "convert",
    parameters: { content: "a: 1\nb: [x, y]", from: "yaml", to: "json" },
    holds: { content: '{\n  "a": 1,\n  "b": [\n    "x",\n    "y"\n  ]\n}' },
  },
  {
    tool: "format-bridge",
    capability: "detect",
    parameters: { content: "<root><a>1</a></root>" },
    holds: { format: "xml" },
  },
];

it.each(CASES)(
  "the capability $tool $capability returns the result computed by hand",
  async ({ tool, capability, parameters, holds }) => {
    const answer = await post(`/agents/tools/${tool}/invoke`, { capability, parameters });
    expect(answer.status).toBe(200);
    expect(answer.body.data.result).toMatchObject(holds);
    expect(answer.body.data.usage).toMatchObject({ toolId: tool, capability, cost: 0 });
  },
);

it("the cases cover every capability of every tool in the catalogue", async () => {
  const { body } = await get("/agents/tools");
  const tools: { id: string; capabilities: string[] }[] = body.data.tools;
  const offered = tools.flatMap(({ id, capabilities }) =>
    capabilities.map((one) => `${id} ${one}`),
  );
  const shown = CASES.map(({ tool, capability }) => `${tool} ${capability}`);
  expect(shown.toSorted()).toEqual(offered.toSorted());
});
