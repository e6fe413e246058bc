import { describe, expect, it } from "vitest";
import { explainStatus } from "../../console/src/tasks/detail/explain-status.ts";
import { plainText } from "../../console/src/tasks/detail/text-parts.ts";
import type { Task } from "../../console/src/tasks/queries.ts";
import { summariseWaiting } from "../../console/src/tasks/waiting.ts";

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
const NOW = Date.parse(SINCE) + 3_600_000;
const BUSY = {
  name: "Analyst",
  teams: [],
  enabled: true,
  maxConcurrentTasks: 1,
  queue: { running: 1, waiting: 4 },
};
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
    { lease: { worker: "w-1", renewedAt: SINCE, expiresAt: SINCE } },
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
    "Analyst has reached its maximum of concurrent tasks (1 of 1).",
  ],
  [
    "waits for the next attempt",
    { status: "pending", waitingFor: { kind: "retry", at: SINCE, since: SINCE, message: "Lost." } },
    null,
    "Lost.",
  ],
  [
    "waits for approval",
    {
      status: "blocked",
      blocked: { kind: "approval", question: "?", since: SINCE, approvalIds: ["one"] },
    },
    null,
    "Analyst is waiting for a decision about a call.",
  ],
  [
    "waits for several approvals",
    {
      status: "blocked",
      blocked: { kind: "approval", question: "?", since: SINCE, approvalIds: ["one", "two"] },
    },
    null,
    "Analyst is waiting for decisions about 2 calls.",
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
  expect(plainText(explainStatus({ ...TASK, ...fields }, agent, NOW).sentence)).toBe(expected);
});

it("a failed task comes with advice for every error code", () => {
  const error = { message: "Broken.", retryable: true, attempt: 1, at: SINCE };
  const codes = ["AGENT_ERROR", "TOOL_ERROR", "DEADLINE_EXCEEDED", "BUDGET_EXCEEDED"] as const;
  for (const code of codes) {
    const { advice } = explainStatus(
      { ...TASK, status: "failed", error: { ...error, code } },
      null,
      NOW,
    );
    expect(advice).toMatch(/\w\.$/);
  }
});

it("the explanation of a task offers to enable its requested agent only while the agent is disabled", () => {
  const { agentId: _id, agentName: _name, ...unassigned } = TASK;
  const waitingFor = { ...UNCLAIMED, reason: "unavailable" } as const;
  const task: Task = { ...unassigned, status: "pending", waitingFor };
  const disabled = explainStatus(task, { ...BUSY, enabled: false, online: false }, NOW);
  expect(plainText(disabled.sentence)).toBe("Analyst is disabled, so the task is waiting.");
  expect(disabled.advice).toBe(
    "Enable the agent and start a worker, or give the task to another agent.",
  );
  expect(disabled.actions).toContainEqual({ kind: "enable_agent", agentId: "analyst" });
  const enabled = explainStatus(task, BUSY, NOW);
  expect(plainText(enabled.sentence)).toBe("Analyst is enabled.");
  expect(enabled.actions).not.toContainEqual({ kind: "enable_agent", agentId: "analyst" });
  const inTeam = explainStatus({ ...task, teamId: "studio" }, BUSY, NOW);
  expect(plainText(inTeam.sentence)).toBe("Analyst is not a member of the team studio.");
});

