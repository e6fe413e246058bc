import { describe, expect, it } from "vitest";
import { listedTaskView } from "../../../src/tasks/api/view.ts";
import { toDirectoryRow } from "../../../src/tasks/directory/directory.store.ts";
import { readListedDetails } from "../../../src/tasks/model/listed-details.ts";
import type { DirectoryRow } from "../../../src/tasks/model/listing.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import {
  applyCommand,
  buildCreated,
  COMMANDS,
  COMMANDS_TO,
  SECOND,
  T0,
  taskAfter,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const NOW = T0 + 60 * SECOND;
const rowOf = (task: Task): DirectoryRow => toDirectoryRow("task", task, () => 0);
const listed = (task: Task, now = NOW) => listedTaskView(rowOf(task), now);

describe("the state of a task in lists", () => {
  it("a list shows what a blocked task has spent, its limits and its question", () => {
    const budget = { maxCost: 2, maxToolCalls: 5, team: "insights" };
    const create = { ...COMMANDS.create, data: buildCreated({ budget }) };
    const [, ...rest] = COMMANDS_TO.in_progress;
    const task = taskAfter(create, ...rest, COMMANDS.progress, COMMANDS.spend, COMMANDS.block);
    expect(listed(task)).toMatchObject({
      status: "blocked",
      progress: 20,
      waitingFor: {
        kind: "question",
        since: "2030-01-01T00:00:05.000Z",
        question: { kind: "input", text: "Which year?" },
      },
      spend: { cost: 0.5, toolCalls: 1 },
      budget: { maxCost: 2, maxToolCalls: 5 },
    });
    expect(listed(task).budget).not.toHaveProperty("team");
    expect(listed(task).error).toBeUndefined();
  });

  it("a list shows the error of a failed task without its details", () => {
    const [error] = [{ ...COMMANDS.fail.error, details: { step: 3 } }];
    const task = taskAfter(...COMMANDS_TO.in_progress, { ...COMMANDS.fail, error });
    expect(listed(task)).toMatchObject({ status: "failed", waitingFor: null });
    expect(listed(task).error).toEqual({
      code: "AGENT_ERROR",
      message: "It broke.",
      retryable: true,
      attempt: 1,
      at: "2030-01-01T00:00:03.000Z",
    });
  });

  it("a task that has spent nothing and has no limits lists neither", () => {
    const { spend, budget } = listed(taskAfter(...COMMANDS_TO.completed));
    expect([spend, budget]).toEqual([undefined, undefined]);
  });

  it("a wait that ends without an event is no longer listed", () => {
    const working = taskAfter(...WORKER_COMMANDS_TO.in_progress);
    const lost = applyCommand(working, COMMANDS.expire, T0 + 62 * SECOND);
    const at = lost.notBefore ?? 0;
    expect(listed(lost, at - 1).waitingFor).toMatchObject({ kind: "retry" });
    expect(listed(lost, at).waitingFor).toBeNull();
  });
});

describe("rows that another release wrote", () => {
  it.each([
    ["completed", 100],
    ["blocked", undefined],
  ] as const)("a row without details lists little: %s", (status, progress) => {
    const row = { ...rowOf(taskAfter(...COMMANDS_TO[status])), details: null };
    expect(listedTaskView(row, NOW)).toMatchObject({ status, waitingFor: null });
    expect(listedTaskView(row, NOW).progress).toBe(progress);
  });

  it("details of an earlier version of the row are ignored", () => {
    const row = rowOf(taskAfter(...COMMANDS_TO.blocked));
    expect(readListedDetails(row)).not.toBeNull();
    const updated = { ...row, seq: row.seq + 1, status: "in_progress" } as const;
    expect(readListedDetails(updated)).toBeNull();
    expect(listedTaskView(updated, NOW).waitingFor).toBeNull();
  });
});
