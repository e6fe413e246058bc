import type { DirectoryRow } from "../../src/tasks/model/listing.ts";
import {
  leaseExpiresAt,
  expiresAt,
  nextAlarmAt,
  readTaskTiming,
} from "../../src/tasks/model/schedule.ts";
import { computeFeedRetryMs } from "../../src/events/model/feed.ts";
import { PROJECTION_RETRY_MS } from "../../src/tasks/limits.ts";
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

/** What is wrong with the alarm of a task at rest, or null: whatever is owed must wake it in time. */
export function findAlarmProblem(
  platform: SimulatedPlatform,
  object: SimulatedObject,
): string | null {
  const { disk } = object;
  const task = readTask(disk);
  if (task === null) return null;
  const { now } = platform.clock;
  const at = object.wakesAt;
  const word = othersOwed(platform, object, task);
  if (word !== null && at > now + PROJECTION_RETRY_MS) return `${word}, and wakes at ${at}`;
  const untold = findUnpublishedEvent(platform, object);
  if (untold !== null && at > now + computeFeedRetryMs(now - task.updatedAt)) {
    return `${untold}, and wakes at ${at}`;
  }
  const ticksAt = Math.min(expiresAt(task) ?? Infinity, leaseExpiresAt(task) ?? Infinity);
  if (at > Math.max(now, ticksAt)) return `a limit ends at ${ticksAt}, and it wakes at ${at}`;
  // In a spell of faults the work pauses, and so does the deletion of what has ended.
  const isIll = disk.kv.has("faultSince");
  const wakesAt = nextAlarmAt(
    task,
    readSideState(disk).get("turn"),
    readTaskTiming(platform.env),
    now,
  );
  const deletionMs = isTerminal(task.status) ? computeFeedRetryMs(now - (wakesAt ?? now)) : 0;
  const pauseMs = isIll ? Number.MAX_VALUE : deletionMs;
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
  const untold = readLog(object.disk).find(({ seq }) => !fed.has(`${object.name}.${seq}`));
  return untold === undefined ? null : `the feed lacks event ${untold.seq}`;
}

/** What is not yet published to the directory, a queue or a turn, or null. */
function othersOwed(
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
  // A queue may take it for one that it gives a place to at this moment.
  const stands = queueEntriesOf(platform, object.name).some(
    ({ agentId }) => agentId === task.agentId,
  );
  if (slotOf(task) === "queued" && !stands) return "the queue does not know that it waits";
  if (readSideState(object.disk).get("abandoned") !== null)
    return "work elsewhere was not called off";
  return null;
}

/** Why another object does not know the latest state of the task; null if all do. */
export function findPendingUpdate(
  platform: SimulatedPlatform,
  object: SimulatedObject,
  task: Task,
): string | null {
  return othersOwed(platform, object, task) ?? findUnpublishedEvent(platform, object);
}

/** Where the task stands in the agents' queues. */
export function queueEntriesOf(
  platform: SimulatedPlatform,
  taskId: string,
): { agentId: string; isRunning: boolean }[] {
  return [...platform.queues].flatMap(([agentId, { disk }]) => {
    const entry = disk.tables.get("entries")?.get(taskId);
    return entry === undefined ? [] : [{ agentId, isRunning: entry["is_running"] === 1 }];
  });
}

/** The row that a task should have; tasks never change, so it is made once. */
function rowFor(id: string, task: Task): DirectoryRow {
  const known = ROWS.get(task);
  if (known !== undefined) return known;
  const row = toDirectoryRow(id, task, 0);
  ROWS.set(task, row);
  return row;
}

function isSame(row: DirectoryRow, other: DirectoryRow | undefined): boolean {
  return other !== undefined && COLUMNS.every((column) => row[column] === other[column]);
}
