import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { CONTEXT_BYTES_MAX } from "../../../src/tasks/limits.ts";
import { errorOf, type Task } from "../../../src/tasks/model/task.ts";
import {
  taskAfter,
  COMMANDS,
  decidedEvents,
  decidedFailure,
  GRANT,
  OUTCOME,
  REPORTS,
  reportOf,
  SECOND,
  T0,
  applyCommand,
  applyReports,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";
import { withAllFields } from "./all-fields.ts";

const LATER = T0 + 10 * SECOND;
const held = taskAfter(...WORKER_COMMANDS_TO.in_progress);

function progressOf(
  progress: number,
  change: { phase?: string; work?: JsonObject } = {},
): TaskCommand {
  return reportOf({ ...REPORTS.progress, progress, phase: null, ...change });
}

const reported = (task: Task, ...reports: readonly TaskCommand[]): Task =>
  applyReports(task, LATER, ...reports);

describe("progress", () => {
  it.each([
    [0, 20, 20],
    [20, 20, 20],
    [20, 45.9, 45],
    [20, 99, 99],
    [20, 100, 99],
    [20, 1e9, 99],
    [99, 100, 99],
  ])(
    "at progress %d, a report of %d is stored as %d, because only completion sets 100",
    (before, sent, stored) => {
      const task = reported(held, progressOf(before));
      expect(reported(task, progressOf(sent)).progress).toBe(stored);
    },
  );

  it.each([
    [45, 44, "must be at least the current progress of 45, got 44"],
    [45, 44.9, "must be at least the current progress of 45, got 44.9"],
    [45, 0, "must be at least the current progress of 45, got 0"],
    [0, -1, "must be at least the current progress of 0, got -1"],
    [0, Number.NaN, "must be at least the current progress of 0, got NaN"],
  ])("at progress %d, a report of %d is rejected with both values", (before, sent, message) => {
    const task = reported(held, progressOf(before));
    expect(decidedFailure(task, progressOf(sent), LATER)).toEqual({
      kind: "validation",
      problems: [{ path: "progress", message }],
    });
  });

  it("the next attempt can report progress from 0", () => {
    const lost = applyCommand(reported(held, progressOf(80)), COMMANDS.expire, LATER + 60 * SECOND);
    const assign = { ...COMMANDS.assign, terms: WORKER };
    const grant = { ...GRANT, token: "lease-2" };
    const again = [assign, { ...COMMANDS.admit, grant }].reduce(
      (task, command) => applyCommand(task, command, LATER + 70 * SECOND),
      lost,
    );
    const first = reportOf({ ...REPORTS.progress, progress: 5 }, "lease-2");
    expect(applyCommand(again, first, LATER + 71 * SECOND)).toMatchObject({
      attempt: 2,
      progress: 5,
    });
  });

  it("the last reported phase is kept if a later report has none", () => {
    const task = reported(held, progressOf(1, { phase: "reading" }), progressOf(2));
    expect(task.currentPhase).toBe("reading");
  });

  it("checkpoints are merged key by key and kept for the agent that continues after an answer", () => {
    const work = { page: 1, sources: ["a"] };
    const task = reported(held, progressOf(1, { work }), progressOf(2, { work: { page: 2 } }));
    expect(task.work).toEqual({ page: 2, sources: ["a"] });
    const asked = reported(task, reportOf({ ...REPORTS.blocked, work: { page: 3 } }));
    expect(applyCommand(asked, COMMANDS.respond, LATER).work).toEqual({ page: 3, sources: ["a"] });
  });
});

describe("a checkpoint", () => {
  const filled = (bytes: number): JsonObject => ({
    page: "x".repeat(bytes - '{"page":""}'.length),
  });

  it.each(["progress", "blocked"] as const)(
    "a checkpoint of at most 1 MiB is accepted with %s",
    (type) => {
      const report = (work: JsonObject) => reportOf({ ...REPORTS[type], work });
      expect(decidedEvents(held, report(filled(CONTEXT_BYTES_MAX)), LATER)).toHaveLength(1);
      expect(decidedFailure(held, report(filled(CONTEXT_BYTES_MAX + 1)), LATER)).toEqual({
        kind: "validation",
        problems: [
          {
            path: "work",
            message: "must be at most 1048576 bytes of JSON in the task, but would be 1048577",
          },
        ],
      });
    },
  );

  it("a checkpoint's size includes the earlier checkpoints that are kept with it", () => {
    const half = { before: "x".repeat(CONTEXT_BYTES_MAX / 2) };
    const task = reported(held, progressOf(1, { work: half }));
    const other = progressOf(2, { work: filled(CONTEXT_BYTES_MAX / 2) });
    expect(decidedFailure(task, other, LATER)).toMatchObject({ problems: [{ path: "work" }] });
    const instead = progressOf(2, { work: { before: "y".repeat(CONTEXT_BYTES_MAX / 2) } });
    expect(decidedEvents(task, instead, LATER)).toHaveLength(1);
  });

  it("a checkpoint can contain any key, even __proto__", () => {
    const work: JsonObject = JSON.parse('{"__proto__":{"page":1}}');
    const kept = reported(held, progressOf(1, { work }), progressOf(2)).work;
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"page":1}}');
  });
});

