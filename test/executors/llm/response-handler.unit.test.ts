import { describe, expect, it } from "vitest";
import {
  estimateTurnProgress,
  handleLlmResponse,
} from "../../../src/executors/llm/response-handler.ts";
import type { LlmResponse } from "../../../src/executors/llm/response.ts";
import { parseLlmCall } from "../../../src/executors/llm/tool-call.ts";
import { buildLlmFunctions } from "../../../src/executors/llm/functions.ts";
import { createLanguageModel } from "../../../src/executors/llm/provider.ts";
import { parseLlmTurns } from "../../../src/executors/llm/transcript.ts";
import { limitOutputTokens, toModelUsage } from "../../../src/executors/llm/turn.ts";
import type { TurnOutcome } from "../../../src/executors/contract.ts";
import { deliverableView } from "../../../src/tasks/api/view.ts";
import { LlmTurnHarness, EXECUTOR, expectOutcome, LOOKUP } from "./turn-harness.ts";

/**
 * Returns the outcome of a turn with this model response. `calls` are pairs of a function name and
 * its arguments as text.
 */
async function after(
  harness: LlmTurnHarness,
  answer: Partial<Omit<LlmResponse, "calls">> & { calls?: [string, string][] },
): Promise<TurnOutcome> {
  const { calls = [], ...rest } = answer;
  const response: LlmResponse = {
    text: "",
    reasoning: "",
    finishReason: "tool-calls",
    usage: null,
    characters: 10,
    error: null,
    ...rest,
    calls: calls.map(([name, input], place) => ({ id: `c${place}`, name, input, signature: null })),
  };
  const { task, context } = harness;
  const functions = buildLlmFunctions({ capabilities: [LOOKUP], total: 1 });
  const { signal } = new AbortController();
  return harness.take(
    await handleLlmResponse(response, {
      task,
      context,
      functions,
      signal,
      turns: parseLlmTurns(task.work),
    }),
  );
}

describe("the outcome of a recorded response", () => {
  it.each([
    ["a call", { calls: [["atlas__lookup", '{"place":"Oslo"}']] }, "progress"],
    ["a call without arguments", { calls: [["atlas__lookup", ""]] }, "progress"],
    ["a question", { calls: [["ask", '{"question":"When?","kind":"approval"}']] }, "block"],
    ["a final result", { calls: [["finish", '{"summary":"Done."}']] }, "complete"],
    [
      "a final result with null for omitted fields",
      { calls: [["finish", '{"summary":"Done.","quality":null,"review":null,"insights":null}']] },
      "complete",
    ],
    [
      "a final result for review",
      { calls: [["finish", '{"summary":"Done.","review":true}']] },
      "submit",
    ],
    ["text only", { text: "Hello", finish: "stop" }, "progress"],
    ["arguments as a list", { calls: [["finish", '["Done."]']] }, "progress"],
    [
      "a file without content",
      { calls: [["deliver_file", '{"name":"a.md","type":"report"}']] },
      "progress",
    ],
    [
      "a file with a path",
      { calls: [["deliver_file", '{"name":"../a.md","type":"report","content":"A"}']] },
      "progress",
    ],
  ] as const)("a response with %s has the expected kind of outcome", async (_, answer, kind) => {
    const outcome = await after(new LlmTurnHarness(), {
      ...answer,
      calls: [...("calls" in answer ? answer.calls : [])].map(([name, input]) => [name, input]),
    });
    expect(outcome.kind).toBe(kind);
  });

  it("the result of an invalid call states what to change", async () => {
    const harness = new LlmTurnHarness();
    await after(harness, {
      calls: [
        ["deliver_file", '{"name":"../a.md","type":"report","content":"A"}'],
        ["ask", '{"question":" "}'],
        ["finish", '{"summary":7}'],
        ["finish", '{"summary":"Done.",'],
      ],
    });
    const [turn] = parseLlmTurns(harness.task.work);
    expect(turn?.calls.map(({ result }) => result)).toEqual([
      'deliver_file was not executed: arguments.name must be a file name of 1 to 128 characters, other than "." and "..", without slashes or control characters, got "../a.md".',
      "ask was not executed: arguments.question must not be empty.",
      "finish was not executed: arguments.summary must be a string, got 7.",
      expect.stringContaining("are not valid JSON"),
    ]);
    expect(turn?.calls.map(({ isBad }) => isBad)).toEqual([true, true, true, true]);
    expect(harness.files.size).toBe(0);
  });

  it.each(["a\ud800.md", "\udc00", "a\u202egpj.exe", "..", "a\\b", "x".repeat(129)])(
    "a file named %j is rejected, because it could not be downloaded",
    async (name) => {
      const harness = new LlmTurnHarness();
      const input = JSON.stringify({ name, type: "report", content: "A" });
      await after(harness, { calls: [["deliver_file", input]] });
      const [turn] = parseLlmTurns(harness.task.work);
      expect(turn?.calls[0]?.result).toMatch(/arguments\.name must be a file name of 1 to 128 /);
      expect(turn?.files).toEqual([]);
      expect(harness.files.size).toBe(0);
    },
  );

  it.each(["report.md", ".env", "Été – 1 (final).md", "🚢.txt", "x".repeat(128)])(
    "a file named %j is accepted, and its URL contains its name",
    async (name) => {
      const harness = new LlmTurnHarness();
      const input = JSON.stringify({ name, type: "report", content: "A" });
      await after(harness, { calls: [["deliver_file", input]] });
      const [file] = parseLlmTurns(harness.task.work)[0]?.files ?? [];
      if (file === undefined) throw new Error("It was not saved");
      const { url } = deliverableView("https://bosun.example", "id", file);
      expect(decodeURIComponent(url.split("/").at(-1) ?? "")).toBe(name);
    },
  );

  it("a file with the same name is replaced and listed once", async () => {
    const harness = new LlmTurnHarness({ deliverables: ["Report"] });
    const file = (content: string): [string, string] => [
      "deliver_file",
      JSON.stringify({ name: "a.md", type: "report", content }),
    ];
    await after(harness, { calls: [file("One")] });
    await after(harness, { calls: [file("Two"), ["finish", '{"summary":"Done."}']] });
    const { outcome } = expectOutcome(harness.outcomes[1], "complete");
    expect(outcome.deliverables).toMatchObject([{ name: "a.md", type: "Report", size: 3 }]);
    expect(outcome.result.summary).toBe("Done.");
    expect(harness.text("a.md")).toBe("Two");
  });

  it("a turn whose file was not saved does not finish the task", async () => {
    const harness = new LlmTurnHarness();
    const outcome = await after(harness, {
      calls: [
        ["deliver_file", '{"name":"a.md","type":"report","content":""}'],
        ["finish", '{"summary":"Done."}'],
      ],
    });
    expect(outcome.kind).toBe("progress");
  });
});

