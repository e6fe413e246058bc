import { QUEUE_AGE_LEVEL_MS } from "../limits.ts";
import { PRIORITIES, type Priority } from "../../tasks/model/task.ts";

/**
 * A task in its agent's queue. `seq` is the log event that enqueued it; an older event never replaces a newer one.
 * Times are in milliseconds since 1970.
 */
export interface QueueEntry {
  readonly taskId: string;
  readonly seq: number;
  readonly priority: Priority;
  readonly deadline: number | null;
  /** When the task started waiting; after a review, its creation time. */
  readonly since: number;
  /** Whether the task occupies one of the agent's slots. */
  readonly isRunning: boolean;
}

/**
 * A waiting task's urgency: its priority (0 to 3) plus one for every ten minutes of waiting, without an upper bound.
 * After 40 minutes, even the lowest priority outranks all new tasks, so no task starves.
 */
export function urgencyOf({ priority, since }: QueueEntry, now: number): number {
  return PRIORITIES.indexOf(priority) + Math.floor(Math.max(0, now - since) / QUEUE_AGE_LEVEL_MS);
}

/** Queue order: urgency, then earlier deadline, then longer wait, then id, so that no two tasks are equal. */
export function compareQueueEntries(a: QueueEntry, b: QueueEntry, now: number): number {
  return (
    urgencyOf(b, now) - urgencyOf(a, now) ||
    compare(a.deadline ?? Infinity, b.deadline ?? Infinity) ||
    a.since - b.since ||
    compare(a.taskId, b.taskId)
  );
}

/** The first of these waiting tasks in queue order; null if there are none. */
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
