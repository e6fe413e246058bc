import { describe, expect, it } from "vitest";
import { LlmTurnHarness, expectOutcome, TASK_ID } from "../../../executors/llm/turn-harness.ts";
import { calls, requestsOf, run, script, turn } from "./fixtures.ts";
import { blockOf, errorOf } from "../../../../src/tasks/model/task.ts";

const LOOKUP = calls(["atlas__lookup", { place: "Bergen" }]);

function file(name: string, content: string) {
  return calls(["deliver_file", { name, type: "report", content }]);
}

describe("a model with people in the loop", () => {
  it("people answer a model's question, review its work, and get the changes that they request", async () => {
    await script("people", [
      { ...calls(["ask", { question: "Which year?", kind: "input" }]), content: "Hm." },
      file("report.md", "First"),
      file("data.csv", "a,b"),
      calls(["finish", { summary: "First version.", review: true }]),
      file("report.md", "Second"),
      calls(["finish", { summary: "Second version.", review: true }]),
    ]);
    const harness = new LlmTurnHarness({ deliverables: ["report"] });
    expect(await run(harness, "people")).toEqual(["block"]);
    expect(blockOf(harness.task)).toMatchObject({ kind: "input", question: "Which year?" });
    harness.respond({ year: 2026 });
    expect(await run(harness, "people")).toEqual(["wrote report.md", "wrote data.csv", "submit"]);
    harness.requestChanges("Shorter, please");
    expect(await run(harness, "people")).toEqual(["wrote report.md", "submit"]);
    const { outcome } = expectOutcome(harness.outcomes.at(-1), "submit");
    expect(outcome.result.summary).toBe("Second version.");
    expect(outcome.deliverables.map(({ name, key }) => [name, key])).toEqual([
      ["report.md", `tasks/${TASK_ID}/1.1/report.md`],
      ["data.csv", `tasks/${TASK_ID}/1.0/data.csv`],
    ]);
    const requests = await requestsOf("people");
    const answers = requests
      .at(-1)
      ?.body.messages.filter((one: { role: string }) => one.role === "user");
    expect(answers.map(({ content }: { content: string }) => content)).toEqual([
      expect.stringContaining("Your task"),
      'People were asked: Which year?\nThey answered: {"year":2026}',
      expect.stringContaining("requested changes: Shorter, please"),
    ]);
  });

  it("work whose outcome was lost is submitted again without another request to the model", async () => {
    await script("lost-word", [calls(["finish", { summary: "Done." }])]);
    const harness = new LlmTurnHarness({ requireReview: true });
    const before = harness.task;
    const outcome = expectOutcome(await turn(harness, "lost-word"), "complete");
    expect(harness.reports).toMatchObject([{ phase: "handing over", work: { "turn-1": {} } }]);
    // Pretend that the object received the turn's report but not its outcome.
    harness.task = { ...before, work: harness.reports[0]?.work ?? {} };
    const again = expectOutcome(await turn(harness, "lost-word"), "submit");
    expect(again.outcome).toEqual(outcome.outcome);
    expect(again.use).toBeUndefined();
    expect(await requestsOf("lost-word")).toHaveLength(1);
  });

  it("people are asked the question in the context before the first request to the model", async () => {
    await script("ask-first", [calls(["finish", { summary: "Done." }])]);
    const harness = new LlmTurnHarness({ context: { askFirst: "May I?", requireReview: true } });
    expect(await run(harness, "ask-first")).toEqual(["block"]);
    expect(await requestsOf("ask-first")).toHaveLength(0);
    harness.respond("Yes");
    expect(await run(harness, "ask-first")).toEqual(["complete"]);
  });

  it("a model asks one question at a time, and a finish in the same turn is ignored", async () => {
    await script("two-questions", [
      calls(
        ["ask", { question: "A?" }],
        ["ask", { question: "B?" }],
        ["finish", { summary: "Done." }],
      ),
    ]);
    const harness = new LlmTurnHarness();
    expect(expectOutcome(await turn(harness, "two-questions"), "block")).toMatchObject({
      why: "input",
      question: "A?",
      work: {
        "turn-1": {
          calls: [
            { result: "People have been asked." },
            { result: expect.stringContaining("one question at a time") },
            { result: expect.stringContaining("Not finished") },
          ],
        },
      },
    });
  });
});