describe("calls", () => {
  it("calls with the same arguments are equal regardless of property order", async () => {
    const digest = async (input: string) =>
      (await parseLlmCall({ id: "c", name: "f", input, signature: null }, false)).digest;
    expect(await digest('{"a":1,"b":{"c":2,"d":3}}')).toBe(
      await digest(' {"b":{"d":3,"c":2},"a":1}'),
    );
    expect(await digest('{"a":1}')).not.toBe(await digest('{"a":"1"}'));
    expect(await digest('{"__proto__":{"a":1}}')).not.toBe(await digest("{}"));
  });
});

describe("progress", () => {
  it("progress grows with each turn, never exceeds 90, and never decreases", () => {
    const all = Array.from({ length: 200 }, (_, place) => estimateTurnProgress(place + 1, 0));
    expect(all[0]).toBe(19);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect(Math.max(...all)).toBeLessThanOrEqual(90);
    expect(estimateTurnProgress(1, 60)).toBe(60);
  });
});

describe("the cost of a turn", () => {
  const prices = { inputPerMillion: 2, outputPerMillion: 10 };
  const spend = { cost: 0.4, toolCalls: 0 };
  const room = (maxCost: number, promptBytes: number) =>
    limitOutputTokens(
      { budget: { maxCost }, spend },
      { prices, maxOutputTokens: 5_000 },
      promptBytes,
    );

  it("the cost of a turn is computed from the reported tokens, or from an estimate if none are reported", () => {
    const usage = {
      inputTokens: { total: 1_000, noCache: 900, cacheRead: 100, cacheWrite: undefined },
      outputTokens: { total: 200, text: 200, reasoning: 0 },
    };
    const bytes = { input: 40, output: 40 };
    expect(toModelUsage(usage, bytes, prices)).toEqual({
      inputTokens: 1_000,
      outputTokens: 200,
      cost: 0.004,
    });
    expect(toModelUsage(null, bytes, prices)).toEqual({
      inputTokens: 10,
      outputTokens: 10,
      cost: 0.00012,
    });
  });

  it("the budget must cover both the prompt and the response of a turn", () => {
    expect(room(1, 4_000)).toEqual({ ok: true, value: 5_000 });
    expect(room(0.41, 4_000)).toEqual({ ok: true, value: 800 });
    expect(room(0.402, 4_000).ok).toBe(false);
    expect(room(0.4, 0).ok).toBe(false);
    const free = { prices: { inputPerMillion: 0, outputPerMillion: 0 }, maxOutputTokens: 7 };
    expect(limitOutputTokens({ budget: { maxCost: 0 }, spend }, free, 4_000)).toEqual({
      ok: true,
      value: 7,
    });
    const small = { prices, maxOutputTokens: 7 };
    expect(limitOutputTokens({ budget: null, spend }, small, 4_000)).toEqual({
      ok: true,
      value: 7,
    });
  });
});

describe("the token limit of a response", () => {
  it.each([
    ["https://api.openai.com/v1", "max_completion_tokens"],
    ["https://house.openai.azure.com/openai/v1", "max_completion_tokens"],
    ["https://api.groq.com/openai/v1", "max_tokens"],
  ])("the token limit is sent to %s as %s", async (baseUrl, name) => {
    const bodies: string[] = [];
    const wire = {
      fetch: async (_: unknown, init?: RequestInit) => {
        bodies.push(String(init?.body));
        return new Response("data: [DONE]\n\n");
      },
    };
    const model = await createLanguageModel({ ...EXECUTOR, baseUrl }, null, wire, null);
    if (!model.ok) throw new Error(model.failure);
    await model.value.doStream({ prompt: [], maxOutputTokens: 77 });
    const sent: Record<string, unknown> = JSON.parse(bodies[0] ?? "{}");
    expect(sent[name]).toBe(77);
    expect(["max_tokens", "max_completion_tokens"].filter((one) => one in sent)).toEqual([name]);
  });
});
