import { describe, expect, it, vi } from "vitest";
import {
  createA2aCheckpoint,
  parseA2aCheckpoint,
  serializeA2aCheckpoint,
} from "../../../src/executors/a2a/checkpoint.ts";
import { Desk, expected } from "../../agents/a2a/desk.ts";
import { cancel, COUNTER, turn, turns } from "./fixture.ts";

const TEXT = "The sea is calm.\nThe harbour is full of ships today.\nAhoy!";
const { origin } = new URL(COUNTER);
const REPORT = ["report.md", "figures.json"];

/** A desk whose agent is spoken to in another way than its card prefers. */
function by(binding: "JSONRPC" | "HTTP+JSON", streaming: boolean, context = {}): Desk {
  const desk = new Desk({ context: { text: TEXT, ...context } });
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
  desk.event({ type: "progressed", data: { progress: 0, phase: "planning", calls: [], work } });
  return desk;
}

describe("the example agent", () => {
  it("does a task in one turn: progress, summary, insights and files as it gives them", async () => {
    const desk = new Desk({ context: { text: TEXT }, deliverables: ["report"] });
    const { outcome } = expected(await turn(desk, COUNTER), "complete");
    expect(outcome.result).toEqual({
      summary: "The text has 12 words in 3 lines.",
      insights: [
        "Its commonest words are is (2), the (2), ahoy (1), calm (1), full (1).",
        "Line 2 is the longest, with 35 characters.",
      ],
      recommendations: [],
    });
    expect(outcome.quality).toBeNull();
    expect(outcome.deliverables.map(({ name, type, format }) => ({ name, type, format }))).toEqual([
      { name: "report.md", type: "report", format: "text/markdown; charset=utf-8" },
      { name: "figures.json", type: "report", format: "application/json" },
    ]);
    expect(desk.text("report.md")).toContain("in 3 lines.\n\n## Longest lines\n");
    expect(JSON.parse(desk.text("figures.json"))).toMatchObject({ words: 12, lines: 3 });
    expect(parseA2aCheckpoint(desk.task.work)).toMatchObject({
      isStarted: true,
      taskId: expect.any(String),
    });
  });

  for (const [binding, streaming] of [
    ["JSONRPC", false],
    ["HTTP+JSON", true],
    ["HTTP+JSON", false],
  ] as const) {
    it(`works the same over ${binding} ${streaming ? "with" : "without"} streams`, async () => {
      const desk = by(binding, streaming);
      expected(await turns(desk, COUNTER), "complete");
      expect([...desk.files.keys()]).toEqual(REPORT);
      expect(desk.text("report.md")).toContain("in 3 lines.\n\n## Longest lines\n");
    });

    it(`asks and is cancelled the same over ${binding} ${streaming ? "with" : "without"} streams`, async () => {
      const desk = by(binding, streaming, { askFirst: "Shall I?" });
      expect(expected(await turns(desk, COUNTER), "block").question).toBe("Shall I?");
      expect(await cancel(desk, COUNTER)).toBe("done");
      desk.respond("Yes");
      expect(await turns(desk, COUNTER)).toMatchObject({ kind: "fail" });
    });
  }

  it("asks what the context asks it to, and goes on with the answer in the same task", async () => {
    const desk = new Desk({ context: { text: TEXT, askFirst: "Which edition?" } });
    const block = expected(await turn(desk, COUNTER), "block");
    expect(block).toMatchObject({ why: "input", question: "Which edition?" });
    const before = parseA2aCheckpoint(desk.task.work)?.taskId;
    desk.respond("The second");
    expected(await turn(desk, COUNTER), "complete");
    expect(desk.text("report.md")).toContain("As you said: The second");
    expect(parseA2aCheckpoint(desk.task.work)).toMatchObject({ taskId: before, answers: 1 });
  });

  it("asks for the text where there is none", async () => {
    const desk = new Desk();
    const { question } = expected(await turn(desk, COUNTER), "block");
    expect(question).toBe("Which text shall I read?");
    desk.respond("one two three");
    const { outcome } = expected(await turn(desk, COUNTER), "complete");
    expect(outcome.result.summary).toBe("The text has 3 words in 1 line.");
  });

  it("makes changes in a new task that refers to the old one, in the same context", async () => {
    const desk = new Desk();
    expected(await turn(desk, COUNTER), "block");
    desk.respond(TEXT);
    const { outcome } = expected(await turn(desk, COUNTER), "complete");
    const before = parseA2aCheckpoint(desk.task.work);
    // As with an agent whose work is reviewed.
    desk.task = { ...desk.task, status: "review", round: 1, outcome };
    desk.event({ type: "changes_requested", data: { comment: "Name the harbour." } });
    expected(await turn(desk, COUNTER), "complete");
    expect(desk.text("report.md")).toContain("Name the harbour.");
    expect(desk.text("report.md")).toContain("12 words in 3 lines");
    const after = parseA2aCheckpoint(desk.task.work);
    expect(after).toMatchObject({ contextId: before?.contextId, round: 1, comments: 1 });
    expect(after?.taskId).not.toBe(before?.taskId);
  });

  it("fails when it is told to, and does the next attempt anew", async () => {
    const desk = new Desk({ context: { text: TEXT, fail: true } });
    const { error } = expected(await turn(desk, COUNTER), "fail");
    expect(error).toEqual({
      code: "AGENT_ERROR",
      message: "I lost count, as I was asked to.",
      retryable: true,
    });
    desk.retry();
    expected(await turn(desk, COUNTER), "complete");
  });

  it("rejects a task with its reason, which no retry would change", async () => {
    const desk = new Desk({ context: { reject: "I only read English." } });
    expect(expected(await turn(desk, COUNTER), "fail").error).toEqual({
      code: "AGENT_ERROR",
      message: "The A2A agent rejected the task: I only read English.",
      retryable: false,
    });
  });

  it("is cancelled while it works, and a second time without harm", async () => {
    const desk = new Desk({ context: { text: TEXT, slowMs: 60_000 } });
    expected(await turn(desk, COUNTER, { signal: AbortSignal.timeout(1_000) }), "again");
    expect(desk.task).toMatchObject({ progress: 23, currentPhase: "Reading the text" });
    expect(await cancel(desk, COUNTER)).toBe("done");
    expect(await cancel(desk, COUNTER)).toBe("done");
    expect(expected(await turn(desk, COUNTER), "fail").error).toMatchObject({
      message: "The A2A agent cancelled its work: Stopped, as I was asked to.",
      retryable: true,
    });
  });

  it("is called off when nobody waits for the task any more and the log knows nothing of it", async () => {
    const desk = new Desk({ context: { text: TEXT, slowMs: 60_000 } });
    desk.isWanted = false;
    expect(await turn(desk, COUNTER)).toMatchObject({ kind: "again", fault: null });
    expect(desk.reports).toHaveLength(1);
    // A look at the task that was left behind.
    const work = desk.reports[0]?.work ?? {};
    const other = new Desk();
    other.event({ type: "progressed", data: { progress: 1, phase: "x", calls: [], work } });
    expect(expected(await turn(other, COUNTER), "fail").error.message).toBe(
      "The A2A agent cancelled its work: Stopped, as I was asked to.",
    );
  });

  it("is followed by a later turn where an earlier one left off", async () => {
    const desk = new Desk({ context: { text: TEXT, slowMs: 3_000 } });
    expected(await turn(desk, COUNTER, { signal: AbortSignal.timeout(800) }), "again");
    const before = parseA2aCheckpoint(desk.task.work)?.taskId;
    expected(await turn(desk, COUNTER), "complete");
    expect(parseA2aCheckpoint(desk.task.work)?.taskId).toBe(before);
  });

  it("is spoken to without Node's Buffer, which a deployed Worker has not", async () => {
    vi.stubGlobal("Buffer", undefined);
    try {
      const desk = new Desk({ context: { text: TEXT } });
      expected(await turn(desk, COUNTER), "complete");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
