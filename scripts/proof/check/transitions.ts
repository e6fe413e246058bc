import type { NewTaskEvent, TaskEventType } from "../../../src/tasks/model/events.ts";
import type { TaskStatus } from "../../../src/tasks/model/task.ts";

export const LIVE: readonly TaskStatus[] = [
  "pending",
  "assigned",
  "in_progress",
  "blocked",
  "review",
];

/**
 * The statuses in which each event can occur, and the resulting status. `none` is the status before the first event.
 */
const EVENT_TRANSITIONS: Readonly<
  Record<TaskEventType, Partial<Record<TaskStatus | "none", TaskStatus>>>
> = {
  created: { none: "pending" },
  assigned: { pending: "assigned" },
  // From in_progress only if a worker returns the task, which then waits in the agent's queue.
  declined: { assigned: "pending", in_progress: "in_progress" },
  started: { assigned: "in_progress" },
  resumed: { in_progress: "in_progress" },
  // A call that was running when the task stopped is still recorded with its cost.
  progressed: same(...LIVE),
  blocked: { in_progress: "blocked" },
  call_stored: same("in_progress"),
  // A call of an earlier attempt can be settled after the end. `stateAfter` decides where it leads from blocked.
  call_settled: same(...LIVE, "completed", "failed", "cancelled"),
  responded: { blocked: "in_progress" },
  submitted: { in_progress: "review" },
  approved: { review: "review" },
  changes_requested: { review: "in_progress" },
  completed: { in_progress: "completed", review: "completed" },
  failed: Object.fromEntries(LIVE.map((status) => [status, "failed" as const])),
  cancelled: Object.fromEntries(LIVE.map((status) => [status, "cancelled" as const])),
  // From in_progress only if the task is retried automatically.
  retried: { failed: "pending", in_progress: "pending" },
  updated: same(...LIVE, "failed"),
  rated: { completed: "completed" },
};

/** What decides where the next event leads. `pending`: the calls of the attempt that wait for approval. */
export interface LogState {
  readonly status: TaskStatus | "none";
  readonly pending: readonly string[];
  /** The calls that a blocked task waits for. */
  readonly awaited: readonly string[];
}

export const EMPTY_LOG: LogState = { status: "none", pending: [], awaited: [] };

/** The state after an event; undefined if the event cannot occur in the state before it. */
export function stateAfter(event: NewTaskEvent, before: LogState): LogState | undefined {
  const pending = pendingAfter(event, before.pending);
  if (event.type === "call_settled" && before.status === "blocked") {
    const { awaited } = before;
    const isAwaited = awaited.includes(event.data.approvalId);
    const isLast = isAwaited && !awaited.some((id) => pending.includes(id));
    return isLast ? { status: "in_progress", pending, awaited: [] } : { ...before, pending };
  }
  const status = statusAfter(event, before.status);
  if (status === undefined) return undefined;
  const awaited = event.type === "blocked" ? (event.data.approvalIds ?? []) : before.awaited;
  return { status, pending, awaited: status === "blocked" ? awaited : [] };
}

function pendingAfter(event: NewTaskEvent, pending: readonly string[]): readonly string[] {
  switch (event.type) {
    case "call_stored":
      return [...pending, event.data.approvalId];
    case "call_settled":
      return pending.filter((id) => id !== event.data.approvalId);
    case "retried":
      return [];
    default:
      return pending;
  }
}

function statusAfter(event: NewTaskEvent, before: TaskStatus | "none"): TaskStatus | undefined {
  if (event.type !== "updated" || event.data.choice === undefined) {
    return EVENT_TRANSITIONS[event.type][before];
  }
  // The task is given to another agent, to which it is then assigned.
  return before === "pending" || before === "assigned" ? "pending" : undefined;
}

function same(...statuses: readonly TaskStatus[]): Partial<Record<TaskStatus, TaskStatus>> {
  return Object.fromEntries(statuses.map((status) => [status, status]));
}
