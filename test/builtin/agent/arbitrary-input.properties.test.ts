import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/kernel/json.ts";
import { AgentHarness } from "./agent-harness.ts";

const NAMES = ["a", "__proto__", "constructor", "id", "date", "<b>", "=1+1", "", " ", "x_2"];
const cell: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Json>(null, "", "NA", true, "2026-01-02", "1e309", "-", "<i>", "=A1", "north"),
  fc.string({ maxLength: 12 }),
);
const csv = fc
  .array(fc.array(fc.oneof(cell, fc.constantFrom(...NAMES)), { maxLength: 6 }), { maxLength: 15 })
  .map((rows) => rows.map((row) => row.map((one) => String(one ?? "")).join(",")).join("\n"));
const data = fc
  .array(fc.array(fc.tuple(fc.constantFrom(...NAMES), cell), { maxLength: 5 }), { maxLength: 25 })
  .map((rows): Json => rows.map((row): JsonObject => Object.fromEntries(row)));
const text = fc
  .array(fc.string({ maxLength: 20 }), { maxLength: 20 })
  .map((words) => words.join(" "));

/** Each key can be absent or have a valid or any other value. */
const context = fc.record(
  {
    csv: fc.oneof({ weight: 4, arbitrary: csv }, cell),
    data: fc.oneof({ weight: 4, arbitrary: data }, cell),
    text: fc.oneof({ weight: 4, arbitrary: text }, cell),
  },
  { requiredKeys: [] },
);
const word = fc.oneof(
  fc.constantFrom("report", "presentation", "analysis", "chart", "spreadsheet", "summary"),
  fc.string({ minLength: 1, maxLength: 12 }),
);

describe("arbitrary input", () => {
  it("for any input, the task completes or fails with TOOL_ERROR, and its text, scores and files are well-formed", async () => {
    await fc.assert(
      fc.asyncProperty(context, fc.array(word, { maxLength: 4 }), async (given, deliverables) => {
        const made: JsonObject = JSON.parse(JSON.stringify(given));
        const harness = new AgentHarness({ context: made, deliverables });
        await harness.run();
        expect(["completed", "failed"]).toContain(harness.task.status);
        if (harness.task.status === "failed") {
          expect(harness.task.error?.code).toBe("TOOL_ERROR");
          return;
        }
        const { quality } = harness;
        const { result } = harness.outcome;
        const sentences = [result.summary, ...result.insights, ...result.recommendations].join(
          "\n",
        );
        expect(sentences).not.toMatch(/\bNaN\b|\bundefined\b|\[object|\bnull\b|\bInfinity\b/);
        for (const figure of Object.values(quality)) {
          expect(Number.isInteger(figure) && figure >= 0 && figure <= 100).toBe(true);
        }
        expect(new Set(harness.names()).size).toBe(harness.names().length);
        for (const name of harness.names()) {
          expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*\.(?:md|html|json|svg|xlsx|txt)$/);
          if (/(?:html|svg)$/.test(name)) {
            const tags = harness.text(name).replaceAll(/="[^"]*"/g, "");
            expect(tags.match(/<script|<img|<[bi]>|<[^>]* on\w+/gi)).toBeNull();
          }
        }
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
