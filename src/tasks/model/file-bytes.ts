import type { TaskEvent } from "./events.ts";
import { outcomeOf, type Deliverable, type Task } from "./task.ts";

/**
 * The size of a task's files in the file store after an event. A file replaced in the same round is deleted; files of
 * earlier rounds and attempts are kept until the task is deleted.
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
