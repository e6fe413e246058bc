import { describe, expect, it } from "vitest";
import { parseA2aCheckpoint } from "../../../../src/executors/a2a/checkpoint.ts";
import { A2A_TURN_DURATION_MS } from "../../../../src/executors/a2a/limits.ts";
import { A2aTurnHarness, expectOutcome } from "../../../executors/a2a/turn-harness.ts";
import { hostile, turn } from "./fixtures.ts";

const WELL = "# All is well";

/** Runs one turn of a task with one deliverable. */
async function done(name: string) {
  const harness = new A2aTurnHarness({ deliverables: ["report"] });
  const server = hostile(name);
  const { outcome } = expectOutcome(await turn(harness, server.card), "complete");
  return { desk: harness, outcome, methods: await server.methods() };
}

describe("a stream", () => {
  it("at its end, a complete stream is checked against the remote task", async () => {
    const { desk: harness, outcome, methods } = await done("good");
    expect(outcome.result.summary).toBe("Done.");
    expect(harness.text("report.md")).toBe(WELL);
    expect(methods).toEqual(["card", "SendStreamingMessage", "GetTask"]);
  });

  it("an interrupted stream is resumed in the same turn", async () => {
    const { desk: harness, methods } = await done("breaks");
    expect(harness.text("report.md")).toBe(WELL);
    expect(methods).toEqual(["card", "SendStreamingMessage", "SubscribeToTask", "GetTask"]);
  });

  for (const name of ["breaks-always", "ends-early"]) {
    it(`a stream that ${name} is resumed three times, and then the remote task is polled`, async () => {
      const { desk: harness, methods } = await done(name);
      expect(harness.text("report.md")).toBe(WELL);
      const subscribes = methods.filter((method) => method === "SubscribeToTask");
      expect(subscribes).toHaveLength(3);
    });
  }

  it("if a resumed stream sends no events, the remote task is requested", async () => {
    const { desk: harness, methods } = await done("breaks-silent");
    expect(harness.text("report.md")).toBe(WELL);
    expect(methods).toEqual(["card", "SendStreamingMessage", "SubscribeToTask", "GetTask"]);
  });

  for (const name of ["garbage", "flood", "stream-lie"]) {
    it(`a stream of ${name} is not resumed, and the remote task is polled`, async () => {
      const { desk: harness, methods } = await done(name);
      expect(harness.text("report.md")).toBe(WELL);
      expect(methods).not.toContain("SubscribeToTask");
      expect(parseA2aCheckpoint(harness.task.work)?.endpoint?.streaming).toBe(false);
    });
  }

  it("events of other tasks in a stream are ignored", async () => {
    const { outcome } = await done("foreign");
    expect(outcome.result.summary).toBe("Yours.");
  });

  it("events after the end of a stream are ignored", async () => {
    const { outcome } = await done("backwards");
    expect(outcome.result.summary).toBe("Done.");
  });

  it("a stream with duplicate and unordered chunks yields the file as the agent stores it", async () => {
    const { desk: harness } = await done("chunks");
    expect(harness.text("report.md")).toBe(WELL);
  });

  it("if an agent stores no tasks, its result is taken from the stream", async () => {
    const { desk: harness, outcome } = await done("forgets");
    expect(harness.text("report.md")).toBe(WELL);
    expect(outcome.result.summary).toBe(WELL);
  });

  it(
    "a stream that never ends is closed at the end of the turn, and progress stays below 90",
    async () => {
      const harness = new A2aTurnHarness();
      const { card, seen } = hostile("endless");
      const startedAt = Date.now();
      expect(await turn(harness, card)).toMatchObject({ kind: "again", failure: null });
      const tookMs = Date.now() - startedAt;
      expect(tookMs).toBeGreaterThan(A2A_TURN_DURATION_MS - 1_000);
      expect(tookMs).toBeLessThan(A2A_TURN_DURATION_MS + 3_000);
      expect(harness.task).toMatchObject({ status: "in_progress", currentPhase: "Still at it" });
      expect(harness.task.progress).toBeLessThan(90);
      expect(harness.reports.length).toBeLessThan(12);
      expect((await seen()).map(({ method }) => method)).toEqual(["card", "SendStreamingMessage"]);
    },
    2 * A2A_TURN_DURATION_MS,
  );
});
