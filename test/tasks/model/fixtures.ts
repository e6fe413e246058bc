import { BUILTIN_TERMS, type AgentTerms } from "../../../src/agents/model/agent.ts";
import type {
  TaskEventData,
  TaskEventType,
  NewTaskEvent,
  TaskEvent,
} from "../../../src/tasks/model/events.ts";
import type { Failure } from "../../../src/kernel/failure.ts";
import { applyEvent, fold } from "../../../src/tasks/model/fold.ts";
import type { LeaseGrant } from "../../../src/tasks/model/lease.ts";
import type {
  AgentChoice,
  TaskOutcome,
  Task,
  TaskError,
  TaskStatus,
} from "../../../src/tasks/model/task.ts";
import {
  toReportCommand,
  type TaskCommand,
  type WorkerReport,
} from "../../../src/tasks/model/command.ts";
import { decide } from "../../../src/tasks/model/decide.ts";

/** The time of the first command or event. The others follow at one-second intervals. */
export const T0 = Date.UTC(2030, 0, 1);
export const SECOND = 1_000;

export const ADA = choice("ada");
export const BOB = choice("bob");

export const OUTCOME: TaskOutcome = {
  result: {
    summary: "Two penguins differ.",
    insights: ["body_mass_g averages 4202"],
    recommendations: [],
  },
  quality: { score: 80, accuracy: 90, completeness: 70, clarity: 80 },
  deliverables: [
    {
      type: "summary",
      name: "summary.txt",
      format: "text/plain",
      size: 12,
      key: "tasks/x/1.0/summary.txt",
      createdAt: T0,
    },
  ],
};

export const AGENT_ERROR: TaskError = {
  code: "AGENT_ERROR",
  message: "It broke.",
  retryable: true,
};

export function choice(agentId: string): AgentChoice {
  const agentName = agentId.toUpperCase();
  return { agentId, agentName, reasons: ["requested by the client"], candidates: [] };
}

/** Builds the creation data of a simple task for agent ada, without a deadline or budget. */
export function buildCreated(
  change: Partial<TaskEventData["created"]> = {},
): TaskEventData["created"] {
  return {
    task: "Compare the penguins",
    teamId: null,
    choice: ADA,
    priority: "medium",
    deadline: null,
    deliverables: ["summary"],
    context: {},
    budget: null,
    estimatedCompletion: T0 + 5 * SECOND,
    estimatedDurationMs: 5 * SECOND,
    createdBy: "root",
    fingerprint: "f",
    ...change,
  };
}

/** Settings of agents that start work in different ways. */
export const UNQUEUED = BUILTIN_TERMS;
export const QUEUED: AgentTerms = { ...BUILTIN_TERMS, maxConcurrentTasks: 2 };
export const MODEL: AgentTerms = { ...BUILTIN_TERMS, executor: "model" };
export const WORKER: AgentTerms = { ...BUILTIN_TERMS, executor: "worker" };

/** A worker's first lease. */
export const GRANT: LeaseGrant = {
  token: "lease-1",
  worker: "laptop",
  seconds: 60,
  keyId: "0123456789abcdef",
};

/** The simplest form of each report. */
export const REPORTS = {
  heartbeat: { type: "heartbeat" },
  progress: { type: "progress", progress: 20, phase: "reading", work: null },
  blocked: { type: "blocked", kind: "input", question: "Which year?", work: null },
  review: { type: "review", result: OUTCOME.result, quality: null },
  completed: { type: "completed", result: OUTCOME.result, quality: null },
  failed: { type: "failed", message: "It broke.", retryable: true, details: null },
  released: { type: "released", reason: null, work: null },
  file: {
    type: "file",
    file: {
      type: "report",
      name: "report.md",
      format: "text/markdown",
      size: 9,
      key: "tasks/x/1.0/report.md",
      createdAt: T0,
      sha256: "00ff",
    },
  },
} satisfies Record<string, WorkerReport>;

