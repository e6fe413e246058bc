import { describe, expect, it } from "vitest";
import { missingFields, similarFields } from "../../console/src/tasks/detail/similar-task.ts";
import { toNewTask } from "../../console/src/tasks/new-task.ts";
import type { Task } from "../../console/src/tasks/queries.ts";
import { EVENT_DATA, eventOf } from "./task-log.support.ts";

const AT = "2026-11-27T10:00:00.000Z";
const BARE: Task = {
  taskId: "a".repeat(64),
  status: "completed",
  task: "Count the rows",
  priority: "medium",
  progress: 100,
  timeline: { createdAt: AT },
  attempt: 1,
  attempts: [],
  createdAt: AT,
  waitingFor: null,
};
const created = eventOf("created", { ...EVENT_DATA.created, deliverables: ["report", "chart"] });

describe("the form of a similar task", () => {
  it("the form of a similar task creates a task with the fields of the earlier one, except its deadline and its external id", () => {
    const fields = {
      task: "Count the rows\nof the table",
      title: "Rows",
      agentId: "analyst",
      teamId: "insights",
      priority: "urgent",
      context: { csv: "a,b\n1,2", nested: { deep: [1, null] } },
      labels: { customer: "acme", url: "https://example.com" },
      budget: { maxCost: 1.5, maxToolCalls: 3, maxDurationSeconds: 100 },
    } as const;
    const task = { ...BARE, ...fields, agentName: "Analyst", deadline: AT, externalId: "order-17" };
    expect(toNewTask(similarFields(task, [created]))).toEqual({
      ok: true,
      body: { ...fields, deliverables: ["report", "chart"] },
    });
  });

  it("fields that the earlier task does not have are empty in the form of a similar task", () => {
    const log = [eventOf("created", EVENT_DATA.created)];
    expect(toNewTask(similarFields(BARE, log))).toEqual({
      ok: true,
      body: { task: "Count the rows", priority: "medium" },
    });
  });

  it("a similar task requests the kinds of file that were last requested", () => {
    const log = [
      created,
      eventOf("updated", { deliverables: ["table"] }),
      eventOf("updated", { priority: "low" }),
    ];
    expect(similarFields(BARE, log).deliverables).toBe("table");
    expect(missingFields(log)).toBe(
      "The form contains the fields of the earlier task, except the deadline and the external id.",
    );
  });

  it("the form of a similar task says that the deliverables are missing if the log does not begin with the task's creation", () => {
    const log = [eventOf("updated", { choice: EVENT_DATA.assigned })];
    expect(similarFields(BARE, log).deliverables).toBe("");
    expect(missingFields(log)).toMatch(/, except the deliverables, the deadline and /);
  });
});

it("whole seconds stay whole when a limit is shown in minutes", () => {
  for (let maxDurationSeconds = 1; maxDurationSeconds < 5_000; maxDurationSeconds += 1) {
    const parsed = toNewTask(similarFields({ ...BARE, budget: { maxDurationSeconds } }, []));
    expect(parsed).toMatchObject({ body: { budget: { maxDurationSeconds } } });
  }
});
