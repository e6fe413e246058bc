import { describe, expect, it } from "vitest";
import type { TaskEventData } from "../../../src/tasks/model/events.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { NOTES_TOTAL_CHARACTERS_MAX } from "../../../src/tasks/limits.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import {
  ADA,
  taskAfter,
  AGENT_ERROR,
  BOB,
  COMMANDS,
  buildCreated,
  decidedEvents as eventsAt,
  decidedFailure as failureAt,
  applyCommand,
  OUTCOME,
  SECOND,
  T0,
  UNQUEUED,
  COMMANDS_TO,
} from "./fixtures.ts";

const LATER = T0 + 60 * SECOND;

function eventsOf(task: Task, command: TaskCommand, now = LATER) {
  return eventsAt(task, command, now);
}

function failureOf(task: Task, command: TaskCommand, now = LATER) {
  return failureAt(task, command, now);
}

function createdBy(...change: Partial<TaskEventData["created"]>[]): TaskCommand {
  return { type: "create", data: buildCreated(Object.assign({}, ...change)) };
}

describe("progress", () => {
  it.each([
    [20, 45.9, 45],
    [45, 20, 45],
    [45, -1, 45],
    [45, 100, 99],
    [99, 99, 99],
  ])("at progress %d, a report of %d is stored as %d", (before, reported, stored) => {
    const progress = (value: number): TaskCommand => ({
      ...COMMANDS.progress,
      data: { ...COMMANDS.progress.data, progress: value },
    });
    const task = taskAfter(...COMMANDS_TO.in_progress, progress(before));
    expect(eventsOf(task, progress(reported))).toMatchObject([{ data: { progress: stored } }]);
  });
});

describe("a report from an earlier attempt", () => {
  const second = taskAfter(...COMMANDS_TO.failed, COMMANDS.retry, COMMANDS.assign, COMMANDS.start);

  it.each(["progress", "block", "submit", "complete", "fail"] as const)(
    "the command %s from an earlier attempt changes nothing",
    (type) => {
      expect(eventsOf(second, COMMANDS[type])).toEqual([]);
      expect(eventsOf(second, { ...COMMANDS[type], attempt: 2 })).toHaveLength(1);
    },
  );
});

describe("review", () => {
  const task = taskAfter(...COMMANDS_TO.review);

  it("an approval completes exactly what was submitted, without counting its calls again", () => {
    expect(eventsOf(task, { ...COMMANDS.approve, comment: "Good." })).toEqual([
      { type: "approved", data: { comment: "Good." } },
      { type: "completed", data: { ...OUTCOME, calls: [] } },
    ]);
  });

  it.each([
    ["Wrong year.", "Wrong year."],
    [null, "The reviewer rejected the work."],
  ])("a rejection with comment %j fails the task with %j", (comment, message) => {
    const [failed] = eventsOf(task, { ...COMMANDS.reject, comment });
    const error = { code: "REVIEW_REJECTED", message, retryable: true };
    expect(failed).toEqual({ type: "failed", data: { error, calls: [] } });
  });
});

describe("an agent that reports completion", () => {
  const typesOf = (task: Task, command: TaskCommand) =>
    eventsOf(task, command).map(({ type }) => type);

  it("a completion ends the task, or submits it if its work must be reviewed", () => {
    const terms = { ...UNQUEUED, requireReview: true };
    const reviewed = taskAfter(COMMANDS.create, { ...COMMANDS.assign, terms }, COMMANDS.start);
    expect(typesOf(taskAfter(...COMMANDS_TO.in_progress), COMMANDS.complete)).toEqual([
      "completed",
    ]);
    expect(typesOf(reviewed, COMMANDS.complete)).toEqual(["submitted"]);
    expect(eventsOf(reviewed, COMMANDS.complete)).toEqual(eventsOf(reviewed, COMMANDS.submit));
  });

  it("a completion after requested changes is submitted for review again", () => {
    const again = taskAfter(...COMMANDS_TO.review, COMMANDS.requestChanges);
    expect(typesOf(again, COMMANDS.complete)).toEqual(["submitted"]);
  });
});

