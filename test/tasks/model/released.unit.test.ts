import { describe, expect, it } from "vitest";
import { type Task, slotOf } from "../../../src/tasks/model/task.ts";
import { holdsLease } from "../../../src/tasks/model/guards.ts";
import {
  taskAfter,
  COMMANDS,
  decidedEvents,
  decidedFailure,
  GRANT,
  applyCommand,
  REPORTS,
  reportOf,
  SECOND,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const held = taskAfter(...WORKER_COMMANDS_TO.in_progress);
const now = held.updatedAt + 10 * SECOND;
const END = held.lease?.expiresAt ?? 0;
const RELEASED = reportOf(REPORTS.released);

function released(task: Task = held): Task {
  return applyCommand(task, RELEASED, now);
}

describe("a task that its worker returned", () => {
  it("a returned task waits in its agent's queue in the same attempt, with its progress, work and files", () => {
    const worked = [COMMANDS.reportProgress, COMMANDS.reportFile].reduce<Task>(
      (task, command) => applyCommand(task, command, now),
      held,
    );
    const returned = applyCommand(
      worked,
      reportOf({ type: "released", reason: "Bye.", work: { page: 7 } }),
      now,
    );
    expect(slotOf(returned)).toBe("queued");
    expect(returned).toMatchObject({
      status: "in_progress",
      attempt: worked.attempt,
      attempts: [],
      agentId: worked.agentId,
      progress: worked.progress,
      files: worked.files,
      work: { ...worked.work, page: 7 },
      startedAt: worked.startedAt,
    });
    expect(decidedEvents(worked, RELEASED, now)).toEqual([
      {
        type: "declined",
        data: {
          cause: "returned",
          agentId: "ada",
          reason: "The worker returned the task.",
          excludes: false,
          released: true,
          work: {},
        },
      },
    ]);
  });

  it("no worker holds a returned task until it is claimed again, and then only the new lease does", () => {
    const returned = released();
    expect(holdsLease(returned, GRANT.token, now)).toBe(false);
    const grant = { ...GRANT, token: "lease-2" };
    const again = applyCommand(returned, { type: "admit", agentId: "ada", grant }, now + SECOND);
    expect([holdsLease(again, "lease-2", now + SECOND), again.attempt]).toEqual([
      true,
      held.attempt,
    ]);
    expect(decidedFailure(again, RELEASED, now + 2 * SECOND).kind).toBe("lease_lost");
  });

  it("a returned task does not change when the old lease would have expired", () => {
    expect(decidedEvents(released(), COMMANDS.expire, END + SECOND)).toEqual([]);
  });

  it("the same worker can repeat the return until its lease would have expired", () => {
    expect(decidedEvents(released(), RELEASED, END - 1)).toEqual([]);
    expect(decidedFailure(released(), RELEASED, END).kind).toBe("lease_lost");
    expect(decidedFailure(released(), reportOf(REPORTS.released, "forged"), now).kind).toBe(
      "lease_lost",
    );
  });
});

describe("a rejected return", () => {
  it("a worker cannot return a task that it no longer works on", () => {
    const answered = applyCommand(
      applyCommand(held, COMMANDS.reportBlocked, now),
      COMMANDS.respond,
      now,
    );
    expect(decidedFailure(answered, RELEASED, now).kind).toBe("lease_lost");
  });

  it("a worker cannot return a task whose lease has expired", () => {
    expect(decidedFailure(held, RELEASED, END).kind).toBe("lease_lost");
  });

  it("a worker cannot return more work than a task may store", () => {
    const work = { text: "x".repeat(1_048_576) };
    const large = reportOf({ type: "released", reason: null, work });
    expect(decidedFailure(held, large, now)).toMatchObject({
      kind: "validation",
      problems: [{ path: "work" }],
    });
  });
});
