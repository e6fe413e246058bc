import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { TaskEventData } from "../../../src/tasks/model/events.ts";
import { TASK_EVENTS_MAX, TASK_LOG_BYTES_MAX } from "../../../src/tasks/limits.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import {
  taskAfter,
  COMMANDS,
  buildCreated,
  GRANT,
  T0,
  COMMANDS_TO,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const NOW = T0 + 60_000;
const FULL = TASK_LOG_BYTES_MAX;

/** Returns a task whose log has the maximum number of events. */
const full = (task: Task): Task => ({ ...task, seq: TASK_EVENTS_MAX });
const judged = (task: Task, command: TaskCommand, logBytes = 0) => {
  const decided = decide(task, command, NOW, logBytes);
  return decided.ok ? decided.value : decided.failure;
};
type Change = TaskEventData["updated"];
const changed = (task: Task, change: Change) => judged(task, { type: "update", change });

describe("an update event", () => {
  const context = { year: 1702, place: { city: "Bergen" }, list: [1, 2] };
  const deadline = T0 + 3_600_000;
  const task = taskAfter({ type: "create", data: buildCreated({ context, deadline }) });

  it.each<Change>([
    { priority: "medium" },
    { deadline },
    { context: {} },
    { context: { year: 1702, gone: null } },
    { context: { place: { city: "Bergen" }, list: [1, 2] }, priority: "medium", deadline },
  ])("an update to the current values creates no event: %j", (change) => {
    expect(changed(task, change)).toEqual([]);
  });

  it.each<Change>([
    { priority: "high" },
    { deadline: deadline + 1 },
    { context: { year: null } },
    { context: { year: "1702" } },
    { context: { place: {} } },
    { context: { list: [2, 1] } },
    { context: { other: false } },
    { context: JSON.parse('{"__proto__": 1}') },
    { notes: "The same line." },
    { context: { year: 1702 }, priority: "low" },
  ])("an update that changes something is written as it was sent: %j", (change) => {
    expect(changed(task, change)).toEqual([{ type: "updated", data: change }]);
  });
});

describe("a task whose log is full", () => {
  const rejected = {
    kind: "task_log_full",
    limit: `${TASK_EVENTS_MAX} events`,
  };
  const working = full(taskAfter(...COMMANDS_TO.in_progress));

  it.each([
    ["an update", working, COMMANDS.update, ["cancel"]],
    ["an answer", full(taskAfter(...COMMANDS_TO.blocked)), COMMANDS.respond, ["cancel"]],
    [
      "a request for changes",
      full(taskAfter(...COMMANDS_TO.review)),
      COMMANDS.requestChanges,
      ["cancel", "review", "deliverables"],
    ],
    ["a retry", full(taskAfter(...COMMANDS_TO.failed)), COMMANDS.retry, []],
    ["feedback", full(taskAfter(...COMMANDS_TO.completed)), COMMANDS.rate, ["deliverables"]],
  ] as const)(
    "a full log rejects %s and states which actions remain",
    (_, task, command, allowed) => {
      expect(judged(task, command)).toEqual({ ...rejected, status: task.status, allowed });
    },
  );

  it("a full log rejects a worker's progress, questions and files, and accepts reports that end the work", () => {
    const held = full(taskAfter(...WORKER_COMMANDS_TO.in_progress));
    for (const command of [
      COMMANDS.reportProgress,
      COMMANDS.reportBlocked,
      COMMANDS.reportFile,
    ] as const) {
      expect(judged(held, command)).toMatchObject({ ...rejected, allowed: ["cancel"] });
    }
    expect(judged(held, COMMANDS.reportHeartbeat)).toEqual([]);
    expect(judged(held, COMMANDS.reportCompleted)).toMatchObject([{ type: "completed" }]);
    expect(judged(held, COMMANDS.reportReview)).toMatchObject([{ type: "submitted" }]);
    expect(judged(held, COMMANDS.reportFailed)).toMatchObject([{ type: "failed" }]);
    expect(GRANT.token).toBe(COMMANDS.reportFailed.token);
  });

  it("a task with a full log can be completed, submitted, approved, rejected, failed and cancelled", () => {
    const inReview = full(taskAfter(...COMMANDS_TO.review));
    expect(judged(working, COMMANDS.complete)).toMatchObject([{ type: "completed" }]);
    expect(judged(working, COMMANDS.submit)).toMatchObject([{ type: "submitted" }]);
    expect(judged(working, COMMANDS.fail)).toMatchObject([{ type: "failed" }]);
    expect(judged(working, COMMANDS.cancel)).toMatchObject([{ type: "cancelled" }]);
    expect(judged(inReview, COMMANDS.reject)).toMatchObject([{ type: "failed" }]);
    expect(judged(inReview, COMMANDS.approve)).toMatchObject([
      { type: "approved" },
      { type: "completed" },
    ]);
  });

  it("a task with a full log fails at its deadline like any other", () => {
    const due = full({ ...taskAfter(...COMMANDS_TO.blocked), deadline: NOW });
    expect(judged(due, COMMANDS.expire)).toMatchObject([
      { type: "failed", data: { error: { code: "DEADLINE_EXCEEDED" } } },
    ]);
  });

  it("a task with a full log fails instead of continuing by itself, and its usage is charged", () => {
    const error = {
      code: "AGENT_ERROR",
      message: `The task has reached its limit of ${TASK_EVENTS_MAX} events. Create a new task for the rest of the work.`,
      retryable: false,
    };
    const failed = (calls: unknown[]) => [{ type: "failed", data: { error, calls } }];
    expect(judged(working, COMMANDS.progress)).toEqual(failed([]));
    expect(judged(working, COMMANDS.block)).toEqual(failed([]));
    expect(judged(working, COMMANDS.spend)).toEqual(failed([...COMMANDS.spend.calls]));
    const use = { inputTokens: 1, outputTokens: 2, cost: 0.5 };
    expect(judged(working, { ...COMMANDS.spend, use })).toMatchObject([{ data: { use } }]);
    expect(judged(full(taskAfter(...COMMANDS_TO.pending)), COMMANDS.assign)).toEqual(failed([]));
    const lost = full(taskAfter(...WORKER_COMMANDS_TO.in_progress));
    expect(decide(lost, COMMANDS.expire, NOW + 3_600_000)).toMatchObject({
      value: [{ type: "failed", data: { error } }],
    });
  });

  it("a log is also full when its events reach the maximum size", () => {
    const task = taskAfter(...COMMANDS_TO.in_progress);
    expect(judged(task, COMMANDS.update, FULL - 1)).toMatchObject([{ type: "updated" }]);
    expect(judged(task, COMMANDS.update, FULL)).toEqual({
      kind: "task_log_full",
      limit: `${TASK_LOG_BYTES_MAX} bytes of events`,
      status: "in_progress",
      allowed: ["cancel"],
    });
    expect(judged(task, COMMANDS.cancel, FULL)).toMatchObject([{ type: "cancelled" }]);
  });

  it("a log accepts exactly its maximum number of events", () => {
    const last = { ...taskAfter(...COMMANDS_TO.in_progress), seq: TASK_EVENTS_MAX - 1 };
    expect(judged(last, COMMANDS.update)).toMatchObject([{ type: "updated" }]);
    expect(judged(working, COMMANDS.update)).toMatchObject(rejected);
  });
});
