import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  truncateToJsonBytes,
  truncateWithNote,
  createLlmTurnRecord,
  parseLlmTurns,
  serializeLlmTurn,
} from "../../../src/executors/llm/transcript.ts";
import {
  buildLlmPrompt,
  createDataFence,
  formatContext,
  resolveContextReferences,
} from "../../../src/executors/llm/prompt.ts";
import { createCallOutcome, parseLlmCall } from "../../../src/executors/llm/tool-call.ts";
import { jsonSizeOf, type JsonObject } from "../../../src/kernel/json.ts";
import { LlmTurnHarness } from "./turn-harness.ts";

const FENCE = createDataFence("0123456789abcdef");
const NOTHING = { remark: null, reminded: [], answers: 0, comments: 0 };

async function called(id: string, name: string, input: JsonObject | string, result: string) {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const call = await parseLlmCall({ id, name, input: text, signature: null }, false);
  return { ...call, ...createCallOutcome(result, { isUntrusted: true }) };
}

describe("a truncated text", () => {
  it("a truncated text fits as JSON, is well-formed, and states what is missing", () => {
    expect(truncateWithNote("short", 100)).toBe("short");
    const cut = truncateWithNote('"'.repeat(10_000), 1_000);
    expect(jsonSizeOf(cut)).toBeLessThan(1_100);
    expect(cut).toMatch(/\[cut here: \d+ of 10000 characters omitted\]$/);
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.integer({ min: -5, max: 90 }),
        (text, max) => {
          const beginning = truncateToJsonBytes(text, max);
          if (beginning === null) expect(jsonSizeOf(text)).toBeLessThanOrEqual(Math.max(2, max));
          else {
            expect(jsonSizeOf(beginning)).toBeLessThanOrEqual(Math.max(2, max));
            expect(beginning.isWellFormed()).toBe(true);
          }
        },
      ),
    );
  });
});

describe("a stored turn", () => {
  it("a stored turn stays below 256 KiB for any output of the model and its tools", async () => {
    const nasty = '\u0001"\\é😀'.repeat(20_000);
    const calls = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        called(
          "c".repeat(5_000) + n,
          "f".repeat(5_000),
          { n, a: nasty, b: [nasty], c: nasty },
          nasty,
        ),
      ),
    );
    const record = createLlmTurnRecord({ text: nasty, reasoning: nasty }, calls, NOTHING);
    expect(jsonSizeOf(serializeLlmTurn(1, record))).toBeLessThan(256 * 1024);
    expect(record.calls[0]?.name).toHaveLength(64);
    const one = createLlmTurnRecord({ text: "", reasoning: "" }, calls.slice(0, 1), NOTHING);
    expect(jsonSizeOf(one.calls[0]?.result ?? "")).toBeGreaterThan(15 * 1024);
  });

  it("a stored turn is read as it was written", async () => {
    const record = createLlmTurnRecord(
      { text: "I look.", reasoning: "Hm." },
      [await called("c1", "atlas__lookup", { place: "Bergen" }, '{"ok":true}')],
      { ...NOTHING, remark: "Well done.", reminded: ["finish"] },
    );
    const second = createLlmTurnRecord({ text: "More", reasoning: "" }, [], NOTHING);
    const work: JsonObject = JSON.parse(
      JSON.stringify({ ...serializeLlmTurn(1, record), ...serializeLlmTurn(2, second) }),
    );
    expect(parseLlmTurns(work)).toEqual([record, second]);
    expect(parseLlmTurns({})).toEqual([]);
  });

  it("a stored call has a function name that providers accept", async () => {
    const record = createLlmTurnRecord(
      { text: "", reasoning: "" },
      [await called("c", "rm -rf /", {}, "No")],
      NOTHING,
    );
    expect(record.calls[0]?.name).toBe("rm_-rf__");
  });
});

describe("the prompt", () => {
  it("the prompt contains the task, then the turns with people's messages between them", async () => {
    const harness = new LlmTurnHarness({
      task: "Find rain",
      deliverables: ["report"],
      context: { city: "Bergen" },
    });
    const first = createLlmTurnRecord(
      { text: "I ask.", reasoning: "Thinking." },
      [await called("c1", "ask", { question: "When?" }, "People have been asked.")],
      NOTHING,
    );
    const second = createLlmTurnRecord({ text: "It rains.", reasoning: "Not reported." }, [], {
      ...NOTHING,
      answers: 1,
      remark: "Call finish.",
    });
    harness.event({ type: "updated", data: { notes: "Be quick" } });
    const task = {
      ...harness.task,
      answers: [{ question: "When?", response: "Today" }],
      reviewComments: ["Say how much"],
    };
    const prompt = buildLlmPrompt(task, "Be kind.", [first, second], FENCE);
    expect(prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
      "assistant",
      "user",
      "user",
    ]);
    const [system, asked, thought, result, answer, text, remark, comment] = prompt.map(
      ({ content }) => JSON.stringify(content),
    );
    expect(system).toContain("Instructions from the owner of this agent:\\nBe kind.");
    expect(asked).toContain("Your task: Find rain");
    expect(asked).toContain("by type: report");
    expect(asked).toContain("<data-0123456789ab>\\nBe quick\\n</data-0123456789ab>");
    expect(asked).toContain("city: Bergen");
    expect(thought).toContain('"type":"reasoning","text":"Thinking."');
    expect(result).toContain("<data-0123456789ab>\\nPeople have been asked.");
    expect(answer).toContain("They answered: Today");
    expect(text).not.toContain("Not reported.");
    expect(remark).toContain("Call finish.");
    expect(comment).toContain("requested changes: Say how much");
  });

  it("the prompt returns a call's signature to the provider", async () => {
    const call = await called("c1", "atlas__lookup", {}, "{}");
    const signed = { ...call, signature: "sig" };
    const record = createLlmTurnRecord({ text: "", reasoning: "" }, [signed], NOTHING);
    const prompt = buildLlmPrompt(new LlmTurnHarness().task, null, [record], FENCE);
    expect(JSON.stringify(prompt)).toContain(
      '"providerOptions":{"google":{"thoughtSignature":"sig"}}',
    );
  });

  it("the prompt shows part of a large context, within its size limit", () => {
    const values = Array.from({ length: 20 }, (_, n) => [`key${n}`, "\u0001".repeat(50_000)]);
    const [shown = ""] = formatContext(Object.fromEntries(values), FENCE);
    expect(jsonSizeOf(shown)).toBeLessThan(80 * 1024);
    expect(shown).toContain('"$context.key19" passes all of them');
  });

  it("a context reference resolves only the context's own keys", () => {
    const context = { csv: "a,b", "odd key": [1] };
    const given = {
      a: "$context.csv",
      b: "$context.odd key",
      c: "$context.toString",
      d: "see $context.csv",
      e: ["$context.csv"],
    };
    expect(resolveContextReferences(given, context)).toEqual({ ...given, a: "a,b", b: [1] });
  });
});