/** Builds the command for a report with this lease token. */
export function reportOf(report: WorkerReport, token = GRANT.token) {
  return toReportCommand(token, report);
}

/** The simplest form of each command, sent for the task's first attempt or lease. */
export const COMMANDS = {
  create: { type: "create", data: buildCreated() },
  assign: { type: "assign", choice: ADA, terms: UNQUEUED },
  start: { type: "start" },
  decline: { type: "decline", reason: "not enabled" },
  admit: { type: "admit", agentId: "ada", grant: null },
  release: { type: "release", agentId: "ada", reason: "disabled" },
  endLease: { type: "endLease", keyId: "0123456789abcdef" },
  hold: { type: "hold", attempt: 1, work: {} },
  reportHeartbeat: reportOf(REPORTS.heartbeat),
  reportProgress: reportOf(REPORTS.progress),
  reportBlocked: reportOf(REPORTS.blocked),
  reportReview: reportOf(REPORTS.review),
  reportCompleted: reportOf(REPORTS.completed),
  reportFailed: reportOf(REPORTS.failed),
  reportReleased: reportOf(REPORTS.released),
  reportFile: reportOf(REPORTS.file),
  progress: {
    type: "progress",
    attempt: 1,
    data: { progress: 20, phase: "gathering", calls: [], work: {} },
  },
  block: {
    type: "block",
    attempt: 1,
    data: { kind: "input", question: "Which year?", calls: [], work: {} },
  },
  requestApproval: {
    type: "requestApproval",
    attempt: 1,
    data: { approvalId: "approval", toolId: "t", capability: "c", sha256: "0" },
  },
  settleApproval: {
    type: "settleApproval",
    settlement: { approvalId: "approval", status: "denied", message: "No.", result: null },
  },
  spend: {
    type: "spend",
    calls: [{ toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true }],
  },
  respond: { type: "respond", response: "2009" },
  submit: { type: "submit", attempt: 1, outcome: OUTCOME, calls: [] },
  complete: { type: "complete", attempt: 1, outcome: OUTCOME, calls: [] },
  approve: { type: "review", decision: "approve", comment: null },
  requestChanges: { type: "review", decision: "request_changes", comment: "Shorter." },
  reject: { type: "review", decision: "reject", comment: null },
  fail: { type: "fail", attempt: 1, error: AGENT_ERROR, calls: [] },
  cancel: { type: "cancel", reason: null },
  retry: { type: "retry", attempt: 1, reassign: false, choice: ADA, context: null },
  update: { type: "update", change: { priority: "high" } },
  rate: { type: "rate", feedback: { rating: 4 } },
  expire: { type: "expire", jitter: 0 },
} satisfies Record<string, TaskCommand>;

const COMMANDS_TO_START = [COMMANDS.create, COMMANDS.assign, COMMANDS.start];

/** The shortest sequence of commands that leads to each status, for an agent without a queue. */
export const COMMANDS_TO: Readonly<Record<TaskStatus, readonly TaskCommand[]>> = {
  pending: [COMMANDS.create],
  assigned: [COMMANDS.create, COMMANDS.assign],
  in_progress: COMMANDS_TO_START,
  blocked: [...COMMANDS_TO_START, COMMANDS.block],
  review: [...COMMANDS_TO_START, COMMANDS.submit],
  completed: [...COMMANDS_TO_START, COMMANDS.complete],
  failed: [...COMMANDS_TO_START, COMMANDS.fail],
  cancelled: [COMMANDS.create, COMMANDS.cancel],
};

const COMMANDS_TO_SLOT: readonly TaskCommand[] = [
  COMMANDS.create,
  { ...COMMANDS.assign, terms: QUEUED },
  COMMANDS.admit,
];

