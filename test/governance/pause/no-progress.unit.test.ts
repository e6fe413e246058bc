import { describe, expect, it } from "vitest";
import { countFailuresInARow, decideNoProgress } from "../../../src/agents/model/no-progress.ts";
import { NO_PROGRESS_DEFAULTS, type NoProgressLimits } from "../../../src/agents/model/pause.ts";
import { AUTOMATIC_ATTEMPTS_MAX, FAILURE_REPORT_MAX_MS } from "../../../src/tasks/limits.ts";
import type { NewTaskEvent, TaskEvent } from "../../../src/tasks/model/events.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import {
  isSpendCheckDue,
  listUnreportedFailures,
  markSpend,
  spendWithoutProgress,
  UNCHECKED,
} from "../../../src/tasks/model/no-progress.ts";
import type { Task, TaskErrorCode } from "../../../src/tasks/model/task.ts";
import { Rng } from "../../support/rng.ts";
import {
  AGENT_ERROR,
  applyCommand,
  buildCreated,
  COMMANDS,
  foldEvents,
  newEvent,
  SECOND,
  T0,
  taskAfter,
  WORKER_COMMANDS_TO,
} from "../../tasks/model/fixtures.ts";

const CASES = 5_000;

function limitOf(rng: Rng): number | null {
  return rng.oneIn(4) ? null : rng.between(1, 6);
}

function limitsOf(rng: Rng): NoProgressLimits {
  return { failedAttempts: limitOf(rng), calls: limitOf(rng), cost: limitOf(rng) };
}

describe("the decision of the breaker", () => {
  it("an agent is paused if and only if a measured amount has reached its limit", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const limits = limitsOf(rng);
      const counts = rng.oneIn(2)
        ? { failedAttempts: rng.below(8) }
        : { calls: rng.below(8), cost: rng.below(80) / 10 };
      const now = rng.below(1_000_000);
      const pause = decideNoProgress({ taskId: "t", limits, counts }, now);
      const reached = Object.entries(counts).filter(([measure, count]) => {
        const limit =
          limits[measure === "calls" || measure === "cost" ? measure : "failedAttempts"];
        return limit !== null && count >= limit;
      });
      expect(pause !== null, `seed ${seed}`).toBe(reached.length > 0);
      if (pause === null) continue;
      expect(pause).toMatchObject({ at: now, by: null, cause: "no-progress" });
      expect(pause.evidence).toMatchObject({ taskId: "t", measure: reached[0]?.[0], counts });
    }
  });

  it("failures count if they are later than the last success and the last resumption", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const failedAt = Array.from({ length: rng.below(12) }, () => rng.between(1, 50));
      const lastSuccessAt = rng.oneIn(3) ? null : rng.between(1, 50);
      const resumedAt = rng.oneIn(3) ? null : rng.between(1, 50);
      let expected = 0;
      for (const at of failedAt) {
        const isAfterSuccess = lastSuccessAt === null || at > lastSuccessAt;
        const isAfterResumption = resumedAt === null || at > resumedAt;
        if (isAfterSuccess && isAfterResumption) expected += 1;
      }
      const counted = countFailuresInARow(failedAt, lastSuccessAt, resumedAt);
      expect(counted, `seed ${seed}`).toBe(expected);
    }
  });
});

const CALL = { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true };
const FILE = { type: "page", name: "p", format: "text/plain", size: 1, key: "k", createdAt: T0 };

