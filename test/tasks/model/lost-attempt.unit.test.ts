import { describe, expect, it } from "vitest";
import type { AgentTerms } from "../../../src/agents/model/agent.ts";
import type { AgentChoice, Task } from "../../../src/tasks/model/task.ts";
import {
  ADA,
  BOB,
  COMMANDS,
  taskAfter,
  MODEL,
  applyCommand,
  REPORTS,
  reportOf,
  SECOND,
  UNQUEUED,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const WORK = { "turn-1": { text: "", answers: 0, comments: 0 }, a2a: { taskId: "1" }, plan: null };

/** Returns a task whose worker saved work and then lost its lease. */
function taskAfterLostLease(): Task {
  const held = taskAfter(...WORKER_COMMANDS_TO.in_progress);
  const saving = reportOf({ ...REPORTS.progress, work: WORK });
  const worked = applyCommand(held, saving, held.updatedAt + SECOND);
  expect(worked.work).toEqual(WORK);
  const pending = applyCommand(worked, COMMANDS.expire, worked.updatedAt + 3_600 * SECOND);
  expect(pending).toMatchObject({ status: "pending", attempt: 2, agentId: "ada" });
  return pending;
}

function assigned(task: Task, choice: AgentChoice, terms: AgentTerms): Task {
  return applyCommand(task, { type: "assign", choice, terms }, task.updatedAt + SECOND);
}

function declined(task: Task): Task {
  return applyCommand(
    task,
    { type: "release", agentId: "ada", reason: "disabled" },
    task.updatedAt + SECOND,
  );
}

/** Returns the task after a client gave it to another agent. */
function givenTo(choice: AgentChoice, task: Task): Task {
  return applyCommand(task, { type: "update", change: {}, choice }, task.updatedAt + SECOND);
}

describe("the work of a lost attempt", () => {
  it("the same agent gets its work back if its executor has the same type", () => {
    expect(assigned(taskAfterLostLease(), ADA, WORKER).work).toEqual(WORK);
    expect(
      assigned(declined(assigned(taskAfterLostLease(), ADA, WORKER)), ADA, WORKER).work,
    ).toEqual(WORK);
  });

  it.each([
    ["a worker", WORKER],
    ["a model", MODEL],
    ["an A2A agent", { ...MODEL, executor: "a2a" }],
    ["a built-in agent", UNQUEUED],
  ] as const)("another agent that is %s gets no work from the earlier agent", (_, terms) => {
    expect(assigned(givenTo(BOB, taskAfterLostLease()), BOB, terms).work).toEqual({});
    expect(
      assigned(declined(assigned(taskAfterLostLease(), ADA, WORKER)), BOB, terms).work,
    ).toEqual({});
  });

  it.each([
    ["a model", MODEL],
    ["an A2A agent", { ...MODEL, executor: "a2a" }],
    ["a built-in agent", UNQUEUED],
  ] as const)("the same agent gets no work from its workers once it is %s", (_, terms) => {
    expect(assigned(taskAfterLostLease(), ADA, terms).work).toEqual({});
    expect(
      assigned(declined(assigned(taskAfterLostLease(), ADA, WORKER)), ADA, terms).work,
    ).toEqual({});
  });

  it("an agent that gets the task back from another agent gets no work from either attempt", () => {
    const moved = declined(assigned(taskAfterLostLease(), ADA, WORKER));
    const taken = assigned(moved, BOB, WORKER);
    const back = applyCommand(
      taken,
      { type: "release", agentId: "bob", reason: "disabled" },
      taken.updatedAt + SECOND,
    );
    expect(assigned(back, ADA, WORKER).work).toEqual({});
  });
});
