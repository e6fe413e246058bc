import { describe, expect, it, vi } from "vitest";
import {
  createA2aCheckpoint,
  parseA2aCheckpoint,
  serializeA2aCheckpoint,
} from "../../../../src/executors/a2a/checkpoint.ts";
import { A2aTurnHarness, expectOutcome } from "../../../executors/a2a/turn-harness.ts";
import { cancel, COUNTER, turn, turns } from "./fixtures.ts";

const TEXT = "The sea is calm.\nThe harbour is full of ships today.\nAhoy!";
const { origin } = new URL(COUNTER);
const REPORT = ["report.md", "figures.json"];

/** Creates a harness that calls the example agent in this way. */
function by(binding: "JSONRPC" | "HTTP+JSON", streaming: boolean, context = {}): A2aTurnHarness {
  const harness = new A2aTurnHarness({ context: { text: TEXT, ...context } });
  const path = binding === "JSONRPC" ? "/a2a" : "/rest";
  const endpoint = {
    cardUrl: COUNTER,
    url: `${origin}${path}`,
    binding,
    tenant: "",
    streaming,
    takesData: true,
  };
  const work = serializeA2aCheckpoint({ ...createA2aCheckpoint(Date.now()), endpoint });
  harness.event({ type: "progressed", data: { progress: 0, phase: "planning", calls: [], work } });
  return harness;
}