describe("a report that ends the work", () => {
  const { file } = REPORTS.file;
  const outcome = { result: OUTCOME.result, quality: null, deliverables: [] };

  it("a completed report ends the task and includes the uploaded files", () => {
    const task = reported(held, COMMANDS.reportFile, COMMANDS.reportCompleted);
    expect(task).toMatchObject({
      status: "completed",
      progress: 100,
      outcome: { ...outcome, deliverables: [file] },
    });
  });

  it("a file replaces an earlier one with the same name and is added to files with other names", () => {
    const second = { ...file, size: 10, sha256: "11ff" };
    const other = { ...file, name: "data.csv", key: "tasks/x/1.0/data.csv" };
    const reports = [file, other, second].map((one) => reportOf({ type: "file", file: one }));
    expect(reported(held, ...reports).files).toEqual([other, second]);
  });

  it("a file report does not change progress and phase", () => {
    const task = reported(held, COMMANDS.reportProgress, COMMANDS.reportFile);
    expect(task).toMatchObject({ progress: 20, currentPhase: "reading" });
  });

  it("after a completed report, the task goes to review first if the agent's work is reviewed", () => {
    const terms = { ...WORKER, requireReview: true };
    const task = taskAfter(
      COMMANDS.create,
      { ...COMMANDS.assign, terms },
      { ...COMMANDS.admit, grant: GRANT },
    );
    expect(decidedEvents(task, COMMANDS.reportCompleted, LATER)).toEqual([
      { type: "submitted", data: { ...outcome, calls: [] } },
    ]);
  });

  it("after requested changes, a completed report sends the task to review again", () => {
    const asked = [COMMANDS.reportReview, COMMANDS.requestChanges].reduce(
      (task, command) => applyCommand(task, command, LATER),
      held,
    );
    const grant = { ...GRANT, token: "lease-2" };
    const again = applyCommand(asked, { ...COMMANDS.admit, grant }, LATER);
    const done = reportOf(REPORTS.completed, "lease-2");
    expect(decidedEvents(again, done, LATER).map(({ type }) => type)).toEqual(["submitted"]);
    expect(applyCommand(again, done, LATER).round).toBe(2);
  });

  it.each([
    [null, {}],
    [{ line: 7 }, { details: { line: 7 } }],
  ])("a failure report sets the task's error, with details %j", (details, more) => {
    const failed = reportOf({ ...REPORTS.failed, retryable: false, details });
    expect(errorOf(reported(held, failed))).toEqual({
      code: "AGENT_ERROR",
      message: "It broke.",
      retryable: false,
      ...more,
    });
  });

  it("a blocked report blocks the task with its question and frees its slot", () => {
    const task = reported(held, COMMANDS.reportBlocked);
    expect(withAllFields(task)).toMatchObject({
      status: "blocked",
      workStartSeq: 0,
      blocked: { kind: "input", question: "Which year?", since: LATER },
    });
  });
});