describe("the explanation of a wait", () => {
  const WORKERS = {
    name: "Analyst",
    teams: [],
    enabled: true,
    maxConcurrentTasks: null,
    queue: { running: 0, waiting: 1 },
  };
  const HOLDING = { waiting: false, taskIds: ["b".repeat(64)] };
  const QUEUED = { status: "assigned", waitingFor: UNCLAIMED } as const;
  const ANSWERED = { status: "in_progress", waitingFor: UNCLAIMED } as const;
  const SLOT = { kind: "slot", agentId: "analyst", since: SINCE, message: "Full." } as const;
  const explained = (fields: Partial<Task>, agent: Parameters<typeof explainStatus>[1]) => {
    const { sentence, advice, actions = [] } = explainStatus({ ...TASK, ...fields }, agent, NOW);
    return [plainText(sentence), advice, actions.map(({ kind }) => kind)];
  };

  it.each<[string, Partial<Task>, Parameters<typeof explainStatus>[1], string, string, string[]]>([
    [
      "no worker is online",
      QUEUED,
      { ...WORKERS, online: false, lastSeenAt: SINCE },
      "No worker of Analyst is online (last seen 1 h ago).",
      "Start a worker, or give the task to another agent. The agent's page shows how to start a worker.",
      ["open_agent", "change_agent"],
    ],
    [
      "no worker was ever seen",
      QUEUED,
      { ...WORKERS, online: false },
      "No worker of Analyst is online.",
      "Start a worker, or give the task to another agent. The agent's page shows how to start a worker.",
      ["open_agent", "change_agent"],
    ],
    [
      "no worker is online to continue the task, which keeps its agent",
      ANSWERED,
      { ...WORKERS, online: false },
      "No worker of Analyst is online.",
      "Start a worker. The agent's page shows how to start a worker.",
      ["open_agent"],
    ],
    [
      "the agent has reached its maximum of concurrent tasks",
      QUEUED,
      { ...BUSY, online: true, workers: [HOLDING] },
      "Analyst has reached its maximum of concurrent tasks (1 of 1).",
      "The task can start when a running task ends. 3 other tasks are waiting. To start the task earlier, raise the agent's maximum, raise the task's priority, or give the task to another agent.",
      ["raise_maximum", "change_priority", "change_agent", "open_agent"],
    ],
    [
      "the agent has reached its maximum of concurrent tasks, and the task is in progress",
      ANSWERED,
      { ...BUSY, queue: { running: 1, waiting: 2 }, online: true },
      "Analyst has reached its maximum of concurrent tasks (1 of 1).",
      "The task can continue when a running task ends. 1 other task is waiting. To continue the task earlier, raise the agent's maximum or raise the task's priority.",
      ["raise_maximum", "change_priority", "open_agent"],
    ],
    [
      "an agent without workers has no free slot",
      { status: "assigned", waitingFor: SLOT },
      { ...BUSY, queue: { running: 1, waiting: 1 } },
      "Analyst has reached its maximum of concurrent tasks (1 of 1).",
      "The task can start when a running task ends. To start the task earlier, raise the agent's maximum or give the task to another agent.",
      ["raise_maximum", "change_agent", "open_agent"],
    ],
    [
      "the agent has no free slot, and the key may not read it",
      { status: "assigned", waitingFor: SLOT },
      null,
      "Analyst has reached its maximum of concurrent tasks.",
      "The task can start when a running task ends. To start the task earlier, raise the agent's maximum, raise the task's priority, or give the task to another agent.",
      ["change_priority", "change_agent", "open_agent"],
    ],
    [
      "the workers hold other tasks",
      QUEUED,
      { ...WORKERS, online: true, workers: [HOLDING, HOLDING, { waiting: false, taskIds: [] }] },
      "A worker of Analyst is online but has not claimed the task yet.",
      "The agent's workers hold 2 other tasks and may claim this one next. You can also start another worker, or give the task to another agent.",
      ["open_agent", "change_agent"],
    ],
    [
      "a worker waits for a task but does not claim this one",
      QUEUED,
      { ...WORKERS, online: true, workers: [HOLDING, { waiting: true, taskIds: [] }] },
      "A worker of Analyst is online but has not claimed the task yet.",
      "Check that the worker is still running and keeps claiming tasks. You can also start another worker, or give the task to another agent.",
      ["open_agent", "change_agent"],
    ],
    [
      "a worker is online, and the agent's queue did not respond",
      { ...ANSWERED },
      { name: "Analyst", teams: [], enabled: true, maxConcurrentTasks: 1, online: true },
      "A worker of Analyst is online but has not continued the task yet.",
      "Check that the worker is still running and keeps claiming tasks. You can also start another worker.",
      ["open_agent"],
    ],
    [
      "no worker claimed the next attempt",
      { ...QUEUED, attempt: 2 },
      { ...WORKERS, online: true },
      "A worker of Analyst is online but has not claimed attempt 2 of the task yet.",
      "Check that the worker is still running and keeps claiming tasks. You can also start another worker, or give the task to another agent.",
      ["open_agent", "change_agent"],
    ],
    [
      "the key may not read the agent",
      QUEUED,
      null,
      "No worker of Analyst has claimed the task yet.",
      "Check that the agent's workers are running, start a worker, or give the task to another agent.",
      ["open_agent", "change_agent"],
    ],
    [
      "the task is in progress, and the key may not read the agent",
      ANSWERED,
      null,
      "No worker of Analyst has continued the task yet.",
      "Check that the agent's workers are running, or start a worker.",
      ["open_agent"],
    ],
    [
      "the agent is disabled",
      QUEUED,
      { ...WORKERS, enabled: false, online: true },
      "Analyst is disabled, so the task is waiting.",
      "Enable the agent, or give the task to another agent.",
      ["enable_agent", "change_agent", "open_agent"],
    ],
    [
      "the agent is disabled, and the task keeps it",
      ANSWERED,
      { ...WORKERS, enabled: false },
      "Analyst is disabled, so the task is waiting.",
      "Enable the agent, or cancel the task.",
      ["enable_agent", "open_agent"],
    ],
  ])(
    "a wait is explained with the actions that help: %s",
    (_, fields, agent, sentence, advice, actions) => {
      expect(explained(fields, agent)).toEqual([sentence, advice, actions]);
    },
  );

  it("a task queued less than 10 seconds ago has a neutral explanation", () => {
    const agent = { ...WORKERS, online: false };
    const at = (ms: number) =>
      explainStatus({ ...TASK, ...QUEUED }, agent, Date.parse(SINCE) + ms).tone;
    expect([at(9_999), at(10_000)]).toEqual(["neutral", "warning"]);
  });

  it("the priority of a task that waits for a slot can be raised unless it is the highest", () => {
    const [, advice, actions] = explained({ ...QUEUED, priority: "urgent" }, BUSY);
    expect(advice).toContain("raise the agent's maximum or give the task to another agent.");
    expect(actions).toEqual(["raise_maximum", "change_agent", "open_agent"]);
    const { actions: found } = explainStatus({ ...TASK, ...QUEUED }, BUSY, NOW);
    expect(found?.[0]).toEqual({ kind: "raise_maximum", agentId: "analyst", maximum: 2 });
  });

  it("a task without an agent can get one, and its requested agent can be opened", () => {
    const wait = { kind: "agent", since: SINCE, message: "Ada is disabled." } as const;
    const { agentId, agentName, ...pending } = { ...TASK, status: "pending" as const };
    const actionsOf = (waitingFor: Task["waitingFor"]) =>
      explainStatus({ ...pending, waitingFor }, null, NOW).actions;
    expect(actionsOf({ ...wait, reason: "unassigned" })).toEqual([
      { kind: "change_agent", isFirst: true },
    ]);
    expect(actionsOf({ ...wait, reason: "unavailable", agentId: "ada" })).toEqual([
      { kind: "open_agent", agentId: "ada" },
      { kind: "change_agent", isFirst: false },
    ]);
  });

  it.each([
    ["No worker has claimed the task yet.", QUEUED],
    ["No worker has claimed attempt 3 of the task yet.", { ...QUEUED, attempt: 3 }],
    ["No worker has continued the task yet.", ANSWERED],
  ] as const)("a wait is summarised in a list as %j", (text, fields) => {
    expect(summariseWaiting({ ...TASK, ...fields })).toBe(text);
  });
});
