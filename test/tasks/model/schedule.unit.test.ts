import { describe, expect, it } from "vitest";
import {
  estimateBuiltinTask,
  leaseExpiresAt,
  expiresAt,
  nextAlarmAt,
  earliestPurgeAt,
  purgeAt,
  workDueAt,
  type TaskTiming,
} from "../../../src/tasks/model/schedule.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { TaskEventData } from "../../../src/tasks/model/events.ts";
import type { Task, TaskStatus } from "../../../src/tasks/model/task.ts";
import {
  taskAfter,
  COMMANDS,
  buildCreated,
  applyCommand,
  QUEUED,
  QUEUED_COMMANDS_TO,
  SECOND,
  T0,
  COMMANDS_TO,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const DAY = 86_400 * SECOND;
const HALF_SECOND_STEPS: TaskTiming = { stepIntervalMs: 500, retentionMs: null };
const KEPT_TWO_DAYS: TaskTiming = { stepIntervalMs: 500, retentionMs: 2 * DAY };

const QUEUED_ASSIGN: TaskCommand = { ...COMMANDS.assign, terms: QUEUED };

/** Returns a task in this status, created with these changes. */
function taskIn(status: TaskStatus, change: Partial<TaskEventData["created"]> = {}): Task {
  const [, ...rest] = COMMANDS_TO[status];
  return taskAfter({ type: "create", data: buildCreated(change) }, ...rest);
}

describe("the agent's next step", () => {
  it.each<[TaskStatus, number | null]>([
    ["pending", T0 + 500],
    ["assigned", T0 + SECOND],
    ["in_progress", T0 + 2 * SECOND + 500],
    ["blocked", null],
    ["review", null],
    ["completed", null],
    ["failed", null],
    ["cancelled", null],
  ])("the next step of a task that is %s is due at %j", (status, due) => {
    const task = taskIn(status);
    expect(workDueAt(task, null, HALF_SECOND_STEPS, T0)).toBe(due);
    expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, T0)).toBe(due);
  });

  it("the next step is timed from the last step, so that late alarms do not pile up", () => {
    const task = { ...taskIn("in_progress"), lastStepAt: T0 + 90 * SECOND };
    expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, T0 + 100 * SECOND)).toBe(
      T0 + 90 * SECOND + 500,
    );
  });
});

describe("a task without an agent", () => {
  it.each([
    [0, 1],
    [0.4, 1],
    [3, 3],
    [59, 59],
    [60, 60],
    [3_600, 60],
  ])(
    "a task without an agent that has waited %d s searches again in %d s",
    (waitedSeconds, againSeconds) => {
      const now = T0 + waitedSeconds * SECOND;
      const task = taskIn("pending", { choice: null });
      expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, now)).toBe(now + againSeconds * SECOND);
    },
  );
});

describe("a task that is released repeatedly", () => {
  it("the pause grows with each release up to 60 s, until the task starts", () => {
    const release = { type: "release", agentId: "ada", reason: "It takes no more work." } as const;
    let task = taskAfter(...QUEUED_COMMANDS_TO.assigned);
    const pauses: number[] = [];
    for (let times = 0; times < 8; times += 1) {
      const pending = applyCommand(task, release, T0);
      const due = workDueAt(pending, null, HALF_SECOND_STEPS, pending.lastStepAt) ?? 0;
      pauses.push((due - pending.lastStepAt) / SECOND);
      task = applyCommand(pending, QUEUED_ASSIGN, T0);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    const begun = applyCommand(task, { type: "admit", agentId: "ada", grant: null }, T0);
    expect(begun.releaseCount).toBe(0);
  });
});

describe("a task's time limit", () => {
  const deadline = T0 + 60 * SECOND;
  const budget = { maxDurationSeconds: 10 };
  const startedAt = T0 + 2 * SECOND;

  it.each<[TaskStatus, number | null]>([
    ["pending", deadline],
    ["assigned", deadline],
    ["in_progress", startedAt + 10 * SECOND],
    ["blocked", deadline],
    ["review", deadline],
    ["completed", null],
    ["failed", null],
    ["cancelled", null],
  ])("the time limit of a task that is %s is %j", (status, limit) => {
    expect(expiresAt(taskIn(status, { deadline, budget }))).toBe(limit);
  });

  it("the time limit is the earlier of the deadline and the time budget, and there is none without them", () => {
    const sooner = { deadline: startedAt + 1, budget };
    expect(expiresAt(taskIn("in_progress", sooner))).toBe(startedAt + 1);
    expect(expiresAt(taskIn("in_progress", { deadline }))).toBe(deadline);
    expect(expiresAt(taskIn("in_progress"))).toBeNull();
  });

  it("the time limit wakes a task that has no pending work or whose next step is later", () => {
    expect(nextAlarmAt(taskIn("blocked", { deadline }), null, HALF_SECOND_STEPS, T0)).toBe(
      deadline,
    );
    const slow: TaskTiming = { stepIntervalMs: 5 * 60 * SECOND, retentionMs: null };
    expect(nextAlarmAt(taskIn("in_progress", { deadline }), null, slow, T0)).toBe(deadline);
  });
});

describe("an ended task", () => {
  it.each<[TaskStatus, number]>([
    ["completed", T0 + 3 * SECOND],
    ["failed", T0 + 3 * SECOND],
    ["cancelled", T0 + SECOND],
  ])("an ended task that is %s is deleted two days after its end", (status, endedAt) => {
    const task = taskIn(status);
    expect(purgeAt(task, KEPT_TWO_DAYS)).toBe(endedAt + 2 * DAY);
    expect(nextAlarmAt(task, null, KEPT_TWO_DAYS, T0)).toBe(endedAt + 2 * DAY);
    expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, T0)).toBeNull();
  });

  it("a task that has not ended can be deleted at the earliest one retention period from now", () => {
    const ended = taskIn("completed");
    expect(earliestPurgeAt(ended, KEPT_TWO_DAYS, T0 + DAY)).toBe(purgeAt(ended, KEPT_TWO_DAYS));
    expect(earliestPurgeAt(taskIn("review"), KEPT_TWO_DAYS, T0 + DAY)).toBe(T0 + 3 * DAY);
    expect(earliestPurgeAt(taskIn("review"), HALF_SECOND_STEPS, T0 + DAY)).toBeNull();
  });

  it("a task is not deleted while it is active or after a retry", () => {
    expect(purgeAt(taskIn("review"), KEPT_TWO_DAYS)).toBeNull();
    const again = taskAfter(...COMMANDS_TO.failed, {
      type: "retry",
      attempt: 1,
      reassign: false,
      choice: null,
      context: null,
    });
    expect(purgeAt(again, KEPT_TWO_DAYS)).toBeNull();
  });
});

