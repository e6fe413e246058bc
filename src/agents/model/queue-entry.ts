import { QUEUE_AGE_LEVEL_MS } from "../limits.ts";
import { PRIORITIES, type Priority } from "../../tasks/model/task.ts";

/**
 * A task in its agent's queue. `seq` is the event of its log that enqueued it: an older event never replaces a newer
 * one. Instants in milliseconds since 1970.
 */
export interface QueueEntry {
  readonly taskId: string;
  readonly seq: number;
  readonly priority: Priority;
  readonly deadline: number | null;
  /** When the task began to wait; after a review, the time of its creation. */
  readonly since: number;
  /** Whether the task has a slot of the agent. */
  readonly isRunning: boolean;
}

/**
 * The urgency of a waiting task: its priority (0 to 3) plus one for each ten minutes of waiting, without an upper
 * bound. After 40 minutes the lowest priority outranks all new tasks, so no task starves.
 */
export function urgencyOf({ priority, since }: QueueEntry, now: number): number {
  return PRIORITIES.indexOf(priority) + Math.floor(Math.max(0, now - since) / QUEUE_AGE_LEVEL_MS);
}

/** The order of a queue: urgency, then earlier deadline, then longer wait, then id, so that no two tasks are equal. */
export function compareQueueEntries(a: QueueEntry, b: QueueEntry, now: number): number {
  return (
    urgencyOf(b, now) - urgencyOf(a, now) ||
    compare(a.deadline ?? Infinity, b.deadline ?? Infinity) ||
    a.since - b.since ||
    compare(a.taskId, b.taskId)
  );
}

/** The first of these waiting tasks in the order of the queue; null if there are none. */
export function findNextEntry<Entry extends QueueEntry>(
  waiting: Iterable<Entry>,
  now: number,
): Entry | null {
  let first: Entry | null = null;
  for (const entry of waiting) {
    if (first === null || compareQueueEntries(entry, first, now) < 0) first = entry;
  }
  return first;
}

function compare<Value extends number | string>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
