import { hasQueue } from "../../agents/model/agent.ts";
import type { TaskEvent } from "./events.ts";
import type { Task } from "./task.ts";

/** How a task stands with its agent's queue: it waits there, has one of the places, or is not in it. */
export type TaskSlot = "waiting" | "held" | "none";

export function slotOf(task: Task): TaskSlot {
  if (!hasQueue(task.terms)) return "none";
  if (task.status === "assigned") return "waiting";
  if (task.status !== "in_progress") return "none";
  return isActive(task) ? "held" : "waiting";
}

/** Whether the agent works on the task now: it does not while it waits for people or for a place. */
export function isActive(task: Task): boolean {
  return task.status === "in_progress" && task.workStartSeq > 0;
}

/** Whether the agent's queue should hear of an event: what is waited for, and how urgently. */
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
