import { describe, expect, it } from "vitest";
import { parseA2aCheckpoint } from "../../../src/executors/a2a/checkpoint.ts";
import { A2A_TURN_DURATION_MS } from "../../../src/executors/a2a/limits.ts";
import { Desk, expected } from "../../agents/a2a/desk.ts";
import { hostile, turn } from "./fixture.ts";

const WELL = "# All is well";

/** One turn of a task of one report. */
async function done(name: string) {
  const desk = new Desk({ deliverables: ["report"] });
  const server = hostile(name);
  const { outcome } = expected(await turn(desk, server.card), "complete");
  return { desk, outcome, methods: await server.methods() };
}

describe("a stream", () => {
  it("that tells everything is checked against the task itself at the end", async () => {
    const { desk, outcome, methods } = await done("good");
    expect(outcome.result.summary).toBe("Done.");
    expect(desk.text("report.md")).toBe(WELL);
    expect(methods).toEqual(["card", "SendStreamingMessage", "GetTask"]);
  });

  it("that breaks off is taken up again in the same turn", async () => {
    const { desk, methods } = await done("breaks");
    expect(desk.text("report.md")).toBe(WELL);
    expect(methods).toEqual(["card", "SendStreamingMessage", "SubscribeToTask", "GetTask"]);
  });

  for (const name of ["breaks-always", "ends-early"]) {
    it(`that ${name} is left for looking at the task`, async () => {
      const { desk, methods } = await done(name);
      expect(desk.text("report.md")).toBe(WELL);
      const subscribes = methods.filter((method) => method === "SubscribeToTask");
      expect(subscribes).toHaveLength(3);
    });
  }

  it("that is taken up again and says nothing is left for looking at the task", async () => {
    const { desk, methods } = await done("breaks-silent");
    expect(desk.text("report.md")).toBe(WELL);
    expect(methods).toEqual(["card", "SendStreamingMessage", "SubscribeToTask", "GetTask"]);
  });

  for (const name of ["garbage", "flood", "stream-lie"]) {
    it(`of ${name} is given up for good`, async () => {
      const { desk, methods } = await done(name);
      expect(desk.text("report.md")).toBe(WELL);
      expect(methods).not.toContain("SubscribeToTask");
      expect(parseA2aCheckpoint(desk.task.work)?.endpoint?.streaming).toBe(false);
    });
  }

  it("with events of other tasks tells nothing but of its own", async () => {
    const { outcome } = await done("foreign");
    expect(outcome.result.summary).toBe("Yours.");
  });

  it("that goes back after its end has ended", async () => {
    const { outcome } = await done("backwards");
    expect(outcome.result.summary).toBe("Done.");
  });

  it("whose chunks come twice and in disorder gives the file as the agent keeps it", async () => {
    const { desk } = await done("chunks");
    expect(desk.text("report.md")).toBe(WELL);
  });

  it("is all there is of an agent that keeps nothing", async () => {
    const { desk, outcome } = await done("forgets");
    expect(desk.text("report.md")).toBe(WELL);
    expect(outcome.result.summary).toBe(WELL);
  });

  it(
    "that never ends is left when the turn's window ends, and its progress never reaches the end",
    async () => {
      const desk = new Desk();
      const { card, seen } = hostile("endless");
      const startedAt = Date.now();
      expect(await turn(desk, card)).toMatchObject({ kind: "again", fault: null });
      const tookMs = Date.now() - startedAt;
      expect(tookMs).toBeGreaterThan(A2A_TURN_DURATION_MS - 1_000);
      expect(tookMs).toBeLessThan(A2A_TURN_DURATION_MS + 3_000);
      expect(desk.task).toMatchObject({ status: "in_progress", currentPhase: "Still at it" });
      expect(desk.task.progress).toBeLessThan(90);
      expect(desk.reports.length).toBeLessThan(12);
      expect((await seen()).map(({ method }) => method)).toEqual(["card", "SendStreamingMessage"]);
    },
    2 * A2A_TURN_DURATION_MS,
  );
});