describe("the budget of a task with a model", () => {
  const prices = { inputPerMillion: 1, outputPerMillion: 100 };

  it("the budget caps the output tokens of one turn", async () => {
    await script("capped", [LOOKUP]);
    const outcome = await turn(new LlmTurnHarness({ budget: { maxCost: 0.05 } }), "capped", {
      executor: { prices },
    });
    expect(outcome.kind).toBe("progress");
    const [request] = await requestsOf("capped");
    expect(request?.body.max_tokens).toBeGreaterThan(450);
    expect(request?.body.max_tokens).toBeLessThan(500);
  });

  it("an exhausted budget blocks the task before the next request, and can be raised", async () => {
    await script("raised", [{ ...LOOKUP, usage: { prompt_tokens: 10, completion_tokens: 900 } }]);
    const harness = new LlmTurnHarness({ budget: { maxCost: 0.09 } });
    expect(await run(harness, "raised", { executor: { prices } })).toEqual([
      "used atlas/lookup",
      "block",
    ]);
    expect(harness.task.spend.cost).toBe(0.09001);
    expect(blockOf(harness.task)).toMatchObject({
      kind: "budget",
      question: expect.stringContaining("The budget of $0.09 does not cover the model's next turn"),
    });
    expect(await requestsOf("raised")).toHaveLength(1);
    harness.respond({ maxCost: 1 });
    await script("raised", [calls(["finish", { summary: "Done." }])]);
    expect(await run(harness, "raised", { executor: { prices } })).toEqual(["complete"]);
  });

  it("if people do not raise an exhausted budget, the attempt ends", async () => {
    await script("not-raised", [LOOKUP]);
    const harness = new LlmTurnHarness({ budget: { maxCost: 0 } });
    expect(await run(harness, "not-raised", { executor: { prices } })).toEqual(["block"]);
    harness.respond("No more");
    expect(await run(harness, "not-raised", { executor: { prices } })).toEqual(["fail"]);
    expect(errorOf(harness.task)).toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(await requestsOf("not-raised")).toHaveLength(0);
  });

  it("a budget of zero is enough for a model that costs nothing", async () => {
    await script("free", [calls(["finish", { summary: "Done." }])]);
    const free = { prices: { inputPerMillion: 0, outputPerMillion: 0 } };
    const harness = new LlmTurnHarness({ budget: { maxCost: 0 } });
    expect(await run(harness, "free", { executor: free })).toEqual(["complete"]);
  });

  it("a turn stops at a tool call that the budget does not cover, and keeps its work", async () => {
    await script("dear-tool", [
      calls(
        ["deliver_file", { name: "a.txt", type: "report", content: "A" }],
        ["atlas__lookup", { place: "Bergen" }],
        ["finish", { summary: "Done." }],
      ),
      LOOKUP,
      calls(["finish", { summary: "Done." }]),
    ]);
    const harness = new LlmTurnHarness({ budget: { maxToolCalls: 0 } });
    harness.answer = async () => ({
      ok: false,
      failure: { kind: "budget", message: "More calls?" },
    });
    expect(await run(harness, "dear-tool")).toEqual(["block"]);
    expect(blockOf(harness.task)).toMatchObject({ kind: "budget", question: "More calls?" });
    harness.answer = async () => ({ ok: true, value: { rain: true } });
    harness.respond({ maxToolCalls: 5 });
    expect(await run(harness, "dear-tool")).toEqual(["used atlas/lookup", "complete"]);
    const [, second] = await requestsOf("dear-tool");
    const tools = second?.body.messages.filter((one: { role: string }) => one.role === "tool");
    expect(tools.map(({ content }: { content: string }) => content)).toEqual([
      expect.stringContaining("Saved a.txt"),
      expect.stringContaining("Not called"),
      expect.stringContaining("Not executed"),
    ]);
  });
});
