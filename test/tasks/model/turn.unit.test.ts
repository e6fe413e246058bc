import { describe, expect, it } from "vitest";
import { workDueAt, type TaskTiming } from "../../../src/tasks/model/schedule.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { TURN_LOST_AFTER_MS, TURN_RESEND_MIN_MS } from "../../../src/tasks/limits.ts";
import {
  markTurnStarted,
  isExpectedTurn,
  isCurrentTurn,
  createNextTurn,
  scheduleResend,
  type DispatchedTurn,
} from "../../../src/tasks/model/turn.ts";
import { taskAfter, COMMANDS, MODEL, SECOND, T0, applyCommand, COMMANDS_TO } from "./fixtures.ts";

const PACE: TaskTiming = { stepIntervalMs: 500, retentionMs: null };
const NOW = T0 + 10 * SECOND;
const SOON = { afterMs: 0, isFailure: false };

const [, , ...afterAssign] = COMMANDS_TO.in_progress;
const working = taskAfter(COMMANDS.create, { ...COMMANDS.assign, terms: MODEL }, ...afterAssign);
const answered = [COMMANDS.block, COMMANDS.respond].reduce<typeof working>(
  (task, command) => applyCommand(task, command, NOW),
  working,
);

describe("turns of a model or an A2A agent", () => {
  it("turns are numbered from 1 each time the agent starts or resumes work", () => {
    const first = createNextTurn(working, null, SOON, NOW);
    expect(first).toEqual({
      openedSeq: 3,
      number: 1,
      sentAt: NOW,
      hasBegun: false,
      lostAt: NOW + TURN_RESEND_MIN_MS,
      faults: 0,
    });
    expect(createNextTurn(working, first, SOON, NOW).number).toBe(2);
    expect(createNextTurn(answered, first, SOON, NOW)).toMatchObject({ openedSeq: 5, number: 1 });
  });

  it("a turn times out after its start, however long it waited in the queue", () => {
    const later = createNextTurn(working, null, { afterMs: 15 * SECOND, isFailure: false }, NOW);
    expect(later.lostAt).toBe(NOW + 15 * SECOND + TURN_RESEND_MIN_MS);
    const begun = markTurnStarted(later, NOW + 600 * SECOND);
    expect(begun).toEqual({
      ...later,
      hasBegun: true,
      lostAt: NOW + 600 * SECOND + TURN_LOST_AFTER_MS,
    });
  });

  it("a turn that no consumer has started is sent again under the same number, at increasing intervals", () => {
    let turn = createNextTurn(working, null, SOON, NOW);
    const pauses: number[] = [];
    for (let times = 0; times < 7; times += 1) {
      const again = scheduleResend(turn, turn.lostAt);
      expect(again).toMatchObject({ number: 1, faults: 0, hasBegun: false });
      pauses.push((again.lostAt - turn.lostAt) / SECOND);
      turn = again;
    }
    expect(pauses).toEqual([20, 40, 80, 160, 320, 640, 900]);
  });

  it("failures are counted in a row, and a successful turn or new work resets the count", () => {
    const faulty = { afterMs: 0, isFailure: true };
    const one = createNextTurn(working, null, faulty, NOW);
    const two = createNextTurn(working, one, faulty, NOW);
    expect([one.faults, two.faults]).toEqual([1, 2]);
    expect(createNextTurn(working, two, SOON, NOW).faults).toBe(0);
    expect(createNextTurn(answered, two, faulty, NOW).faults).toBe(1);
  });
});

describe("a turn that ends", () => {
  const sent: DispatchedTurn = {
    openedSeq: 3,
    number: 2,
    sentAt: NOW,
    hasBegun: true,
    lostAt: NOW,
    faults: 0,
  };

  it.each([
    ["the last turn that was sent", { openedSeq: 3, number: 2 }, true],
    ["the previous turn, which counts as lost", { openedSeq: 3, number: 1 }, false],
    ["a turn that was never sent", { openedSeq: 3, number: 3 }, false],
    ["a turn from other work", { openedSeq: 2, number: 2 }, false],
  ])("only the turn that was sent last for the work is expected: %s", (_, turn, awaited) => {
    expect(isExpectedTurn(working, sent, turn)).toBe(awaited);
  });

  it("a turn is not expected once the work has ended or waits for people", () => {
    const turn = { openedSeq: 3, number: 2 };
    expect(isExpectedTurn(working, null, turn)).toBe(false);
    const ends: TaskCommand[] = [COMMANDS.block, COMMANDS.submit, COMMANDS.cancel, COMMANDS.fail];
    for (const end of ends) {
      const over = applyCommand(working, end, NOW);
      expect(isCurrentTurn(over, sent)).toBe(false);
      expect(isExpectedTurn(over, sent, turn)).toBe(false);
    }
    expect(isExpectedTurn(answered, sent, turn)).toBe(false);
  });
});

describe("the time of the next turn", () => {
  it("the next turn is due at once if no turn has been sent for the work", () => {
    expect(workDueAt(working, null, PACE, NOW)).toBe(working.lastStepAt);
    const old = createNextTurn(working, null, SOON, NOW);
    expect(workDueAt(answered, old, PACE, NOW)).toBe(answered.lastStepAt);
  });

  it("the next turn is due when the turn that was sent counts as lost", () => {
    const sent = createNextTurn(working, null, SOON, NOW);
    expect(workDueAt(working, sent, PACE, NOW)).toBe(sent.lostAt);
    expect(workDueAt(applyCommand(working, COMMANDS.block, NOW), sent, PACE, NOW)).toBeNull();
  });
});

describe("a turn's model usage", () => {
  const use = { inputTokens: 900, outputTokens: 40, cost: 0.0125 };
  const call = { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true };

  it.each<[string, TaskCommand]>([
    ["progress", { ...COMMANDS.progress, data: { ...COMMANDS.progress.data, use } }],
    ["block", { ...COMMANDS.block, data: { ...COMMANDS.block.data, use } }],
    ["submit", { ...COMMANDS.submit, use }],
    ["complete", { ...COMMANDS.complete, use }],
    ["fail", { ...COMMANDS.fail, use }],
    ["spend", { type: "spend", calls: [], use }],
  ])("the model usage of a turn is counted with %s", (_, command) => {
    const task = applyCommand(working, command, NOW);
    expect(task.tokens).toEqual({ input: 900, output: 40 });
    expect(task.spend).toEqual({ cost: 0.0125, toolCalls: 0 });
  });

  it("the usage of a turn and of tool calls is summed over attempts and in every status", () => {
    const commands: TaskCommand[] = [
      { type: "spend", calls: [call], use },
      COMMANDS.block,
      { type: "spend", calls: [call, call], use },
      COMMANDS.fail,
      COMMANDS.retry,
      { type: "spend", calls: [], use },
    ];
    const task = commands.reduce((so, command) => applyCommand(so, command, NOW), working);
    expect(task.tokens).toEqual({ input: 2_700, output: 120 });
    expect(task.spend).toEqual({ cost: 1.5375, toolCalls: 3 });
  });

  it("tool calls without model usage cost no tokens", () => {
    const task = applyCommand(working, { type: "spend", calls: [call] }, NOW);
    expect(task).toMatchObject({ tokens: { input: 0, output: 0 }, spend: { cost: 0.5 } });
  });
});
