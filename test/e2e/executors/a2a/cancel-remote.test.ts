import { describe, expect, it } from "vitest";
import {
  createA2aCheckpoint,
  parseA2aCheckpoint,
  serializeA2aCheckpoint,
} from "../../../../src/executors/a2a/checkpoint.ts";
import { A2A_TASK_AGE_MAX_MS } from "../../../../src/executors/a2a/limits.ts";
import { A2aTurnHarness, expectOutcome } from "../../../executors/a2a/turn-harness.ts";
import { cancel, hostile, turn } from "./fixtures.ts";

/** Returns the ids of the tasks that the agent was asked to cancel. */
async function cancelledIds({ seen }: ReturnType<typeof hostile>): Promise<(string | undefined)[]> {
  const sent = await seen();
  return sent.flatMap(({ method, params }) => (method === "CancelTask" ? [params.id] : []));
}

describe("a remote task that is no longer needed when the first response arrives", () => {
  // The agent responds with a task, but none of these agents confirms that it cancelled the task.
  for (const name of ["endless", "cancel-500", "cancel-ended", "cancel-garbage"]) {
    it(`a remote task that is no longer needed is cancelled after the first response (${name})`, async () => {
      const harness = new A2aTurnHarness();
      const agent = hostile(name);
      harness.isWanted = false;
      expect(await turn(harness, agent.card)).toMatchObject({ kind: "again", failure: null });
      expect(await cancelledIds(agent)).toEqual(["task-1"]);
      // The log does not contain the remote task, so cancelling the task sends nothing more.
      expect(harness.reports).toHaveLength(1);
      expect(parseA2aCheckpoint(harness.task.work)).toBeNull();
      expect(await cancel(harness, agent.card)).toBe("done");
      expect(await cancelledIds(agent)).toHaveLength(1);
    });
  }

  // The agent responds with a message instead of a task, or with a task that has already ended.
  for (const name of ["message", "message-polled", "result"]) {
    it(`a remote task that ended with the first response is not cancelled (${name})`, async () => {
      const harness = new A2aTurnHarness();
      const agent = hostile(name);
      harness.isWanted = false;
      await turn(harness, agent.card);
      expect((await agent.seen()).filter(({ params }) => params.message)).toHaveLength(1);
      expect(await cancelledIds(agent)).toEqual([]);
    });
  }

  it("the remote task of the second round is cancelled, but not that of the first round", async () => {
    const harness = new A2aTurnHarness();
    const agent = hostile("endless");
    const before = {
      ...createA2aCheckpoint(Date.now()),
      isStarted: true,
      taskId: "task-0",
      contextId: "c",
    };
    const work = serializeA2aCheckpoint(before);
    harness.event({ type: "progressed", data: { progress: 50, phase: "x", calls: [], work } });
    const result = { summary: "Done.", insights: [], recommendations: [] };
    const outcome = { result, quality: null, deliverables: [] };
    harness.event({ type: "submitted", data: { ...outcome, calls: [] } });
    harness.event({ type: "changes_requested", data: { comment: "Shorter." } });
    harness.isWanted = false;
    await turn(harness, agent.card);
    expect(await cancelledIds(agent)).toEqual(["task-1"]);
    const message = (await agent.seen()).find(({ params }) => params.message)?.params.message;
    expect(message?.referenceTaskIds).toEqual(["task-0"]);
  });

  it("a remote task that the log contains is cancelled by the task's cancellation, not by the turn", async () => {
    const harness = new A2aTurnHarness();
    const agent = hostile("endless");
    await turn(harness, agent.card, { signal: AbortSignal.timeout(300) });
    expect(parseA2aCheckpoint(harness.task.work)?.taskId).toBe("task-1");
    harness.isWanted = false;
    // Make the last progress report old enough that the next one is due.
    const a2a = parseA2aCheckpoint(harness.task.work) ?? createA2aCheckpoint(0);
    const work = serializeA2aCheckpoint({ ...a2a, noted: 0 });
    harness.event({ type: "progressed", data: { progress: 50, phase: "x", calls: [], work } });
    const before = harness.reports.length;
    await turn(harness, agent.card, { signal: AbortSignal.timeout(2_000) });
    expect(harness.reports).toHaveLength(before + 1);
    expect(await cancelledIds(agent)).toEqual([]);
    await cancel(harness, agent.card);
    expect(await cancelledIds(agent)).toEqual(["task-1"]);
  });
});

describe("a remote task that does not end", () => {
  async function after(ageMs: number) {
    const harness = new A2aTurnHarness();
    const agent = hostile("endless");
    await turn(harness, agent.card, { signal: AbortSignal.timeout(300) });
    const held = parseA2aCheckpoint(harness.task.work) ?? createA2aCheckpoint(0);
    const work = serializeA2aCheckpoint({ ...held, since: Date.now() - ageMs });
    harness.event({ type: "progressed", data: { progress: 50, phase: "x", calls: [], work } });
    const before = (await agent.methods()).length;
    const outcome = await turn(harness, agent.card, { signal: AbortSignal.timeout(300) });
    return { desk: harness, agent, outcome, requests: (await agent.methods()).length - before };
  }

  it("a remote task that does not end within a week fails the task and can then be cancelled", async () => {
    const { desk: harness, agent, outcome, requests } = await after(A2A_TASK_AGE_MAX_MS + 1_000);
    expect(expectOutcome(outcome, "fail").error).toEqual({
      code: "AGENT_ERROR",
      message: "The A2A agent did not finish within 7 days.",
      retryable: true,
    });
    expect(requests).toBe(0);
    await cancel(harness, agent.card);
    expect(await cancelledIds(agent)).toEqual(["task-1"]);
  });

  it("a remote task that does not end is followed for up to a week", async () => {
    const { outcome, requests } = await after(A2A_TASK_AGE_MAX_MS - 60_000);
    expect(outcome).toMatchObject({ kind: "again", failure: null });
    expect(requests).toBeGreaterThan(0);
  });
});

describe("a checkpoint from another kind of agent", () => {
  it("a checkpoint from another kind of agent does not count as a started remote task", async () => {
    const harness = new A2aTurnHarness();
    const work = { a2a: { page: 3 }, "turn-1": { page: 3 } };
    harness.event({ type: "progressed", data: { progress: 5, phase: "x", calls: [], work } });
    const agent = hostile("good");
    expectOutcome(await turn(harness, agent.card), "complete");
    expect(await agent.methods()).toContain("SendStreamingMessage");
  });
});
