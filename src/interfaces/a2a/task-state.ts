import type { TaskState } from "@a2a-js/sdk";
import { declineCauseOf, type TaskEvent } from "../../tasks/model/events.ts";
import type { TaskBlock, TaskStatus } from "../../tasks/model/task.ts";

/** The A2A 1.0 states that Bosun uses, with their numbers in the protocol's schema. */
const SUBMITTED: TaskState = 1;
const WORKING: TaskState = 2;
const COMPLETED: TaskState = 3;
const FAILED: TaskState = 4;
const CANCELED: TaskState = 5;
const INPUT_REQUIRED: TaskState = 6;
const AUTH_REQUIRED: TaskState = 8;

/** A task or a list row. A list row does not contain a blocked task's question. */
interface StateSource {
  readonly status: TaskStatus;
  readonly blocked?: Pick<TaskBlock, "kind"> | null;
}

/** Never returns TASK_STATE_REJECTED, because a task that no agent accepts fails and can be retried. */
export function a2aStateOf({ status, blocked = null }: StateSource): TaskState {
  if (status !== "blocked") return A2A_STATES[status];
  if (blocked === null) throw new Error("A blocked task must contain its question");
  return blocked.kind === "auth" ? AUTH_REQUIRED : INPUT_REQUIRED;
}

const A2A_STATES: Readonly<Record<Exclude<TaskStatus, "blocked">, TaskState>> = {
  pending: SUBMITTED,
  assigned: SUBMITTED,
  in_progress: WORKING,
  review: INPUT_REQUIRED,
  completed: COMPLETED,
  failed: FAILED,
  cancelled: CANCELED,
};

/** The task statuses to list for a state; null means all. */
export const STATUSES_BY_A2A_STATE: Readonly<Record<TaskState, readonly TaskStatus[] | null>> = {
  0: null,
  [SUBMITTED]: ["pending", "assigned"],
  [WORKING]: ["in_progress"],
  [COMPLETED]: ["completed"],
  [FAILED]: ["failed"],
  [CANCELED]: ["cancelled"],
  [INPUT_REQUIRED]: ["blocked", "review"],
  /** TASK_STATE_REJECTED */
  7: [],
  [AUTH_REQUIRED]: ["blocked"],
  [-1]: [],
};

export function isTerminalState(state: TaskState): boolean {
  return state === COMPLETED || state === FAILED || state === CANCELED;
}

/** Whether a blocking SendMessage returns in this state. */
export function isTerminalOrInterrupted(state: TaskState): boolean {
  return isTerminalState(state) || state === INPUT_REQUIRED || state === AUTH_REQUIRED;
}

/** Whether a stream ends in this state. It stays open while authentication is required (section 7.6.1). */
export function endsStream(state: TaskState): boolean {
  return isTerminalState(state) || state === INPUT_REQUIRED;
}

/** The status update for an event; null if the event is not an A2A update. */
export function statusUpdateOf(event: TaskEvent): { readonly text: string | null } | null {
  switch (event.type) {
    case "created":
    case "started":
    case "responded":
    case "changes_requested":
    case "completed":
      return { text: null };
    case "assigned":
      return { text: `Assigned to ${event.data.agentName}.` };
    case "declined":
      // The task stays with the agent, and continues when one of its workers claims it.
      if (declineCauseOf(event.data) === "returned") return null;
      return { text: `Searching for another agent: ${event.data.reason}` };
    case "progressed": {
      const { progress, phase, outside } = event.data;
      return outside === true ? null : { text: `${progress}%: ${phase}` };
    }
    case "blocked":
      return { text: event.data.question };
    case "submitted":
      return { text: `Waiting for review. ${event.data.result.summary}` };
    case "failed":
      return { text: event.data.error.message };
    case "cancelled":
      return { text: event.data.reason };
    case "retried": {
      const { automatic } = event.data;
      if (automatic === undefined) return { text: null };
      return { text: `Retrying automatically: ${automatic.error.message}` };
    }
    case "call_settled":
      return { text: event.data.message };
    case "call_stored":
    case "resumed":
    case "approved":
    case "updated":
    case "rated":
      return null;
  }
}
