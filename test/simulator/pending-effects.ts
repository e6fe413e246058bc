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

/** The problem of an idle task's alarm, or null. Pending work must have an alarm that is early enough. */
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
    return `${pendingUpdate}, and wakes at ${at}`;
  const unpublished = findUnpublishedEvent(platform, object);
  if (unpublished !== null && at > now + computeFeedRetryMs(now - task.updatedAt)) {
    return `${unpublished}, and wakes at ${at}`;
  }
  const limitAt = Math.min(expiresAt(task) ?? Infinity, leaseExpiresAt(task) ?? Infinity);
  if (at > Math.max(now, limitAt)) return `a limit ends at ${limitAt}, and it wakes at ${at}`;
  // During an outage, work and the deletion of ended tasks pause.
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
    return `it is due at ${wakesAt} and wakes at ${at}`;
  }
  return null;
}

/** An event of the task that the feed lacks, or null. */
export function findUnpublishedEvent(
  platform: SimulatedPlatform,
  object: SimulatedObject,
): string | null {
  const fed = platform.fed();
  const unpublished = readLog(object.disk).find(({ seq }) => !fed.has(`${object.name}.${seq}`));
  return unpublished === undefined ? null : `the feed lacks event ${unpublished.seq}`;
}

/** What is not yet published to the directory, a queue or a turn, or null. */
function findOtherPendingUpdate(
  platform: SimulatedPlatform,
  object: SimulatedObject,
  task: Task,
): string | null {
  for (const [shard, { directory }] of platform.shards.entries()) {
    const row = directory.get(object.name);
    if (shard !== task.shard && row !== undefined) return `a row lies in shard ${shard} as well`;
    if (shard !== task.shard) continue;
    if (!isSame(rowFor(object.name, task), row)) return "the directory is behind";
  }
  const rated = task.shard === 0 ? null : ratingOf(rowFor(object.name, task));
  const counted = platform.tables.ratedElsewhere.get(object.name);
  if (rated !== null && rated.seq !== counted?.seq) return "its rating is not counted";
  // A queue may treat the task as the one that it is assigning a slot to.
  const isQueued = queueEntriesOf(platform, object.name).some(
    ({ agentId }) => agentId === task.agentId,
  );
  if (slotOf(task) === "queued" && !isQueued) return "the queue does not know that it waits";
  if (readSideState(object.disk).get("abandoned") !== null)
    return "abandoned work was not cancelled";
  return null;
}

/** The pending update of another object, or null. */
export function findPendingUpdate(
  platform: SimulatedPlatform,
  object: SimulatedObject,
  task: Task,
): string | null {
  return findOtherPendingUpdate(platform, object, task) ?? findUnpublishedEvent(platform, object);
}

/** The task's entries in the agents' queues. */
export function queueEntriesOf(
  platform: SimulatedPlatform,
  taskId: string,
): { agentId: string; isRunning: boolean }[] {
  return [...platform.queues].flatMap(([agentId, { disk }]) => {
    const entry = disk.tables.get("entries")?.get(taskId);
    return entry === undefined ? [] : [{ agentId, isRunning: entry["is_running"] === 1 }];
  });
}

/** The row that a task should have, cached because tasks are immutable. */
function rowFor(id: string, task: Task): DirectoryRow {
  const known = ROWS.get(task);
  if (known !== undefined) return known;
  const row = toDirectoryRow(id, task, () => 0);
  ROWS.set(task, row);
  return row;
}

function isSame(row: DirectoryRow, other: DirectoryRow | undefined): boolean {
  return other !== undefined && COLUMNS.every((column) => row[column] === other[column]);
}
