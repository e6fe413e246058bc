import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { BLOCK_KINDS, type Task } from "../../../src/tasks/model/task.ts";
import { createNextTurn, withRetriedTurn } from "../../../src/tasks/model/turn.ts";
import { waitingFor } from "../../../src/tasks/model/waiting.ts";
import {
  ADA,
  AGENT_ERROR,
  applyCommand,
  buildCreated,
  COMMANDS,
  COMMANDS_TO,
  MODEL,
  QUEUED,
  QUEUED_COMMANDS_TO,
  SECOND,
  T0,
  taskAfter,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const NOW = T0 + 60 * SECOND;
const created = (change: Parameters<typeof buildCreated>[0]): TaskCommand => ({
  type: "create",
  data: buildCreated(change),
});
const waitAfter = (...commands: readonly TaskCommand[]) => waitingFor(taskAfter(...commands), NOW);

describe("a task that is not waiting", () => {
  it.each(["completed", "failed", "cancelled"] as const)(
    "a task that is %s does not wait",
    (status) => {
      expect(waitAfter(...COMMANDS_TO[status])).toBeNull();
      expect(waitAfter(...WORKER_COMMANDS_TO[status])).toBeNull();
    },
  );

  it("a task whose agent is working, or whose next step is due, does not wait", () => {
    expect(waitAfter(...COMMANDS_TO.pending)).toBeNull();
    expect(waitAfter(...COMMANDS_TO.assigned)).toBeNull();
    for (const to of [COMMANDS_TO, QUEUED_COMMANDS_TO, WORKER_COMMANDS_TO])
      expect(waitAfter(...to.in_progress)).toBeNull();
    expect(waitAfter(...COMMANDS_TO.blocked, COMMANDS.respond)).toBeNull();
  });
});

describe("a task that waits for an agent", () => {
  it("a task without a suitable agent waits for one", () => {
    const wait = { kind: "agent", since: T0, reason: "unassigned", agentId: null };
    expect(waitAfter(created({ choice: null }))).toEqual({
      ...wait,
      message: "No agent is available. The service keeps searching for one.",
    });
    expect(waitAfter(created({ choice: null, teamId: "insights" }))).toEqual({
      ...wait,
      message: "No agent of team insights is available. The service keeps searching for one.",
    });
  });

  it("a task whose chosen agent was excluded waits for another one", () => {
    const choice = { ...ADA, candidates: [{ agentId: "ada", score: 1 }] };
    expect(waitAfter(created({ choice }), COMMANDS.assign, COMMANDS.decline)).toEqual({
      kind: "agent",
      since: T0 + 2 * SECOND,
      reason: "unassigned",
      agentId: null,
      message: "No other agent is available. The service keeps searching for one.",
    });
  });

  it.each([
    [null, "Agent ada, which was requested, is disabled or no longer registered."],
    [
      "insights",
      "Agent ada, which was requested, is disabled or no longer registered, or not a member of team insights.",
    ],
  ])("a task whose requested agent is not available waits for it: team %s", (teamId, message) => {
    const declined = [created({ teamId }), COMMANDS.assign, COMMANDS.decline];
    const released = [created({ teamId }), { ...COMMANDS.assign, terms: QUEUED }, COMMANDS.release];
    for (const commands of [declined, released]) {
      expect(waitAfter(...commands)).toEqual({
        kind: "agent",
        since: T0 + 2 * SECOND,
        reason: "unavailable",
        agentId: "ada",
        message,
      });
    }
  });

  it.each([
    [null, "No worker of agent ada has claimed the task yet."],
    [1, "No worker of agent ada has claimed the task yet, or its only slot is in use."],
    [3, "No worker of agent ada has claimed the task yet, or its 3 slots are in use."],
  ])("a task of a worker's agent with %s slots waits for a claim", (slots, message) => {
    const terms = { ...WORKER, maxConcurrentTasks: slots };
    expect(waitAfter(COMMANDS.create, { ...COMMANDS.assign, terms })).toEqual({
      kind: "agent",
      since: T0 + SECOND,
      reason: "unclaimed",
      agentId: "ada",
      message,
    });
  });

  it.each([
    ["returned by its worker", [COMMANDS.reportReleased]],
    ["answered", [COMMANDS.reportBlocked, COMMANDS.respond]],
    ["sent back by a reviewer", [COMMANDS.reportReview, COMMANDS.requestChanges]],
  ] as const)("a task that was %s waits for a worker to continue it", (_, commands) => {
    const since = T0 + (2 + commands.length) * SECOND;
    const message = "No worker of agent ada has continued the task yet.";
    const wait = waitAfter(...WORKER_COMMANDS_TO.in_progress, ...commands);
    expect(wait).toMatchObject({ kind: "agent", reason: "unclaimed", since, message });
  });

  it("an answered task of an agent whose slots may be in use waits for a worker to continue it", () => {
    const terms = { ...WORKER, maxConcurrentTasks: 1 };
    const assigned = [COMMANDS.create, { ...COMMANDS.assign, terms }];
    const answered = [...WORKER_COMMANDS_TO.blocked.slice(assigned.length), COMMANDS.respond];
    expect(waitAfter(...assigned, ...answered)).toMatchObject({
      message: "No worker of agent ada has continued the task yet, or its only slot is in use.",
    });
  });

  it("a task that lost its worker waits for a worker to claim the next attempt", () => {
    const lost = applyCommand(
      taskAfter(...WORKER_COMMANDS_TO.in_progress),
      COMMANDS.expire,
      T0 + 62 * SECOND,
    );
    const assign = { ...COMMANDS.assign, terms: WORKER };
    const assigned = applyCommand(lost, assign, T0 + 90 * SECOND);
    expect(waitingFor(assigned, T0 + 91 * SECOND)).toMatchObject({
      reason: "unclaimed",
      message: "No worker of agent ada has claimed attempt 2 of the task yet.",
    });
  });
});

describe("a task that waits for a slot", () => {
  it.each([
    [1, "Agent ada has no free slot: its only slot is in use."],
    [2, "Agent ada has no free slot: its 2 slots are in use."],
  ])("a task of an agent with %s slots waits for one of them", (maxConcurrentTasks, message) => {
    const assign = { ...COMMANDS.assign, terms: { ...QUEUED, maxConcurrentTasks } };
    const wait = { kind: "slot", since: T0 + SECOND, message, agentId: "ada" };
    expect(waitAfter(COMMANDS.create, assign)).toEqual(wait);
    const answered = [COMMANDS.create, assign, COMMANDS.admit, COMMANDS.block, COMMANDS.respond];
    expect(waitAfter(...answered)).toEqual({ ...wait, since: T0 + 4 * SECOND });
  });
});

describe("a task that waits for a person", () => {
  it.each(BLOCK_KINDS)("a blocked task waits for the answer to its question: %s", (kind) => {
    const block: TaskCommand = { ...COMMANDS.block, data: { ...COMMANDS.block.data, kind } };
    expect(waitAfter(...COMMANDS_TO.in_progress, block)).toEqual({
      kind: "question",
      since: T0 + 3 * SECOND,
      message: expect.stringMatching(/^The .*\.$/),
      question: { id: "4", kind, text: "Which year?" },
    });
  });

  it("the id of a question does not change while the task is blocked, and no other question has it", () => {
    const blocked = taskAfter(...COMMANDS_TO.blocked);
    const updated = [COMMANDS.update, COMMANDS.spend].reduce(
      (task: Task, command) => applyCommand(task, command, NOW),
      blocked,
    );
    expect(waitingFor(updated, NOW)).toEqual(waitingFor(blocked, NOW));
    const again = [COMMANDS.respond, COMMANDS.block].reduce(
      (task: Task, command) => applyCommand(task, command, NOW),
      updated,
    );
    expect(waitingFor(again, NOW)).toMatchObject({ question: { id: "8" } });
  });

  it("a task in review waits for the review", () => {
    expect(waitAfter(...COMMANDS_TO.review)).toEqual({
      kind: "review",
      since: T0 + 3 * SECOND,
      message: "The work is ready for review.",
    });
  });
});

describe("a task that waits for its next attempt", () => {
  const lostAt = T0 + 62 * SECOND;
  const lost = applyCommand(taskAfter(...WORKER_COMMANDS_TO.in_progress), COMMANDS.expire, lostAt);
  const at = lost.notBefore ?? 0;

  it("a task that lost its worker waits until its next attempt starts", () => {
    expect(at).toBeGreaterThan(lostAt);
    const start = new Date(at).toISOString();
    expect(waitingFor(lost, at - 1)).toEqual({
      kind: "retry",
      since: lostAt,
      message: `Worker laptop sent no report for 60 seconds. Attempt 2 starts at ${start}.`,
      at,
    });
    expect(waitingFor(lost, at)).toBeNull();
  });

  it("a task that a client retries does not wait", () => {
    expect(waitAfter(...COMMANDS_TO.failed, COMMANDS.retry)).toBeNull();
  });
});

describe("a task whose agent's turns failed", () => {
  const [create, , start] = COMMANDS_TO.in_progress;
  const commands = [create, { ...COMMANDS.assign, terms: MODEL }, start].filter(
    (one) => one !== undefined,
  );
  const failedTry: TaskCommand = { type: "spend", calls: [], error: AGENT_ERROR };
  const working = taskAfter(...commands);
  const failed = applyCommand(working, failedTry, NOW);
  const turnAfter = (times: number) =>
    Array.from({ length: times }).reduce<ReturnType<typeof createNextTurn> | null>(
      (turn) => createNextTurn(working, turn, { afterMs: 5 * SECOND, isFailure: true }, NOW),
      null,
    );
  const waitIn = (task: Task, times: number) =>
    waitingFor(withRetriedTurn(task, turnAfter(times)), NOW);

  it.each([
    [1, "The agent's last turn failed. The service will retry. It broke."],
    [3, "The agent's last 3 turns failed. The service will retry. It broke."],
  ])("after %s failed turns, the task waits for another turn", (failures, message) => {
    const at = NOW + 5 * SECOND;
    expect(waitIn(failed, failures)).toEqual({ kind: "turn", since: NOW, message, failures, at });
  });

  it("a lost turn has no error", () => {
    expect(waitIn(working, 1)).toMatchObject({
      message: expect.stringMatching(/will retry\. The last turn returned no result\.$/),
    });
  });

  it("a task whose last turn did not fail does not wait", () => {
    const turn = createNextTurn(working, turnAfter(2), { afterMs: 0, isFailure: false }, NOW);
    expect(waitingFor(withRetriedTurn(failed, turn), NOW)).toBeNull();
    expect(waitingFor(withRetriedTurn(failed, null), NOW)).toBeNull();
    expect(waitingFor(failed, NOW)).toBeNull();
  });

  it("a turn of earlier work does not count", () => {
    const answered = [COMMANDS.block, COMMANDS.respond].reduce(
      (task: Task, command) => applyCommand(task, command, NOW),
      failed,
    );
    expect(waitIn(answered, 2)).toBeNull();
  });

  it("the error of a failed turn is kept until the agent makes progress", () => {
    const charged = applyCommand(failed, COMMANDS.spend, NOW);
    expect(charged).toMatchObject({ turnError: { at: NOW, message: "It broke." } });
    for (const command of [COMMANDS.progress, COMMANDS.block, COMMANDS.complete])
      expect(applyCommand(charged, command, NOW)).not.toHaveProperty("turnError");
  });
});
