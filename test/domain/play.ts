import type { EventData, EventType, NewEvent, TaskEvent } from "../../src/domain/events.ts";
import { apply, fold } from "../../src/domain/fold.ts";
import type { Choice, Outcome, Task, TaskError, TaskStatus } from "../../src/domain/task.ts";
import type { Command } from "../../src/domain/commands.ts";
import { decide } from "../../src/domain/transitions.ts";

/** The first moment of every played task; each command or event comes a second after the one before. */
export const T0 = Date.UTC(2030, 0, 1);
export const SECOND = 1_000;

export const ADA = choice("ada");
export const BOB = choice("bob");

export const OUTCOME: Outcome = {
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

export function choice(agentId: string): Choice {
  const agentName = agentId.toUpperCase();
  return { agentId, agentName, reasons: ["asked for by name"], candidates: [] };
}

/** What a plain task is created with: agent ada, no deadline, no budget. */
export function createdWith(change: Partial<EventData["created"]> = {}): EventData["created"] {
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

/** Each command in its plainest form, as an attempt's first holder of the task would give it. */
export const COMMANDS = {
  create: { type: "create", data: createdWith() },
  assign: { type: "assign", choice: ADA },
  start: { type: "start" },
  decline: { type: "decline", reason: "not enabled" },
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
  spend: {
    type: "spend",
    call: { toolId: "t", capability: "c", cost: 0.5, durationMs: 1, ok: true },
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
  tick: { type: "tick" },
} satisfies Record<string, Command>;

const TO_WORK = [COMMANDS.create, COMMANDS.assign, COMMANDS.start];

/** The shortest way into each status. */
export const WAY_TO: Readonly<Record<TaskStatus, readonly Command[]>> = {
  pending: [COMMANDS.create],
  assigned: [COMMANDS.create, COMMANDS.assign],
  in_progress: TO_WORK,
  blocked: [...TO_WORK, COMMANDS.block],
  review: [...TO_WORK, COMMANDS.submit],
  completed: [...TO_WORK, COMMANDS.complete],
  failed: [...TO_WORK, COMMANDS.fail],
  cancelled: [COMMANDS.create, COMMANDS.cancel],
};

/** The task after legal commands, the first at T0; a refused one is a mistake of the test. */
export function after(...commands: readonly Command[]): Task {
  let task: Task | null = null;
  for (const [index, command] of commands.entries()) {
    const now: number = T0 + index * SECOND;
    const decided = decide(task, command, now);
    if (!decided.ok) throw new Error(`${command.type}: ${JSON.stringify(decided.failure)}`);
    for (const one of placed(decided.value, task?.seq ?? 0, () => now)) task = apply(task, one);
  }
  if (task === null) throw new Error("nothing was played");
  return task;
}

/** The task that these events tell, the first at T0, whether or not `decide` would make them. */
export function told(...events: readonly NewEvent[]): Task {
  const task = fold(placed(events, 0, (index) => T0 + index * SECOND));
  if (task === null) throw new Error("nothing was told");
  return task;
}

/** One event of a type. */
export function event<Type extends EventType>(
  type: Type,
  data: EventData[Type],
): { type: Type; data: EventData[Type] } {
  return { type, data };
}

/** Events at their places behind `lastSeq`. */
export function placed(
  events: readonly NewEvent[],
  lastSeq: number,
  at: (index: number) => number,
): TaskEvent[] {
  return events.map((one, index) => ({ ...one, seq: lastSeq + index + 1, at: at(index) }));
}
