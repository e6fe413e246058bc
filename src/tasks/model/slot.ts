import { hasQueue } from "../../agents/model/agent.ts";
import type { TaskEvent } from "./events.ts";
import { type Task, workStartSeqOf } from "./task.ts";

/** The task's place in its agent's queue: it has a slot, waits for one, or is not in the queue. */
export type TaskSlot = "queued" | "active" | "none";

export function slotOf(task: Task): TaskSlot {
  if (!hasQueue(task.terms)) return "none";
  if (task.status === "assigned") return "queued";
  if (task.status !== "in_progress") return "none";
  return isActive(task) ? "active" : "queued";
}

/** Whether the agent works on the task now: it does not while it waits for a person or a slot. */
export function isActive(task: Task): boolean {
  return workStartSeqOf(task) > 0;
}

/** Whether an event changes what the agent's queue stores about the task. */
export function affectsQueue(event: TaskEvent): boolean {
  switch (event.type) {
    case "progressed":
    case "approved":
    case "rated":
      return false;
    case "updated":
      return event.data.priority !== undefined || event.data.deadline !== undefined;
    default:
      return true;
  }
}
