import { describe, expect, it } from "vitest";
import {
  canChangeAgent,
  toChanges,
  toEditFields,
} from "../../console/src/tasks/detail/task-changes.ts";
import type { Task } from "../../console/src/tasks/queries.ts";

const TASK: Task = {
  taskId: "t",
  status: "assigned",
  task: "Sum up",
  agentId: "ada",
  agentName: "Ada",
  priority: "medium",
  deadline: "2030-01-31T12:00:00.000Z",
  progress: 0,
  attempt: 1,
  attempts: [],
  timeline: { createdAt: "2030-01-01T00:00:00.000Z" },
  context: {},
  spend: { cost: 0, toolCalls: 0 },
  budget: { maxCost: 1.5, maxDurationSeconds: 100, project: "harbour" },
  createdAt: "2030-01-01T00:00:00.000Z",
  waitingFor: null,
};

describe("the form that changes a task", () => {
  it("a form that nobody changed sends nothing", () => {
    expect(toChanges(TASK, toEditFields(TASK))).toEqual({});
    const { agentId, deadline, budget, ...bare } = TASK;
    expect(toChanges(bare, toEditFields(bare))).toEqual({});
  });

  it.each([
    [{ agentId: "bob" }, { agentId: "bob" }],
    [{ agentId: "" }, {}],
    [{ priority: "urgent" }, { priority: "urgent" }],
    [{ notes: "  Hurry.  " }, { notes: "Hurry." }],
    [{ notes: "  " }, {}],
    [{ deadline: "" }, {}],
  ] as const)("the input %j is sent as %j", (typed, changes) => {
    expect(toChanges(TASK, { ...toEditFields(TASK), ...typed })).toEqual(changes);
  });

  it("a changed limit is sent with the limits and other fields that stay, because a budget is replaced", () => {
    const fields = toEditFields(TASK);
    expect(toChanges(TASK, { ...fields, maxCost: "2" })).toEqual({
      budget: { project: "harbour", maxCost: 2, maxDurationSeconds: 100 },
    });
    expect(toChanges(TASK, { ...fields, maxCost: "", maxToolCalls: "3", maxMinutes: "5" })).toEqual(
      {
        budget: { project: "harbour", maxToolCalls: 3, maxDurationSeconds: 300 },
      },
    );
    const limited = { ...TASK, budget: { maxCost: 1 } };
    expect(toChanges(limited, { ...toEditFields(limited), maxCost: "" })).toEqual({ budget: {} });
  });

  it("a new deadline is sent in UTC", () => {
    const deadline = "2031-02-01T10:30";
    expect(toChanges(TASK, { ...toEditFields(TASK), deadline })).toEqual({
      deadline: new Date(deadline).toISOString(),
    });
  });

  it("only a task that has not started can get another agent", () => {
    const statuses = ["pending", "assigned", "in_progress", "blocked", "review", "failed"] as const;
    expect(statuses.filter((status) => canChangeAgent({ status }))).toEqual([
      "pending",
      "assigned",
    ]);
  });
});
