import { expect, it } from "vitest";
import { explainStatus } from "../../console/src/tasks/detail/explain-status.ts";
import { plainText } from "../../console/src/tasks/detail/text-parts.ts";
import type { Task } from "../../console/src/tasks/queries.ts";

const SINCE = "2026-11-27T10:00:00.000Z";
const TASK: Task = {
  taskId: "a".repeat(64),
  status: "in_progress",
  task: "Count the rows",
  agentId: "analyst",
  agentName: "Analyst",
  priority: "medium",
  progress: 40,
  currentPhase: "analysing",
  timeline: { createdAt: SINCE },
  attempt: 1,
  attempts: [],
  createdAt: SINCE,
  waitingFor: null,
};
const BUSY = { enabled: true, maxConcurrentTasks: 1, queue: { running: 1, waiting: 4 } };
const UNCLAIMED = {
  kind: "agent",
  reason: "unclaimed",
  agentId: "analyst",
  since: SINCE,
  message: "No worker of agent analyst has claimed the task yet.",
} as const;

it.each<[string, Partial<Task>, Parameters<typeof explainStatus>[1], string]>([
  ["works", {}, null, "Analyst is working: analysing (40%)."],
  [
    "is held by a worker",
    { lease: { worker: "w-1", expiresAt: SINCE } },
    null,
    "The worker w-1 of Analyst is working: analysing (40%).",
  ],
  [
    "has a disabled agent",
    {},
    { ...BUSY, enabled: false },
    "Analyst is disabled, so the task is waiting.",
  ],
  [
    "has no agent",
    {
      status: "pending",
      waitingFor: { kind: "agent", reason: "unassigned", since: SINCE, message: "None" },
    },
    null,
    "No suitable agent is available.",
  ],
  [
    "is not claimed",
    { status: "assigned", waitingFor: UNCLAIMED },
    { ...BUSY, queue: { running: 0, waiting: 1 } },
    "No worker of Analyst has claimed the task yet.",
  ],
  [
    "waits for a busy agent",
    { status: "assigned", waitingFor: UNCLAIMED },
    BUSY,
    "Analyst is busy: it is working on 1 task (maximum 1), and 4 are waiting.",
  ],
  [
    "waits for the next attempt",
    { status: "pending", waitingFor: { kind: "retry", at: SINCE, since: SINCE, message: "Lost." } },
    null,
    "Lost.",
  ],
  [
    "is blocked",
    { status: "blocked", blocked: { kind: "budget", question: "More?", since: SINCE } },
    null,
    "Analyst has used up the budget and is waiting for a higher limit.",
  ],
  ["is in review", { status: "review" }, null, "The work is ready for your review."],
  ["is completed", { status: "completed" }, null, "Analyst completed the task."],
  [
    "failed",
    {
      status: "failed",
      error: { code: "TOOL_ERROR", message: "Broken.", retryable: true, attempt: 1, at: SINCE },
    },
    null,
    "The attempt failed (TOOL_ERROR): Broken.",
  ],
  [
    "is cancelled",
    { status: "cancelled", cancelReason: "Not needed" },
    null,
    "The task was cancelled: Not needed",
  ],
])("a task that %s is explained in one sentence", (_title, fields, agent, expected) => {
  expect(plainText(explainStatus({ ...TASK, ...fields }, agent).sentence)).toBe(expected);
});

it("a failed task comes with advice for every error code", () => {
  const error = { message: "Broken.", retryable: true, attempt: 1, at: SINCE };
  const codes = ["AGENT_ERROR", "TOOL_ERROR", "DEADLINE_EXCEEDED", "BUDGET_EXCEEDED"] as const;
  for (const code of codes) {
    const { advice } = explainStatus(
      { ...TASK, status: "failed", error: { ...error, code } },
      null,
    );
    expect(advice).toMatch(/\w\.$/);
  }
});