describe("retry", () => {
  it("a retry of an earlier attempt's failure is rejected", () => {
    const again = taskAfter(...COMMANDS_TO.failed, COMMANDS.retry, COMMANDS.fail, {
      ...COMMANDS.fail,
      attempt: 2,
    });
    expect(failureOf(again, COMMANDS.retry)).toMatchObject({
      kind: "invalid_state",
      status: "failed",
    });
    expect(eventsOf(again, { ...COMMANDS.retry, attempt: 2 })).toMatchObject([
      { data: { attempt: 3 } },
    ]);
  });

  it("a retry that reassigns needs another agent", () => {
    const task = taskAfter(...COMMANDS_TO.failed);
    const reassign = { ...COMMANDS.retry, reassign: true };
    expect(failureOf(task, { ...reassign, choice: null })).toEqual({
      kind: "no_other_agent",
      status: "failed",
      allowed: ["retry", "update"],
    });
    expect(eventsOf(task, { ...reassign, choice: BOB })).toMatchObject([
      { type: "retried", data: { choice: BOB, reassign: true } },
    ]);
  });

  it("an accepted retry keeps its notes, but a rejected one does not", () => {
    const task = taskAfter(...COMMANDS_TO.failed);
    const noted = { ...COMMANDS.retry, notes: "Be brief" };
    expect(eventsOf(task, noted)).toMatchObject([
      { type: "updated", data: { notes: "Be brief" } },
      { type: "retried", data: { attempt: 2 } },
    ]);
    const endless = { ...noted, notes: "x".repeat(NOTES_TOTAL_CHARACTERS_MAX + 1) };
    expect(failureOf(task, endless)).toMatchObject({ problems: [{ path: "notes" }] });
  });

  it("a retry needs a new deadline once the old one has passed", () => {
    const deadline = T0 + 30 * SECOND;
    const task = taskAfter(createdBy({ deadline }), COMMANDS.fail);
    expect(eventsOf(task, COMMANDS.retry, deadline - 1)).toHaveLength(1);
    expect(failureOf(task, COMMANDS.retry, deadline).kind).toBe("deadline_passed");
    const renewed = taskAfter(createdBy({ deadline }), COMMANDS.fail, {
      type: "update",
      change: { deadline: LATER + 1 },
    });
    expect(renewed.status).toBe("failed");
    expect(eventsOf(renewed, COMMANDS.retry)).toHaveLength(1);
  });
});

describe("answers", () => {
  const blocked = taskAfter(...COMMANDS_TO.blocked);
  const half = { text: "x".repeat(600_000) };

  it("a task's answers together stay within the size limit", () => {
    const respond = { type: "respond", response: half } as const;
    const answered = applyCommand(blocked, respond, T0 + SECOND);
    const again = applyCommand(answered, COMMANDS.block, T0 + 2 * SECOND);
    expect(failureOf(again, respond, T0 + 3 * SECOND)).toMatchObject({
      kind: "validation",
      problems: [
        { path: "response", message: expect.stringContaining("including earlier answers") },
      ],
    });
    expect(eventsOf(again, { type: "respond", response: "Yes" }, T0 + 3 * SECOND)).toHaveLength(1);
  });

  it("a single answer can use the whole size limit of 1 MiB", () => {
    const text = "x".repeat(1_048_576 - '{"text":""}'.length);
    const respond = (response: JsonObject) => ({ type: "respond", response }) as const;
    expect(eventsOf(blocked, respond({ text }), T0 + SECOND)).toHaveLength(1);
    expect(failureOf(blocked, respond({ text: `${text}x` }), T0 + SECOND).kind).toBe("validation");
  });
});

describe("attempts", () => {
  it("a task has at most 100 attempts", () => {
    const failed = taskAfter(...COMMANDS_TO.failed);
    const retry = { ...COMMANDS.retry, attempt: 99 };
    expect(eventsOf({ ...failed, attempt: 99 }, retry, T0 + SECOND)).toHaveLength(1);
    const rejected = failureOf(
      { ...failed, attempt: 100 },
      { ...retry, attempt: 100 },
      T0 + SECOND,
    );
    expect(rejected).toMatchObject({
      kind: "invalid_state",
      action: "attempted more than 100 times",
    });
  });
});

describe("update", () => {
  const task = taskAfter(COMMANDS.create);

  it.each([LATER, LATER - 1, T0])("the deadline %d, which has passed, is rejected", (deadline) => {
    expect(failureOf(task, { type: "update", change: { deadline } })).toEqual({
      kind: "validation",
      problems: [{ path: "deadline", message: expect.stringContaining("must be in the future") }],
    });
  });

  it("notes grow to at most 100,000 characters", () => {
    const notes = (length: number): TaskCommand => ({
      type: "update",
      change: { notes: "n".repeat(length) },
    });
    const nearlyFull = taskAfter(COMMANDS.create, notes(99_990));
    expect(eventsOf(nearlyFull, notes(9))).toHaveLength(1);
    expect(failureOf(nearlyFull, notes(11))).toMatchObject({ problems: [{ path: "notes" }] });
  });
});