/** The sequence that leads to each status, for an agent whose tasks wait for a slot. */
export const QUEUED_COMMANDS_TO: Readonly<Record<TaskStatus, readonly TaskCommand[]>> = {
  pending: [COMMANDS.create],
  assigned: COMMANDS_TO_SLOT.slice(0, 2),
  in_progress: COMMANDS_TO_SLOT,
  blocked: [...COMMANDS_TO_SLOT, COMMANDS.block],
  review: [...COMMANDS_TO_SLOT, COMMANDS.submit],
  completed: [...COMMANDS_TO_SLOT, COMMANDS.complete],
  failed: [...COMMANDS_TO_SLOT, COMMANDS.fail],
  cancelled: [...COMMANDS_TO_SLOT, COMMANDS.cancel],
};

const TO_LEASE: readonly TaskCommand[] = [
  COMMANDS.create,
  { ...COMMANDS.assign, terms: WORKER },
  { ...COMMANDS.admit, grant: GRANT },
];

/** The sequence that leads to each status, for an agent whose tasks are claimed by workers. */
export const WORKER_COMMANDS_TO: Readonly<Record<TaskStatus, readonly TaskCommand[]>> = {
  pending: [COMMANDS.create],
  assigned: TO_LEASE.slice(0, 2),
  in_progress: TO_LEASE,
  blocked: [...TO_LEASE, COMMANDS.reportBlocked],
  review: [...TO_LEASE, COMMANDS.reportReview],
  completed: [...TO_LEASE, COMMANDS.reportCompleted],
  failed: [...TO_LEASE, COMMANDS.reportFailed],
  cancelled: [...TO_LEASE, COMMANDS.cancel],
};

/**
 * Returns the task that results from valid commands, the first at T0. Throws if a command is
 * rejected.
 */
export function taskAfter(...commands: readonly TaskCommand[]): Task {
  let task: Task | null = null;
  for (const [index, command] of commands.entries()) {
    const now: number = T0 + index * SECOND;
    const decided = decide(task, command, now);
    if (!decided.ok) throw new Error(`${command.type}: ${JSON.stringify(decided.failure)}`);
    for (const one of numberEvents(decided.value, task?.seq ?? 0, () => now))
      task = applyEvent(task, one);
  }
  if (task === null) throw new Error("No command was given");
  return task;
}

/** Returns the events of a command. Throws if the command is rejected. */
export function decidedEvents(task: Task, command: TaskCommand, now: number): NewTaskEvent[] {
  const decided = decide(task, command, now);
  if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
  return decided.value;
}

/** Returns the failure of a command. Throws if the command is accepted. */
export function decidedFailure(task: Task, command: TaskCommand, now: number): Failure {
  const decided = decide(task, command, now);
  if (decided.ok) throw new Error(`Expected a failure, got ${JSON.stringify(decided.value)}`);
  return decided.failure;
}

/** Returns the task after one more command, at `now`. */
export function applyCommand(task: Task, command: TaskCommand, now: number): Task {
  return numberEvents(decidedEvents(task, command, now), task.seq, () => now).reduce(
    applyEvent,
    task,
  );
}

/** Returns the task after these reports, all at `now`. */
export function applyReports(task: Task, now: number, ...reports: readonly TaskCommand[]): Task {
  return reports.reduce((before, report) => applyCommand(before, report, now), task);
}

/** Folds these events, the first at T0, whether or not `decide` could produce them. */
export function foldEvents(...events: readonly NewTaskEvent[]): Task {
  const task = fold(numberEvents(events, 0, (index) => T0 + index * SECOND));
  if (task === null) throw new Error("No event was given");
  return task;
}

/** Builds an event of this type. */
export function newEvent<Type extends TaskEventType>(
  type: Type,
  data: TaskEventData[Type],
): { type: Type; data: TaskEventData[Type] } {
  return { type, data };
}

/** Numbers events from `lastSeq` + 1. */
export function numberEvents(
  events: readonly NewTaskEvent[],
  lastSeq: number,
  at: (index: number) => number,
): TaskEvent[] {
  return events.map((one, index) => ({ ...one, seq: lastSeq + index + 1, at: at(index) }));
}
