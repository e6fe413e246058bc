import type { Task } from "../model/task.ts";

/** A system outside the object that must learn of changes of the task. */
export interface OutboxTarget {
  /** Whether the target may lack a change of the task. A new instance does not know, and publishes again. */
  isBehind(task: Task): boolean;
  /** Sends what the target lacks. If this fails, the target stays behind. */
  publish(task: Task): Promise<void>;
}
