import { describe, expect, it } from "vitest";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import {
  taskAfter,
  GRANT,
  numberEvents,
  REPORTS,
  reportOf,
  SECOND,
  T0,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";
import { workStartSeqOf } from "../../../src/tasks/model/task.ts";

const END: TaskCommand = { type: "endLease", keyId: GRANT.keyId ?? "" };
const NOW = T0 + 10 * SECOND;
const HELD = taskAfter(...WORKER_COMMANDS_TO.in_progress);

describe("a lease whose key has ended", () => {
  it("when a lease's key ends, the task restarts at once with the same agent and states the reason", () => {
    const decided = decide(HELD, END, NOW);
    if (!decided.ok) throw new Error(decided.failure.kind);
    const task = numberEvents(decided.value, HELD.seq, () => NOW).reduce(applyEvent, HELD);
    expect(task).toMatchObject({ status: "pending", attempt: 2, lease: null, notBefore: NOW });
    expect(task.choice).toEqual(HELD.choice);
    expect(task.attempts.at(-1)?.error).toEqual({
      code: "AGENT_ERROR",
      message: "The key of worker laptop was revoked or has expired.",
      retryable: true,
    });
    // The worker was not silent, so this does not count as a lost lease.
    expect(task.automaticRetries).toBe(0);
  });

  it("when a lease's key ends, the worker's saved work is kept for the next worker", () => {
    const report = reportOf({ ...REPORTS.progress, work: { at: 1 } });
    const reported = taskAfter(...WORKER_COMMANDS_TO.in_progress, report);
    const decided = decide(reported, END, NOW);
    if (!decided.ok) throw new Error(decided.failure.kind);
    const task = numberEvents(decided.value, reported.seq, () => NOW).reduce(applyEvent, reported);
    expect(reported.work).not.toEqual({});
    expect(task.work).toEqual(reported.work);
  });

  it.each([
    ["a lease that was claimed with another key", HELD, "fedcba9876543210"],
    ["a task that waits for people", taskAfter(...WORKER_COMMANDS_TO.blocked), GRANT.keyId ?? ""],
    [
      "a lease from an earlier release, which names no key",
      {
        ...HELD,
        lease: { token: "t", seq: workStartSeqOf(HELD), worker: null, seconds: 60, expiresAt: NOW },
      },
      "undefined",
    ],
  ])("ending a key does not change %s", (_, task, keyId) => {
    const decided = decide(task, { type: "endLease", keyId }, NOW);
    expect(decided.ok ? decided.value : []).toEqual([]);
  });
});