describe("a task's spend without progress", () => {
  it("is what was spent since the last event that shows progress", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      let task = foldEvents(
        newEvent("created", buildCreated()),
        newEvent("assigned", { agentId: "ada", agentName: "ADA", reasons: [], candidates: [] }),
        newEvent("started", { agentId: "ada" }),
      );
      let calls = 0;
      let cost = 0;
      for (let step = rng.between(1, 20); step > 0; step -= 1) {
        const { event, isProgress } = drawEvent(rng, task);
        const made = event.type === "progressed" ? event.data.calls.length : 0;
        const stamped: TaskEvent = { ...event, seq: task.seq + 1, at: T0 };
        task = applyEvent(task, stamped);
        calls = isProgress ? 0 : calls + made;
        cost = isProgress ? 0 : cost + made * CALL.cost;
        expect(spendWithoutProgress(task, null), `seed ${seed}`).toEqual({ calls, cost });
        const isDue = calls >= 50 || cost >= 5;
        expect(isSpendCheckDue(task, null), `seed ${seed}`).toBe(isDue);
      }
    }
  });

  function drawEvent(rng: Rng, task: Task): { event: NewTaskEvent; isProgress: boolean } {
    const calls = Array.from({ length: rng.below(4) }, () => CALL);
    const base = { progress: task.progress, phase: "reading", calls, work: {} };
    const more = { ...base, progress: task.progress + 1 };
    if (rng.oneIn(8)) {
      const event = rng.pick([
        { type: "progressed", data: { ...more, cause: "step" } },
        { type: "progressed", data: { ...base, cause: "file", file: FILE } },
      ]);
      return { event, isProgress: true };
    }
    const event = rng.pick([
      { type: "progressed", data: { ...base, cause: "usage", outside: true } },
      { type: "progressed", data: { ...base, cause: "step" } },
      { type: "progressed", data: { ...more, cause: "step", estimated: true } },
      { type: "progressed", data: { ...base, cause: "failed_try", error: AGENT_ERROR } },
      { type: "rated", data: { rating: 3 } },
    ]);
    return { event, isProgress: false };
  }

  it("is checked again only after the same amount was spent again", () => {
    const spent = (toolCalls: number): Task => ({ ...working(), spend: { cost: 0, toolCalls } });
    const check = { ...UNCHECKED, checked: markSpend(spent(50)) };
    expect(isSpendCheckDue(spent(50), null)).toBe(true);
    expect(isSpendCheckDue(spent(99), check)).toBe(false);
    expect(isSpendCheckDue(spent(100), check)).toBe(true);
    // The total still counts, unless the breaker paused the agent.
    expect(spendWithoutProgress(spent(100), check).calls).toBe(100);
    const paused = { ...check, paused: markSpend(spent(50)) };
    expect(spendWithoutProgress(spent(100), paused).calls).toBe(50);
  });

  it("is checked only while the task is in progress, and only for limits that are on", () => {
    const task = { ...working(), spend: { cost: 9, toolCalls: 90 } };
    const noProgress = { ...NO_PROGRESS_DEFAULTS, calls: null, cost: null };
    expect(isSpendCheckDue(task, null)).toBe(true);
    expect(isSpendCheckDue({ ...task, terms: { ...task.terms, noProgress } }, null)).toBe(false);
    expect(isSpendCheckDue({ ...task, status: "blocked" }, null)).toBe(false);
  });

  function working(): Task<"in_progress"> {
    const task = taskAfter(COMMANDS.create, COMMANDS.assign, COMMANDS.start);
    if (task.status !== "in_progress") throw new Error("The task must be in progress");
    return task;
  }
});

describe("the failed attempts that a task reports", () => {
  const failed = (code: TaskErrorCode, started = true): Task =>
    foldEvents(
      newEvent("created", buildCreated()),
      newEvent("assigned", { agentId: "ada", agentName: "ADA", reasons: [], candidates: [] }),
      ...(started ? [newEvent("started", { agentId: "ada" })] : []),
      newEvent("failed", { error: { ...AGENT_ERROR, code }, calls: [] }),
    );

  it.each([
    ["AGENT_ERROR", true],
    ["TOOL_ERROR", true],
    ["DEADLINE_EXCEEDED", true],
    ["BUDGET_EXCEEDED", true],
    ["REVIEW_REJECTED", true],
    ["INTERNAL_ERROR", false],
    ["DELIVERABLE_STORE_FAILED", false],
    ["NO_AGENT_AVAILABLE", false],
  ] as const)("an attempt that failed with %s counts against the agent: %s", (code, counts) => {
    const task = failed(code);
    const report = { agentId: "ada", attempt: 1, failedAt: T0 + 3 * SECOND };
    expect(listUnreportedFailures(task, null, T0 + 3 * SECOND)).toEqual(counts ? [report] : []);
  });

  it("an attempt is reported once, within ten minutes, and only if it had started", () => {
    const now = T0 + 3 * SECOND;
    const task = failed("AGENT_ERROR");
    expect(listUnreportedFailures(task, { ...UNCHECKED, reportedAttempt: 1 }, now)).toEqual([]);
    expect(listUnreportedFailures(task, null, now + FAILURE_REPORT_MAX_MS - 1)).toHaveLength(1);
    expect(listUnreportedFailures(task, null, now + FAILURE_REPORT_MAX_MS)).toEqual([]);
    expect(listUnreportedFailures(failed("AGENT_ERROR", false), null, now)).toEqual([]);
  });

  it("a lost lease counts only if the task then fails, and a revoked key and a deadline that passes while the task waits do not", () => {
    const held = taskAfter(...WORKER_COMMANDS_TO.in_progress);
    const later = T0 + 3_600 * SECOND;
    const lost = applyCommand(held, { type: "expire", jitter: 0 }, later);
    expect([lost.status, lost.attempt]).toEqual(["pending", 2]);
    expect(listUnreportedFailures(lost, null, later)).toEqual([]);
    const retried = { ...held, automaticRetries: AUTOMATIC_ATTEMPTS_MAX - 1 };
    const failedAtLast = applyCommand(retried, { type: "expire", jitter: 0 }, later);
    expect(failedAtLast.status).toBe("failed");
    expect(listUnreportedFailures(failedAtLast, null, later)).toMatchObject([{ attempt: 1 }]);
    const revoked = applyCommand(held, COMMANDS.endLease, T0 + 10 * SECOND);
    expect(revoked.attempt).toBe(2);
    expect(listUnreportedFailures(revoked, null, T0 + 10 * SECOND)).toEqual([]);

    const deadline = T0 + 20 * SECOND;
    const blocked = { ...taskAfter(...WORKER_COMMANDS_TO.blocked), deadline };
    const late = applyCommand(blocked, { type: "expire", jitter: 0 }, deadline);
    expect(late.status).toBe("failed");
    expect(listUnreportedFailures(late, null, deadline)).toEqual([]);
  });
});