describe("a task whose agent has a queue", () => {
  const deadline = T0 + 600 * SECOND;

  it.each<[string, readonly TaskCommand[]]>([
    ["waits for a slot", QUEUED_COMMANDS_TO.assigned],
    ["waits for a worker", WORKER_COMMANDS_TO.assigned],
    ["waits for a slot to continue", [...QUEUED_COMMANDS_TO.blocked, COMMANDS.respond]],
    ["waits for a worker to continue", [...WORKER_COMMANDS_TO.review, COMMANDS.requestChanges]],
  ])("a queued task that %s has no pending work and wakes only for its deadline", (_, way) => {
    const task = taskAfter(...way);
    expect(workDueAt(task, null, HALF_SECOND_STEPS, T0)).toBeNull();
    expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, T0)).toBeNull();
    expect(nextAlarmAt({ ...task, deadline }, null, HALF_SECOND_STEPS, T0)).toBe(deadline);
  });

  it("a task with a slot in its agent's queue takes steps like any other", () => {
    const task = taskAfter(...QUEUED_COMMANDS_TO.in_progress);
    expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, T0)).toBe(T0 + 2 * SECOND + 500);
  });

  it("a task that a worker holds wakes at the end of its lease, and for no step", () => {
    const task = taskAfter(...WORKER_COMMANDS_TO.in_progress);
    const end = T0 + 62 * SECOND;
    expect(workDueAt(task, null, HALF_SECOND_STEPS, T0)).toBeNull();
    expect(leaseExpiresAt(task)).toBe(end);
    expect(nextAlarmAt(task, null, HALF_SECOND_STEPS, T0)).toBe(end);
    expect(nextAlarmAt({ ...task, deadline: end - 1 }, null, HALF_SECOND_STEPS, T0)).toBe(end - 1);
  });

  it.each(["blocked", "review", "completed", "failed", "cancelled"] as const)(
    "a worker's task that is %s has no lease that can expire",
    (status) => {
      const task = taskAfter(...WORKER_COMMANDS_TO[status]);
      expect(task.lease).not.toBeNull();
      expect(leaseExpiresAt(task)).toBeNull();
    },
  );

  it("after a lost lease, a task is assigned again only after a pause", () => {
    const end = T0 + 62 * SECOND;
    const lost = applyCommand(taskAfter(...WORKER_COMMANDS_TO.in_progress), COMMANDS.expire, end);
    expect(workDueAt(lost, null, HALF_SECOND_STEPS, end)).toBe(end + 500);
    expect(workDueAt(lost, null, { ...HALF_SECOND_STEPS, stepIntervalMs: DAY }, end)).toBe(
      end + 500,
    );
  });
});

const PLAIN = { steps: 5, stepIntervalMs: 500, deliverables: 2, queued: 0 };

it("an estimate starts now and covers the pauses of all steps", () => {
  const { durationMs, completionAt } = estimateBuiltinTask(PLAIN, 1_000_000);
  expect(completionAt).toBe(1_000_000 + durationMs);
  expect(durationMs).toBeGreaterThanOrEqual(5 * 500);
  expect(durationMs).toBeLessThan(2 * 5 * 500);
});

it.each([
  ["a step", { steps: 6 }, 500],
  ["a longer pause", { stepIntervalMs: 600 }, 5 * 100],
  ["a deliverable", { deliverables: 3 }, 1],
  ["an active task", { queued: 1 }, 1],
])("an estimate grows with %s", (_, more, atLeastMs) => {
  const before = estimateBuiltinTask(PLAIN, 0).durationMs;
  expect(estimateBuiltinTask({ ...PLAIN, ...more }, 0).durationMs - before).toBeGreaterThanOrEqual(
    atLeastMs,
  );
});

it("an estimate is never zero, even without pauses", () => {
  expect(estimateBuiltinTask({ ...PLAIN, stepIntervalMs: 0 }, 0).durationMs).toBeGreaterThan(0);
});
