import type { TaskEvent } from "./events.ts";
import { ROOT_KEY_ID } from "../../keys/model/key.ts";
import { STORED_BYTES_UNIT } from "../limits.ts";
import { type Deliverable, outcomeOf, type Task } from "./task.ts";

const ENCODER = new TextEncoder();

/** Whether tasks that a key creates count towards its limits; the root key's tasks do not. */
export function countsTowardsKey(keyId: string): boolean {
  return keyId !== ROOT_KEY_ID;
}

/** The bytes that a task counts for: its log and its files, in whole units. */
export function computeStoredBytes(
  { fileBytes }: Pick<Task, "fileBytes">,
  logBytes: number,
): number {
  return Math.ceil((logBytes + fileBytes) / STORED_BYTES_UNIT) * STORED_BYTES_UNIT;
}

/**
 * Bytes of an event that the directory does not count before the next update of the task's row. `bytes`: the
 * size of the event's data in the log; null if the event is not stored yet.
 */
export function computeUncountedBytes(
  { createdBy }: Pick<Task, "createdBy">,
  event: TaskEvent,
  bytes: number | null,
): number {
  if (event.type !== "progressed" || !countsTowardsKey(createdBy)) return 0;
  return bytes ?? ENCODER.encode(JSON.stringify(event.data)).byteLength;
}

/**
 * Bytes of a task's files in the file store after an event. A file that is replaced in the same round is
 * deleted; files of earlier rounds and attempts are kept until the task is deleted.
 */
export function computeFileBytes(task: Task, event: TaskEvent): number {
  switch (event.type) {
    case "progressed": {
      const { file } = event.data;
      if (file === undefined) return task.fileBytes;
      const replaced = task.files.find(({ name }) => name === file.name);
      const isDeleted = replaced !== undefined && roundOf(replaced) === roundOf(file);
      return task.fileBytes + file.size - (isDeleted ? replaced.size : 0);
    }
    case "submitted":
    case "completed": {
      const known = [...task.files, ...(outcomeOf(task)?.deliverables ?? [])];
      const counted = new Set(known.map(({ key }) => key));
      const added = event.data.deliverables.filter(
        ({ key, heldAt }) => heldAt === undefined && !counted.has(key),
      );
      return added.reduce((bytes, { size }) => bytes + size, task.fileBytes);
    }
    default:
      return task.fileBytes;
  }
}

/** The attempt and round of a file: the third part of `tasks/<task>/<attempt>.<round>/…`. */
function roundOf({ key }: Deliverable): string | undefined {
  return key.split("/", 3)[2];
}
