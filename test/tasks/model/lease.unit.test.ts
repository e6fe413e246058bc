import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { shouldStoreRenewal, grantLease, renewLease } from "../../../src/tasks/model/lease.ts";
import { holdsLease } from "../../../src/tasks/model/guards.ts";
import { errorOf, type Task } from "../../../src/tasks/model/task.ts";
import {
  ADA,
  taskAfter,
  BOB,
  COMMANDS,
  decidedEvents,
  decidedFailure,
  GRANT,
  REPORTS,
  reportOf,
  SECOND,
  T0,
  applyCommand,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";
import { withAllFields } from "./all-fields.ts";

const CLAIMED = T0 + 2 * SECOND;
const END = CLAIMED + 60 * SECOND;
const held = taskAfter(...WORKER_COMMANDS_TO.in_progress);

/** Returns the task after its attempt was lost and another worker claimed it with this token. */
function claimedAgain(lost: Task, token: string, now: number): Task {
  const commands: TaskCommand[] = [
    { ...COMMANDS.assign, terms: WORKER },
    { ...COMMANDS.admit, grant: { ...GRANT, token } },
  ];
  return commands.reduce((task, command) => applyCommand(task, command, now), lost);
}

describe("a lease", () => {
  const lease = grantLease(GRANT, 3, CLAIMED);

  it("a lease starts with the event that granted it", () => {
    expect(lease).toEqual({ ...GRANT, seq: 3, expiresAt: END });
    expect(held.lease).toEqual(lease);
  });

  it.each([
    [CLAIMED + 10 * SECOND, END + 10 * SECOND],
    [END - 1, END - 1 + 60 * SECOND],
    [CLAIMED, END],
    [CLAIMED - 5 * SECOND, END],
  ])("a lease renewed at %d ends at %d, never sooner than before", (at, expiresAt) => {
    expect(renewLease(lease, at)).toEqual({ ...lease, expiresAt });
  });

  it.each([
    [CLAIMED, false],
    [CLAIMED + 30 * SECOND, false],
    [CLAIMED + 30 * SECOND + 1, true],
    [END - 1, true],
  ])("a renewal at %d is stored only in the second half of the lease: %j", (now, isWorth) => {
    expect(shouldStoreRenewal(lease, now)).toBe(isWorth);
  });

  it.each(["reportProgress", "reportFile"] as const)("a lease is renewed by %s", (name) => {
    expect(applyCommand(held, COMMANDS[name], END - 1).lease?.expiresAt).toBe(
      END - 1 + 60 * SECOND,
    );
  });

  it("a lease is not renewed by tool calls, which can come from others", () => {
    expect(applyCommand(held, COMMANDS.spend, END - 1).lease?.expiresAt).toBe(END);
  });

  it("a lease is held until its last millisecond, but not at its end", () => {
    expect(holdsLease(held, GRANT.token, END - 1)).toBe(true);
    expect(holdsLease(held, GRANT.token, END)).toBe(false);
    expect(decidedEvents(held, COMMANDS.reportCompleted, END - 1)).toHaveLength(1);
    expect(decidedFailure(held, COMMANDS.reportCompleted, END).kind).toBe("lease_lost");
  });

  it.each(["", "lease-2", "LEASE-1", "lease-1 "])(
    "a lease is not held with the token %j",
    (token) => {
      expect(holdsLease(held, token, CLAIMED)).toBe(false);
      expect(decidedFailure(held, reportOf(REPORTS.completed, token), CLAIMED)).toEqual({
        kind: "lease_lost",
        status: "in_progress",
        allowed: ["cancel", "update"],
      });
    },
  );

  it("a lease is no longer held once the task is blocked, in review or ended", () => {
    for (const status of ["blocked", "review", "completed", "failed", "cancelled"] as const) {
      expect(
        holdsLease(taskAfter(...WORKER_COMMANDS_TO[status]), GRANT.token, T0 + 3 * SECOND),
      ).toBe(false);
    }
  });
});

describe("a lease that expires", () => {
  it("when a lease expires, the task returns to its agent after a pause, as another attempt", () => {
    const [retried] = decidedEvents(held, { type: "expire", jitter: 1 }, END);
    const message = "Worker laptop sent no report for 60 seconds.";
    const error = { code: "LEASE_EXPIRED", message, retryable: true };
    expect(retried).toEqual({
      type: "retried",
      data: {
        cause: "lease_expired",
        attempt: 2,
        reassign: false,
        choice: ADA,
        context: null,
        automatic: { error, notBefore: END + SECOND },
      },
    });
    const lost = applyCommand(held, { type: "expire", jitter: 1 }, END);
    expect(withAllFields(lost)).toMatchObject({
      status: "pending",
      attempt: 2,
      automaticRetries: 1,
      agentId: "ada",
      notBefore: END + SECOND,
      lease: null,
      error: null,
      startedAt: null,
    });
    expect(lost.attempts).toEqual([
      {
        attempt: 1,
        agentId: "ada",
        agentName: "ADA",
        error,
        startedAt: CLAIMED,
        failedAt: END,
      },
    ]);
  });

  it("the error for the lost lease of an unnamed worker has no worker name", () => {
    const nameless = { ...COMMANDS.admit, grant: { ...GRANT, worker: null } };
    const task = taskAfter(...WORKER_COMMANDS_TO.assigned, nameless);
    const lost = applyCommand(task, COMMANDS.expire, END);
    expect(lost.attempts[0]?.error.message).toBe("The worker sent no report for 60 seconds.");
  });

  it("once another worker has claimed the task, a token stays invalid", () => {
    const again = claimedAgain(
      applyCommand(held, COMMANDS.expire, END),
      "lease-2",
      END + 2 * SECOND,
    );
    for (const report of Object.values(REPORTS)) {
      expect(decidedFailure(again, reportOf(report), END + 3 * SECOND).kind).toBe("lease_lost");
      expect(decidedEvents(again, reportOf(report, "lease-2"), END + 3 * SECOND)).toHaveLength(
        report.type === "heartbeat" ? 0 : 1,
      );
    }
  });

  it("a lost lease drops the attempt's progress and files, but keeps its work and spend", () => {
    const worked = [COMMANDS.reportProgress, COMMANDS.reportFile, COMMANDS.spend].reduce<Task>(
      (task, command) => applyCommand(task, command, CLAIMED),
      { ...held, work: { page: 3 } },
    );
    expect(applyCommand(worked, COMMANDS.expire, END)).toMatchObject({
      progress: 0,
      files: [],
      work: { page: 3 },
      spend: { cost: 0.5, toolCalls: 1 },
    });
  });

  it("answers and review comments survive a lost lease", () => {
    const completed = {
      answers: [{ question: "Who?", response: "You" }],
      reviewComments: ["More"],
      round: 1,
    };
    expect(applyCommand({ ...held, ...completed }, COMMANDS.expire, END)).toMatchObject(completed);
  });

  it("the third lost lease in a row fails the task, and a manual retry resets the count", () => {
    let task = held;
    let now = END;
    const pauses: number[] = [];
    for (const token of ["lease-2", "lease-3"]) {
      const lost = applyCommand(task, { type: "expire", jitter: 1 }, now);
      pauses.push((lost.notBefore ?? 0) - now);
      task = claimedAgain(lost, token, now);
      now += 60 * SECOND;
    }
    expect(pauses).toEqual([SECOND, 2 * SECOND]);
    const failed = applyCommand(task, COMMANDS.expire, now);
    expect(failed).toMatchObject({
      status: "failed",
      attempt: 3,
      error: { code: "LEASE_EXPIRED", retryable: true },
    });
    const retried = applyCommand(failed, { ...COMMANDS.retry, attempt: 3 }, now);
    expect(retried).toMatchObject({ attempt: 4, automaticRetries: 0, notBefore: null });
    const again = claimedAgain(retried, "lease-4", now);
    expect(applyCommand(again, COMMANDS.expire, now + 60 * SECOND)).toMatchObject({
      status: "pending",
      attempt: 5,
      automaticRetries: 1,
    });
  });

  it.each([
    [0, 500, 1_000],
    [0.5, 750, 1_500],
    [1, 1_000, 2_000],
  ])(
    "with jitter %d, the pause is %d ms before the second attempt and %d ms before the third",
    (jitter, ...pauses) => {
      for (const [automaticRetries, pauseMs] of pauses.entries()) {
        const lost = applyCommand({ ...held, automaticRetries }, { type: "expire", jitter }, END);
        expect(lost.notBefore).toBe(END + pauseMs);
      }
    },
  );

  it("after a lost lease, an agent that people have replaced stays excluded", () => {
    const reassigned = taskAfter(
      ...WORKER_COMMANDS_TO.failed,
      { ...COMMANDS.retry, reassign: true, choice: BOB },
      { ...COMMANDS.assign, choice: BOB, terms: WORKER },
      { type: "admit", agentId: "bob", grant: { ...GRANT, token: "lease-2" } },
    );
    expect(reassigned.excludedAgentIds).toEqual(["ada"]);
    const lost = applyCommand(reassigned, COMMANDS.expire, T0 + 600 * SECOND);
    expect(lost).toMatchObject({ agentId: "bob", excludedAgentIds: ["ada"] });
  });

  it("an expired deadline takes precedence over a lost lease", () => {
    const task = applyCommand(held, { type: "update", change: { deadline: END - 1 } }, CLAIMED);
    expect(errorOf(applyCommand(task, COMMANDS.expire, END + SECOND))?.code).toBe(
      "DEADLINE_EXCEEDED",
    );
  });
});
