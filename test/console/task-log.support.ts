import type { TaskEvent } from "../../console/src/tasks/detail/task-log.ts";
import type { Rng } from "../support/rng.ts";

type DataOf<Type extends TaskEvent["type"]> = Extract<TaskEvent, { type: Type }>["data"];

const CHOICE = { agentId: "analyst", agentName: "Analyst", reasons: ["requested by the client"] };
const RESULT = { summary: "42 rows", insights: [], recommendations: [] };
const ERROR = { code: "TOOL_ERROR", message: "The tool failed.", retryable: true } as const;

/** Example data of every type of event. */
export const EVENT_DATA: { readonly [Type in TaskEvent["type"]]: DataOf<Type> } = {
  created: {
    task: "Count the rows",
    teamId: null,
    choice: CHOICE,
    priority: "medium",
    deadline: null,
    deliverables: [],
    budget: null,
    estimatedCompletion: "2026-11-27T10:00:03.000Z",
    estimatedDurationMs: 3_000,
    createdBy: "root",
  },
  assigned: CHOICE,
  declined: { agentId: "analyst", reason: "no slot" },
  started: { agentId: "analyst" },
  resumed: { agentId: "analyst" },
  progressed: { progress: 40, phase: "analysing", calls: [] },
  blocked: { kind: "input", question: "Which period?", calls: [] },
  call_stored: { approvalId: "a", toolId: "bank", capability: "transfer", sha256: "0".repeat(64) },
  call_settled: { approvalId: "a", status: "denied", message: "A person denied the call." },
  responded: { response: "All 40 days" },
  submitted: { result: RESULT, quality: null, deliverables: [], calls: [] },
  approved: { comment: "Good" },
  changes_requested: { comment: "Shorter" },
  completed: { result: RESULT, quality: null, deliverables: [], calls: [] },
  failed: { error: ERROR, calls: [] },
  cancelled: { reason: "Not needed" },
  retried: { attempt: 2, reassign: false, choice: CHOICE },
  updated: { priority: "high", notes: "Soon" },
  rated: { rating: 4, feedback: "Fine" },
};

export function eventOf<Type extends TaskEvent["type"]>(
  type: Type,
  data: DataOf<Type>,
  { seq = 1, at = "2026-11-27T10:00:00.000Z" } = {},
) {
  return { seq, type, at, data };
}

/** A random log: any legal and illegal order of events after `created`, with times from equal to days apart. */
export function randomLog(rng: Rng, length: number): readonly TaskEvent[] {
  let atMs = Date.parse("2026-11-27T10:00:00.000Z");
  return Array.from({ length }, (_, index): TaskEvent => {
    atMs += rng.pick([0, 1, 500, 3_000, 60_000, 7_200_000, 86_400_000]) * rng.below(3);
    const where = { seq: index + 1, at: new Date(atMs).toISOString() };
    if (index === 0) return eventOf("created", EVENT_DATA.created, where);
    const calls = Array.from({ length: rng.below(4) }, () => ({
      toolId: "table-analyst",
      capability: "profile",
      cost: 0,
      durationMs: rng.pick([0, 3, 900, 50_000]),
      ok: !rng.oneIn(4),
    }));
    switch (rng.below(12)) {
      case 0:
        return eventOf("assigned", EVENT_DATA.assigned, where);
      case 1:
      case 2:
        return eventOf("started", EVENT_DATA.started, where);
      case 3:
        return eventOf("blocked", { ...EVENT_DATA.blocked, calls }, where);
      case 4:
        return eventOf("responded", EVENT_DATA.responded, where);
      case 5:
        return eventOf("submitted", { ...EVENT_DATA.submitted, calls }, where);
      case 6:
        return eventOf("failed", { ...EVENT_DATA.failed, calls }, where);
      case 7:
        return eventOf("retried", EVENT_DATA.retried, where);
      case 8:
        return eventOf("progressed", { ...EVENT_DATA.progressed, calls, outside: true }, where);
      case 9:
        return eventOf("declined", { ...EVENT_DATA.declined, released: true }, where);
      default:
        return eventOf("progressed", { ...EVENT_DATA.progressed, calls }, where);
    }
  });
}
