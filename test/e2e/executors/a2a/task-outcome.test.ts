import { describe, expect, it } from "vitest";
import { parseA2aCheckpoint } from "../../../../src/executors/a2a/checkpoint.ts";
import { A2aTurnHarness, expectOutcome } from "../../../executors/a2a/turn-harness.ts";
import { hostile, turn, turns } from "./fixtures.ts";

const FAILURES: readonly (readonly [name: string, retryable: boolean, message: string])[] = [
  ["rejected", false, "The A2A agent rejected the task: I only count."],
  ["failed", true, "The ink is dry."],
  ["failed-silent", true, "The A2A agent failed without saying why."],
  ["canceled", true, "The A2A agent cancelled its work: Nobody asked me."],
  ["unknown", false, "The A2A agent is in a state that A2A 1.0 does not define. It says: Zzz"],
];

const BLOCKS: readonly (readonly [name: string, why: string, question: string])[] = [
  ["input", "input", "Which year?"],
  ["input-silent", "input", "The A2A agent needs input, but does not say what."],
  ["auth", "auth", "Sign in at https://login.example.com/"],
];

describe("a remote task that ends", () => {
  for (const [name, retryable, message] of FAILURES) {
    it(`a remote task that ends as ${name} fails the task`, async () => {
      const outcome = await turn(new A2aTurnHarness(), hostile(name).card);
      expect(outcome).toEqual({ kind: "fail", error: { code: "AGENT_ERROR", message, retryable } });
    });
  }

  for (const name of ["message", "message-polled"]) {
    it(`a response with a ${name} completes the task with its text`, async () => {
      const harness = new A2aTurnHarness({ deliverables: ["summary"] });
      const { outcome } = expectOutcome(await turn(harness, hostile(name).card), "complete");
      expect(outcome.result.summary).toBe("Forty-two.");
      expect(outcome.deliverables).toMatchObject([
        { name: "answer.md", type: "summary", size: 10 },
      ]);
    });
  }
});

describe("a remote task that waits", () => {
  for (const [name, why, question] of BLOCKS) {
    it(`a remote task that is ${name} blocks the task, and the answer goes to the same remote task`, async () => {
      const harness = new A2aTurnHarness();
      const { card, seen } = hostile(name);
      expect(expectOutcome(await turn(harness, card), "block")).toMatchObject({ why, question });
      harness.respond({ year: 2026 });
      const { outcome } = expectOutcome(await turn(harness, card), "complete");
      expect(outcome.result.summary).toBe("Done.");
      const sent = (await seen()).flatMap(({ params: { message } }) =>
        message === undefined ? [] : [message],
      );
      expect(sent).toHaveLength(2);
      expect(sent[1]).toMatchObject({
        taskId: "task-1",
        contextId: "context-1",
        parts: [{ data: { year: 2026 } }],
      });
      expect(sent[1]?.messageId).not.toBe(sent[0]?.messageId);
    });
  }

  it("a question that a remote task repeats right after the answer does not block the task again", async () => {
    const harness = new A2aTurnHarness();
    const { card } = hostile("input-stale");
    expectOutcome(await turn(harness, card), "block");
    const { asked } = parseA2aCheckpoint(harness.task.work) ?? {};
    expect(asked).toContain("2026-01-01");
    harness.respond("1994");
    // The response to the answer repeats the question, but the next read finds the task completed.
    expectOutcome(await turns(harness, card), "complete");
  });

  it("if the agent sends progress as a number, the task has this progress", async () => {
    const harness = new A2aTurnHarness();
    expectOutcome(await turn(harness, hostile("progress-reported").card), "block");
    expect(harness.task.progress).toBe(61);
  });
});

describe("an attempt's first message", () => {
  it("the first message contains the task, its context and the requested files, under its own id", async () => {
    const harness = new A2aTurnHarness({
      task: "Count the ships",
      context: { harbour: "Kelp Bay" },
      deliverables: ["report", "chart"],
      priority: "high",
    });
    const { card, seen } = hostile("good");
    await turn(harness, card);
    const [, first] = await seen();
    expect(first?.method).toBe("SendStreamingMessage");
    expect(first?.headers["a2a-version"]).toBe("1.0");
    const { message } = first?.params ?? {};
    expect(message?.messageId).toMatch(/^a2a0c1d2[0-9a-f]+-1-3$/);
    expect(message?.taskId).toBeUndefined();
    expect(message?.contextId).toBeUndefined();
    expect(message?.parts).toMatchObject([
      { text: "Count the ships\n\nRequested deliverables: report, chart." },
      {
        data: {
          context: { harbour: "Kelp Bay" },
          deliverables: ["report", "chart"],
          priority: "high",
          deadline: null,
          attempt: 1,
        },
      },
    ]);
  });

  it("the first message has the same id if a crash repeats the turn, and a different one in the next attempt", async () => {
    const harness = new A2aTurnHarness();
    const { card, seen } = hostile("failed");
    const before = harness.task;
    await turn(harness, card);
    harness.task = before;
    await turn(harness, card);
    harness.retry();
    await turn(harness, card);
    const ids = (await seen()).flatMap(({ params }) => params.message?.messageId ?? []);
    expect(ids).toHaveLength(3);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toMatch(/-2-\d+$/);
  });

  it("the first message is recorded as sent before the remote task is followed", async () => {
    const harness = new A2aTurnHarness();
    await turn(harness, hostile("endless").card, { signal: AbortSignal.timeout(300) });
    expect(harness.reports[0]?.work).toMatchObject({ a2a: { isStarted: true, taskId: "task-1" } });
  });
});
