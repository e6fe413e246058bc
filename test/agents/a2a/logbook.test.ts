import { StreamResponse } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { freshHeld, heldOf } from "../../../src/agents/executors/a2a/held.ts";
import { Logbook } from "../../../src/agents/executors/a2a/logbook.ts";
import { notePauseMs } from "../../../src/agents/executors/a2a/pace.ts";
import { Sight } from "../../../src/agents/executors/a2a/sight.ts";
import { A2A_FOLLOW_MS } from "../../../src/domain/limits.ts";
import { Desk } from "./desk.ts";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

function hears(sight: Sight, taskId: string, text: string): void {
  const message = { messageId: text, parts: [{ text }] };
  const status = { state: "TASK_STATE_WORKING", message };
  sight.hear(StreamResponse.fromJSON({ statusUpdate: { taskId, status } }));
}

/** An agent that says something new every second for so long, followed by one turn after the other. */
async function chatter(lastsMs: number, saysNew = true): Promise<number[]> {
  const desk = new Desk();
  const startedAt = Date.now();
  const writtenAt: number[] = [];
  for (let turnAt = startedAt; turnAt < startedAt + lastsMs; turnAt += A2A_FOLLOW_MS) {
    const held = heldOf(desk.task.work) ?? freshHeld(startedAt);
    const sight = new Sight("remote", null);
    const log = new Logbook(desk.hands, desk.task, held);
    let now = turnAt;
    const write = async (writing: () => Promise<unknown>): Promise<void> => {
      const before = desk.reports.length;
      await writing();
      for (let one = before; one < desk.reports.length; one += 1) writtenAt.push(now - startedAt);
    };
    for (; now < turnAt + A2A_FOLLOW_MS; now += SECOND_MS) {
      hears(sight, "remote", saysNew ? `word ${now}` : "the same");
      await write(() => log.note(sight, now));
    }
    await write(() => log.close(sight, now));
  }
  return writtenAt;
}

describe("word of progress", () => {
  it("of an agent that always says something new comes to a few hundred events a day", async () => {
    const writtenAt = await chatter(DAY_MS);
    const minute = writtenAt.filter((at) => at <= 60 * SECOND_MS);
    expect(minute.length).toBeGreaterThan(15);
    expect(minute.length).toBeLessThan(40);
    expect(writtenAt.length).toBeGreaterThan(200);
    expect(writtenAt.length).toBeLessThan(400);
    // However old the work, people hear of it now and then.
    const pauses = writtenAt.map((at, place) => at - (writtenAt[place - 1] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(11 * 60 * SECOND_MS);
  });

  it("that is the same in each turn is no more of it", async () => {
    expect((await chatter(DAY_MS / 24, false)).length).toBeLessThan(150);
  });

  it("grows rarer with the work's age", () => {
    const pauses = [0, 60, 300, 1_800, 86_400, 604_800].map(
      (seconds) => notePauseMs(seconds * SECOND_MS, 2 * SECOND_MS) / SECOND_MS,
    );
    expect(pauses).toEqual([2, 2, 10, 60, 600, 600]);
    expect(notePauseMs(SECOND_MS, 0)).toBe(33);
  });
});

describe("a log that takes no further word", () => {
  it("knows only what it took, and is not asked again", async () => {
    const desk = new Desk();
    const now = Date.now();
    const log = new Logbook(desk.hands, desk.task, freshHeld(now));
    const sight = new Sight(null, null);
    hears(sight, "first", "working");
    log.hold({ ...log.held, taskId: "first" });
    expect(await log.note(sight, now)).toBe(true);
    expect([log.knows("first"), log.isStopped]).toEqual([true, false]);

    desk.isWanted = false;
    log.hold({ ...log.held, taskId: "second" });
    expect(await log.note(sight, now + SECOND_MS)).toBe(false);
    expect([log.knows("first"), log.knows("second"), log.isStopped]).toEqual([true, false, true]);

    const before = desk.reports.length;
    expect(await log.note(sight, now + DAY_MS)).toBe(false);
    await log.close(sight, now + DAY_MS);
    expect(desk.reports).toHaveLength(before);
  });
});