describe("a task's deadline and time budget", () => {
  const deadline = T0 + 30 * SECOND;
  const errorOf = (task: Task, now: number) => {
    const [failed] = eventsOf(task, { type: "expire", jitter: 0 }, now);
    return failed?.type === "failed" ? failed.data.error : null;
  };

  it("a task fails at its deadline", () => {
    const task = taskAfter(createdBy({ deadline }), COMMANDS.assign);
    expect(errorOf(task, deadline - 1)).toBeNull();
    expect(errorOf(task, deadline)).toEqual({
      code: "DEADLINE_EXCEEDED",
      message: "The deadline of 2030-01-01T00:00:30.000Z passed while the task was assigned.",
      retryable: true,
    });
  });

  it("a task that never had an agent fails at its deadline with NO_AGENT_AVAILABLE", () => {
    const task = taskAfter(createdBy({ deadline, choice: null }));
    expect(errorOf(task, deadline)?.code).toBe("NO_AGENT_AVAILABLE");
    expect(errorOf(taskAfter(createdBy({ deadline })), deadline)?.code).toBe("DEADLINE_EXCEEDED");
  });

  it("a task fails when its working time is used up", () => {
    const budget = { maxDurationSeconds: 10 };
    const waiting = taskAfter(createdBy({ budget }), COMMANDS.assign);
    expect(errorOf(waiting, LATER)).toBeNull();
    const working = taskAfter(createdBy({ budget }), COMMANDS.assign, COMMANDS.start);
    const end = T0 + 12 * SECOND;
    expect(errorOf(working, end - 1)).toBeNull();
    expect(errorOf(working, end)).toMatchObject({
      code: "BUDGET_EXCEEDED",
      message: expect.stringContaining("10 seconds"),
    });
  });

  it("the error names the limit that came first", () => {
    const sooner = createdBy({ deadline: T0 + 5 * SECOND, budget: { maxDurationSeconds: 10 } });
    const later = createdBy({ deadline, budget: { maxDurationSeconds: 10 } });
    const start = [COMMANDS.assign, COMMANDS.start] as const;
    expect(errorOf(taskAfter(sooner, ...start), LATER)?.code).toBe("DEADLINE_EXCEEDED");
    expect(errorOf(taskAfter(later, ...start), LATER)?.code).toBe("BUDGET_EXCEEDED");
  });
});

it("a task is not created with a deadline that has passed", () => {
  expect(decide(null, createdBy({ deadline: T0 }), T0)).toMatchObject({
    ok: false,
    failure: { problems: [{ path: "deadline" }] },
  });
  expect(decide(null, createdBy({ deadline: T0 + 1 }), T0).ok).toBe(true);
});

it("start and decline record the agent that the task is assigned to", () => {
  const task = taskAfter(createdBy({ choice: BOB }), { ...COMMANDS.assign, choice: BOB });
  expect(eventsOf(task, COMMANDS.start)).toEqual([{ type: "started", data: { agentId: "bob" } }]);
  expect(eventsOf(task, { type: "decline", reason: "busy" })).toEqual([
    { type: "declined", data: { cause: "declined", agentId: "bob", reason: "busy" } },
  ]);
  expect(eventsOf(taskAfter(COMMANDS.create), COMMANDS.assign)).toEqual([
    { type: "assigned", data: { ...ADA, terms: UNQUEUED } },
  ]);
  expect(eventsOf(task, { type: "fail", attempt: 1, error: AGENT_ERROR, calls: [] })).toEqual([
    { type: "failed", data: { error: AGENT_ERROR, calls: [] } },
  ]);
});

describe("the context settings requireReview and askFirst", () => {
  const failed = taskAfter(...COMMANDS_TO.failed);
  const ways: [string, (context: JsonObject) => ReturnType<typeof decide>][] = [
    ["create", (context) => decide(null, createdBy({ context }), LATER)],
    ["update", (context) => decide(failed, { type: "update", change: { context } }, LATER)],
    ["retry", (context) => decide(failed, { ...COMMANDS.retry, context }, LATER)],
  ];

  describe.each(ways)("the command %s", (_, decided) => {
    it.each<[string, JsonObject]>([
      ["requireReview", { requireReview: "yes" }],
      ["requireReview", { requireReview: "true" }],
      ["requireReview", { requireReview: 1 }],
      ["askFirst", { askFirst: 5 }],
      ["askFirst", { askFirst: ["Who reads it?"] }],
      ["askFirst", { askFirst: "  " }],
    ])(
      "the setting %s in the context %j is rejected, because it would skip people",
      (name, context) => {
        const failure = { kind: "validation", problems: [{ path: `context.${name}` }] };
        expect(decided(context)).toMatchObject({ ok: false, failure });
      },
    );

    it.each<[JsonObject]>([
      [{ requireReview: true, askFirst: "Who reads it?" }],
      [{ requireReview: false }],
      [{ requireReview: null, askFirst: null }],
      [{ requirereview: "yes", ask_first: 5 }],
    ])("the context %j is accepted", (context) => {
      expect(decided(context).ok).toBe(true);
    });
  });

  it.each([
    [true, "submitted"],
    [false, "completed"],
  ])("with requireReview %s, completed work is %s", (requireReview, type) => {
    const create = createdBy({ context: { requireReview } });
    const task = taskAfter(create, COMMANDS.assign, COMMANDS.start);
    expect(eventsOf(task, COMMANDS.complete)).toMatchObject([{ type }]);
  });
});
