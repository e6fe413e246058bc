import type { DirectoryRow } from "../../src/tasks/model/listing.ts";
import {
  leaseExpiresAt,
  expiresAt,
  nextAlarmAt,
  readTaskTiming,
} from "../../src/tasks/model/schedule.ts";
import { computeFeedRetryMs } from "../../src/events/model/feed.ts";
import { OUTBOX_RETRY_MS } from "../../src/tasks/limits.ts";
import { slotOf, isTerminal, type Task } from "../../src/tasks/model/task.ts";
import { toDirectoryRow, ratingOf } from "../../src/tasks/directory/directory.store.ts";
import type { SimulatedObject } from "./simulated-object.ts";
import { readSideState, readLog, readTask } from "./stored-state.ts";
import type { SimulatedPlatform } from "./platform.ts";

const ROWS = new WeakMap<Task, DirectoryRow>();
const COLUMNS = [
  "seq",
  "status",
  "task",
  "agentId",
  "agentName",
  "teamId",
  "priority",
  "deadline",
  "attempt",
  "rating",
  "createdAt",
  "startedAt",
  "endedAt",
  "keyId",
  "storedBytes",
] as const satisfies readonly (keyof DirectoryRow)[];

/**
 * Returns what is wrong with an idle task's alarm, or null. Pending work needs an alarm that is
 * early enough.
 */
export function findAlarmProblem(
  platform: SimulatedPlatform,
  object: SimulatedObject,
): string | null {
  const { disk } = object;
  const task = readTask(disk);
  if (task === null) return null;
  const { now } = platform.clock;
  const at = object.wakesAt;
  const pendingUpdate = findOtherPendingUpdate(platform, object, task);
  if (pendingUpdate !== null && at > now + OUTBOX_RETRY_MS)
    return `${pendingUpdate}, but the task wakes only at ${at}`;
  const unpublished = findUnpublishedEvent(platform, object);
  if (unpublished !== null && at > now + computeFeedRetryMs(now - task.updatedAt)) {
    return `${unpublished}, but the task wakes only at ${at}`;
  }
  const limitAt = Math.min(expiresAt(task) ?? Infinity, leaseExpiresAt(task) ?? Infinity);
  if (at > Math.max(now, limitAt))
    return `a limit ends at ${limitAt}, but the task wakes only at ${at}`;
  // During an outage, tasks take no steps, and ended tasks are not deleted.
  const isInOutage = disk.kv.has("faultSince");
  const wakesAt = nextAlarmAt(
    task,
    readSideState(disk).get("turn"),
    readTaskTiming(platform.env),
    now,
  );
  const deletionMs = isTerminal(task.status) ? computeFeedRetryMs(now - (wakesAt ?? now)) : 0;
  const pauseMs = isInOutage ? Number.MAX_VALUE : deletionMs;
  if (wakesAt !== null && at > Math.max(now + pauseMs, wakesAt)) {
    return `work is due at ${wakesAt}, but the task wakes at ${at}`;
  }
  return null;
}

/** Describes an event of the task that the feed does not have. Returns null if there is none. */
export function findUnpublishedEvent(
  platform: SimulatedPlatform,
  object: SimulatedObject,
): string | null {
  const fed = platform.fed();
  const unpublished = readLog(object.disk).find(({ seq }) => !fed.has(`${object.name}.${seq}`));
  return unpublished === undefined ? null : `the feed does not have event ${unpublished.seq}`;
}

/**
 * Describes an update that the directory, a queue or a remote agent still needs, or returns null.
 */
function findOtherPendingUpdate(
  platform: SimulatedPlatform,
  object: SimulatedObject,
  task: Task,
): string | null {
  for (const [shard, { directory }] of platform.shards.entries()) {
    const row = directory.get(object.name);
    if (shard !== task.shard && row !== undefined) return `there is also a row in shard ${shard}`;
    if (shard !== task.shard) continue;
    if (!isSame(task, rowFor(object.name, task), row)) return "the directory row is outdated";
  }
  const rated = task.shard === 0 ? null : ratingOf(rowFor(object.name, task));
  const counted = platform.tables.ratedElsewhere.get(object.name);
  if (rated !== null && rated.seq !== counted?.seq) return "its rating is not counted";
  // A waiting task must be in its agent's queue, even if it is about to get a slot.
  const isQueued = queueEntriesOf(platform, object.name).some(
    ({ agentId }) => agentId === task.agentId,
  );
  if (slotOf(task) === "queued" && !isQueued)
    return "the queue does not know that the task is waiting";
  if (readSideState(object.disk).get("abandoned") !== null)
    return "abandoned work was not cancelled";
  return null;
}

/** Describes an update that another object or a database still needs, or returns null. */
export function findPendingUpdate(
  platform: SimulatedPlatform,
  object: SimulatedObject,
  task: Task,
): string | null {
  return findOtherPendingUpdate(platform, object, task) ?? findUnpublishedEvent(platform, object);
}

/** Returns the task's entries in all agents' queues. */
export function queueEntriesOf(
  platform: SimulatedPlatform,
  taskId: string,
): { agentId: string; isRunning: boolean }[] {
  return [...platform.queues].flatMap(([agentId, { disk }]) => {
    const entry = disk.tables.get("entries")?.get(taskId);
    return entry === undefined ? [] : [{ agentId, isRunning: entry["is_running"] === 1 }];
  });
}

/** Returns the row that a task should have. Rows are cached, because tasks are immutable. */
function rowFor(id: string, task: Task): DirectoryRow {
  const known = ROWS.get(task);
  if (known !== undefined) return known;
  const row = toDirectoryRow(id, task, () => 0);
  ROWS.set(task, row);
  return row;
}

/** Progress events after the row was written can have changed the details that the task would have. */
function isSame(task: Task, row: DirectoryRow, other: DirectoryRow | undefined): boolean {
  if (other === undefined || COLUMNS.some((column) => row[column] !== other[column])) return false;
  return task.seq > row.seq || row.details === other.details;
}
