import { isDeepStrictEqual } from "node:util";
import type { TaskEvent } from "../../../../src/tasks/model/events.ts";
import { fold } from "../../../../src/tasks/model/fold.ts";
import { CONTEXT_BYTES_MAX } from "../../../../src/tasks/limits.ts";
import type { Task } from "../../../../src/tasks/model/task.ts";
import { ensure } from "./property.ts";

/** Returns the log as the object reads it: converted to JSON and back. */
function serializeLog(log: readonly TaskEvent[]): TaskEvent[] {
  return log.map((event) => JSON.parse(JSON.stringify(event)));
}

/** Asserts that replaying the log results in the same task. */
export function ensureReplay(log: readonly TaskEvent[], task: Task): void {
  const replayed = fold(serializeLog(log));
  ensure(isDeepStrictEqual(replayed, task), () => {
    return `replaying gave ${JSON.stringify(replayed)}, not ${JSON.stringify(task)}`;
  });
}

/** Asserts that a task stays within its limits, whatever data it receives. */
export function ensureBounded({ context, work, answers }: Task): void {
  for (const held of [context, work, answers.map(({ response }) => response)]) {
    const bytes = Buffer.byteLength(JSON.stringify(held));
    // Answers are measured one by one, without the brackets and commas of their list.
    ensure(bytes <= CONTEXT_BYTES_MAX + 1_000, () => `it has ${bytes} bytes`);
  }
}