describe("the example agent", () => {
  it("the example agent completes a task in one turn, with a summary, insights and files", async () => {
    const harness = new A2aTurnHarness({ context: { text: TEXT }, deliverables: ["report"] });
    const { outcome } = expectOutcome(await turn(harness, COUNTER), "complete");
    expect(outcome.result).toEqual({
      summary: "The text has 12 words in 3 lines.",
      insights: [
        "The most common words are is (2), the (2), ahoy (1), calm (1), full (1).",
        "Line 2 is the longest, with 35 characters.",
      ],
      recommendations: [],
    });
    expect(outcome.quality).toBeNull();
    expect(outcome.deliverables.map(({ name, type, format }) => ({ name, type, format }))).toEqual([
      { name: "report.md", type: "report", format: "text/markdown; charset=utf-8" },
      { name: "figures.json", type: "report", format: "application/json" },
    ]);
    expect(harness.text("report.md")).toContain("in 3 lines.\n\n## Longest lines\n");
    expect(JSON.parse(harness.text("figures.json"))).toMatchObject({ words: 12, lines: 3 });
    expect(parseA2aCheckpoint(harness.task.work)).toMatchObject({
      isStarted: true,
      taskId: expect.any(String),
    });
  });

  for (const [binding, streaming] of [
    ["JSONRPC", false],
    ["HTTP+JSON", true],
    ["HTTP+JSON", false],
  ] as const) {
    it(`the example agent works the same over ${binding} ${streaming ? "with" : "without"} streams`, async () => {
      const harness = by(binding, streaming);
      expectOutcome(await turns(harness, COUNTER), "complete");
      expect([...harness.files.keys()]).toEqual(REPORT);
      expect(harness.text("report.md")).toContain("in 3 lines.\n\n## Longest lines\n");
    });

    it(`the example agent asks and can be cancelled over ${binding} ${streaming ? "with" : "without"} streams`, async () => {
      const harness = by(binding, streaming, { askFirst: "Shall I?" });
      expect(expectOutcome(await turns(harness, COUNTER), "block").question).toBe("Shall I?");
      expect(await cancel(harness, COUNTER)).toBe("done");
      harness.respond("Yes");
      expect(await turns(harness, COUNTER)).toMatchObject({ kind: "fail" });
    });
  }

  it("the example agent asks the question in the context and continues the same task with the answer", async () => {
    const harness = new A2aTurnHarness({ context: { text: TEXT, askFirst: "Which edition?" } });
    const block = expectOutcome(await turn(harness, COUNTER), "block");
    expect(block).toMatchObject({ why: "input", question: "Which edition?" });
    const before = parseA2aCheckpoint(harness.task.work)?.taskId;
    harness.respond("The second");
    expectOutcome(await turn(harness, COUNTER), "complete");
    expect(harness.text("report.md")).toContain("As you said: The second");
    expect(parseA2aCheckpoint(harness.task.work)).toMatchObject({ taskId: before, answers: 1 });
  });

  it("the example agent asks for the text if it is not in the context", async () => {
    const harness = new A2aTurnHarness();
    const { question } = expectOutcome(await turn(harness, COUNTER), "block");
    expect(question).toBe("Which text should I read?");
    harness.respond("one two three");
    const { outcome } = expectOutcome(await turn(harness, COUNTER), "complete");
    expect(outcome.result.summary).toBe("The text has 3 words in 1 line.");
  });

  it("requested changes are made in a new remote task in the same context", async () => {
    const harness = new A2aTurnHarness();
    expectOutcome(await turn(harness, COUNTER), "block");
    harness.respond(TEXT);
    const { outcome } = expectOutcome(await turn(harness, COUNTER), "complete");
    const before = parseA2aCheckpoint(harness.task.work);
    // Put the task in review, as for an agent with requireReview.
    harness.task = { ...harness.task, status: "review", round: 1, outcome };
    harness.event({ type: "changes_requested", data: { comment: "Name the harbour." } });
    expectOutcome(await turn(harness, COUNTER), "complete");
    expect(harness.text("report.md")).toContain("Name the harbour.");
    expect(harness.text("report.md")).toContain("12 words in 3 lines");
    const after = parseA2aCheckpoint(harness.task.work);
    expect(after).toMatchObject({ contextId: before?.contextId, round: 1, comments: 1 });
    expect(after?.taskId).not.toBe(before?.taskId);
  });

  it("the example agent fails on request and starts over in the next attempt", async () => {
    const harness = new A2aTurnHarness({ context: { text: TEXT, fail: true } });
    const { error } = expectOutcome(await turn(harness, COUNTER), "fail");
    expect(error).toEqual({
      code: "AGENT_ERROR",
      message: "The context requests a failure (fail: true).",
      retryable: true,
    });
    harness.retry();
    expectOutcome(await turn(harness, COUNTER), "complete");
  });

  it("the example agent rejects a task with a reason, and the error is not retryable", async () => {
    const harness = new A2aTurnHarness({ context: { reject: "I only read English." } });
    expect(expectOutcome(await turn(harness, COUNTER), "fail").error).toEqual({
      code: "AGENT_ERROR",
      message: "The A2A agent rejected the task: I only read English.",
      retryable: false,
    });
  });

  it("the example agent can be cancelled while it works, and then cancelled again", async () => {
    const harness = new A2aTurnHarness({ context: { text: TEXT, slowMs: 60_000 } });
    expectOutcome(await turn(harness, COUNTER, { signal: AbortSignal.timeout(1_000) }), "again");
    expect(harness.task).toMatchObject({ progress: 23, currentPhase: "Reading the text" });
    expect(await cancel(harness, COUNTER)).toBe("done");
    expect(await cancel(harness, COUNTER)).toBe("done");
    expect(expectOutcome(await turn(harness, COUNTER), "fail").error).toMatchObject({
      message: "The A2A agent cancelled its work: Cancelled on request.",
      retryable: true,
    });
  });

  it("a remote task that is not in the log is cancelled when its task is no longer needed", async () => {
    const harness = new A2aTurnHarness({ context: { text: TEXT, slowMs: 60_000 } });
    harness.isWanted = false;
    expect(await turn(harness, COUNTER)).toMatchObject({ kind: "again", failure: null });
    expect(harness.reports).toHaveLength(1);
    // Read the abandoned remote task.
    const work = harness.reports[0]?.work ?? {};
    const other = new A2aTurnHarness();
    other.event({ type: "progressed", data: { progress: 1, phase: "x", calls: [], work } });
    expect(expectOutcome(await turn(other, COUNTER), "fail").error.message).toBe(
      "The A2A agent cancelled its work: Cancelled on request.",
    );
  });

  it("a later turn continues the remote task of an earlier one", async () => {
    const harness = new A2aTurnHarness({ context: { text: TEXT, slowMs: 3_000 } });
    expectOutcome(await turn(harness, COUNTER, { signal: AbortSignal.timeout(800) }), "again");
    const before = parseA2aCheckpoint(harness.task.work)?.taskId;
    expectOutcome(await turn(harness, COUNTER), "complete");
    expect(parseA2aCheckpoint(harness.task.work)?.taskId).toBe(before);
  });

  it("a turn completes without Node's Buffer, which a deployed Worker does not have", async () => {
    vi.stubGlobal("Buffer", undefined);
    try {
      const harness = new A2aTurnHarness({ context: { text: TEXT } });
      expectOutcome(await turn(harness, COUNTER), "complete");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
