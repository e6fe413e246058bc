import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { errorOf, type Task } from "../../../src/tasks/model/task.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import {
  taskAfter,
  COMMANDS,
  buildCreated,
  decidedEvents,
  decidedFailure,
  GRANT,
  REPORTS,
  reportOf,
  SECOND,
  T0,
  applyCommand,
  applyReports,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const LATER = T0 + 10 * SECOND;
const held = taskAfter(...WORKER_COMMANDS_TO.in_progress);

const reported = (task: Task, ...reports: readonly TaskCommand[]): Task =>
  applyReports(task, LATER, ...reports);

describe("a late report", () => {
  const ends: Record<string, TaskCommand[]> = {
    cancelled: [COMMANDS.cancel],
    "completed by its worker": [COMMANDS.reportCompleted],
    "failed by its worker": [COMMANDS.reportFailed],
  };

  it.each(Object.keys(ends))("a late report to a task that was %s changes nothing", (end) => {
    const task = reported(held, ...(ends[end] ?? []));
    for (const report of Object.values(REPORTS)) {
      const decided = [reportOf(report), reportOf(report, "forged")].map((one) =>
        verdict(task, one),
      );
      const isRepeat = end === `${report.type} by its worker`;
      expect(decided).toEqual([
        isRepeat || report.type === "heartbeat" ? [] : "lease_lost",
        "lease_lost",
      ]);
    }
  });

  it("a report after the deadline is rejected as lease_lost with the status and the allowed actions", () => {
    const deadline = T0 + 30 * SECOND;
    const [, ...rest] = WORKER_COMMANDS_TO.in_progress;
    const working = taskAfter({ type: "create", data: buildCreated({ deadline }) }, ...rest);
    const late = applyCommand(working, COMMANDS.expire, deadline);
    expect(errorOf(late)?.code).toBe("DEADLINE_EXCEEDED");
    expect(decidedFailure(late, COMMANDS.reportCompleted, deadline + 1)).toEqual({
      kind: "lease_lost",
      status: "failed",
      allowed: ["retry", "update"],
    });
    // A heartbeat is not rejected, because its response tells the worker to stop.
    expect(decidedEvents(late, COMMANDS.reportHeartbeat, deadline + 1)).toEqual([]);
  });

  it("every report after the last lost lease is rejected as lease_lost, even a repeated failure", () => {
    const spent = { ...held, automaticRetries: 2 };
    const lost = applyCommand(spent, COMMANDS.expire, T0 + 62 * SECOND);
    expect(lost).toMatchObject({ status: "failed", error: { code: "LEASE_EXPIRED" } });
    for (const report of Object.values(REPORTS)) {
      expect(verdict(lost, reportOf(report))).toBe("lease_lost");
    }
  });
});

describe("a report that differs from the one that ended the work", () => {
  it.each([
    ["blocked", { ...REPORTS.blocked, question: "Which month?" }],
    ["review", { ...REPORTS.review, result: { ...REPORTS.review.result, summary: "Otherwise." } }],
    ["completed", { ...REPORTS.completed, result: { ...REPORTS.completed.result, insights: [] } }],
    ["failed", { ...REPORTS.failed, message: "It broke elsewhere." }],
  ] as const)(
    "a report that differs from the one that ended the work is not a repeat: %s",
    (type, other) => {
      const ended = reported(held, reportOf(REPORTS[type]));
      expect(decidedEvents(ended, reportOf(REPORTS[type]), LATER + SECOND)).toEqual([]);
      expect(decidedFailure(ended, reportOf(other), LATER + SECOND).kind).toBe("lease_lost");
    },
  );
});

describe("repeating a report whose response was lost", () => {
  it.each(["completed", "failed", "blocked", "review"] as const)(
    "a repeated %s report changes nothing, regardless of its time",
    (type) => {
      const report = reportOf(REPORTS[type]);
      expect(decidedEvents(reported(held, report), report, LATER + 600 * SECOND)).toEqual([]);
    },
  );

  it("a repeated completed report changes nothing during its review or after the approval", () => {
    const task = taskAfter(
      COMMANDS.create,
      { ...COMMANDS.assign, terms: { ...WORKER, requireReview: true } },
      { ...COMMANDS.admit, grant: GRANT },
      COMMANDS.reportCompleted,
    );
    expect(task.status).toBe("review");
    expect(decidedEvents(task, COMMANDS.reportCompleted, LATER)).toEqual([]);
    const approved = applyCommand(task, COMMANDS.approve, LATER);
    expect(decidedEvents(approved, COMMANDS.reportCompleted, LATER)).toEqual([]);
  });

  it("a repeated report that people have since answered is rejected as lease_lost", () => {
    const answered = reported(held, COMMANDS.reportBlocked, COMMANDS.respond);
    expect(verdict(answered, COMMANDS.reportBlocked)).toBe("lease_lost");
    const sentBack = reported(held, COMMANDS.reportReview, COMMANDS.requestChanges);
    expect(verdict(sentBack, COMMANDS.reportReview)).toBe("lease_lost");
    const rejected = reported(held, COMMANDS.reportReview, COMMANDS.reject);
    expect(verdict(rejected, COMMANDS.reportReview)).toBe("lease_lost");
  });
});

/** Returns the events, or the kind of failure. */
function verdict(task: Task, command: TaskCommand) {
  const decided = decide(task, command, LATER);
  return decided.ok ? decided.value : decided.failure.kind;
}
