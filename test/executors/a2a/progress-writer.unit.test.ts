import { StreamResponse } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { createA2aCheckpoint, parseA2aCheckpoint } from "../../../src/executors/a2a/checkpoint.ts";
import { ProgressWriter } from "../../../src/executors/a2a/progress-writer.ts";
import { computeProgressIntervalMs } from "../../../src/executors/a2a/intervals.ts";
import { RemoteTaskState } from "../../../src/executors/a2a/remote-task-state.ts";
import { A2A_TURN_DURATION_MS } from "../../../src/executors/a2a/limits.ts";
import { A2aTurnHarness } from "./turn-harness.ts";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

function receiveText(sight: RemoteTaskState, taskId: string, text: string): void {
  const message = { messageId: text, parts: [{ text }] };
  const status = { state: "TASK_STATE_WORKING", message };
  sight.apply(StreamResponse.fromJSON({ statusUpdate: { taskId, status } }));
}

/**
 * Runs an agent for this long, in consecutive turns. It reports progress every second, with new
 * text if `saysNew` is true. Returns the times at which progress was recorded.
 */
async function reportEverySecond(lastsMs: number, saysNew = true): Promise<number[]> {
  const harness = new A2aTurnHarness();
  const startedAt = Date.now();
  const writtenAt: number[] = [];
  for (let turnAt = startedAt; turnAt < startedAt + lastsMs; turnAt += A2A_TURN_DURATION_MS) {
    const held = parseA2aCheckpoint(harness.task.work) ?? createA2aCheckpoint(startedAt);
    const sight = new RemoteTaskState("remote", null);
    const log = new ProgressWriter(harness.context, harness.task, held);
    let now = turnAt;
    const write = async (writing: () => Promise<unknown>): Promise<void> => {
      const before = harness.reports.length;
      await writing();
      for (let one = before; one < harness.reports.length; one += 1)
        writtenAt.push(now - startedAt);
    };
    for (; now < turnAt + A2A_TURN_DURATION_MS; now += SECOND_MS) {
      receiveText(sight, "remote", saysNew ? `word ${now}` : "the same");
      await write(() => log.writeIfDue(sight, now));
    }
    await write(() => log.flush(sight, now));
  }
  return writtenAt;
}

describe("progress reports", () => {
  it("an agent that constantly reports new progress text causes a few hundred events a day", async () => {
    const writtenAt = await reportEverySecond(DAY_MS);
    const minute = writtenAt.filter((at) => at <= 60 * SECOND_MS);
    expect(minute.length).toBeGreaterThan(15);
    expect(minute.length).toBeLessThan(40);
    expect(writtenAt.length).toBeGreaterThan(200);
    expect(writtenAt.length).toBeLessThan(400);
    // However long the work takes, progress is recorded at least every 11 minutes.
    const pauses = writtenAt.map((at, place) => at - (writtenAt[place - 1] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(11 * 60 * SECOND_MS);
  });

  it("progress text that repeats in each turn is recorded fewer than 150 times an hour", async () => {
    expect((await reportEverySecond(DAY_MS / 24, false)).length).toBeLessThan(150);
  });

  it("progress reports become less frequent as the work gets older", () => {
    const pauses = [0, 60, 300, 1_800, 86_400, 604_800].map(
      (seconds) => computeProgressIntervalMs(seconds * SECOND_MS, 2 * SECOND_MS) / SECOND_MS,
    );
    expect(pauses).toEqual([2, 2, 10, 60, 600, 600]);
    expect(computeProgressIntervalMs(SECOND_MS, 0)).toBe(33);
  });
});

describe("a log that accepts no more progress", () => {
  it("a log that rejects progress contains only what it accepted before and is not written to again", async () => {
    const harness = new A2aTurnHarness();
    const now = Date.now();
    const log = new ProgressWriter(harness.context, harness.task, createA2aCheckpoint(now));
    const sight = new RemoteTaskState(null, null);
    receiveText(sight, "first", "working");
    log.checkpoint = { ...log.checkpoint, taskId: "first" };
    expect(await log.writeIfDue(sight, now)).toBe(true);
    expect([log.isRecorded("first"), log.isStopped]).toEqual([true, false]);

    harness.isWanted = false;
    log.checkpoint = { ...log.checkpoint, taskId: "second" };
    expect(await log.writeIfDue(sight, now + SECOND_MS)).toBe(false);
    expect([log.isRecorded("first"), log.isRecorded("second"), log.isStopped]).toEqual([
      true,
      false,
      true,
    ]);

    const before = harness.reports.length;
    expect(await log.writeIfDue(sight, now + DAY_MS)).toBe(false);
    await log.flush(sight, now + DAY_MS);
    expect(harness.reports).toHaveLength(before);
  });
});
