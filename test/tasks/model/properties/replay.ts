import { isDeepStrictEqual } from "node:util";
import type { TaskEvent } from "../../../../src/tasks/model/events.ts";
import { fold } from "../../../../src/tasks/model/fold.ts";
import { CONTEXT_BYTES_MAX } from "../../../../src/tasks/limits.ts";
import type { Task } from "../../../../src/tasks/model/task.ts";
import { ensure } from "./property.ts";

/** The log as its object reads it back: each event's data is one text, and parsed on its own. */
function serializeLog(log: readonly TaskEvent[]): TaskEvent[] {
  return log.map((event) => JSON.parse(JSON.stringify(event)));
}

/** Replaying the stored log gives the very state that was lived. */
export function ensureReplay(log: readonly TaskEvent[], task: Task): void {
  const replayed = fold(serializeLog(log));
  ensure(isDeepStrictEqual(replayed, task), () => {
    return `replayed ${JSON.stringify(replayed)}, lived ${JSON.stringify(task)}`;
  });
}

/** However much it is given, a task holds no more than its limits. */
export function ensureBounded({ context, work, answers }: Task): void {
  for (const held of [context, work, answers.map(({ response }) => response)]) {
    const bytes = Buffer.byteLength(JSON.stringify(held));
    // Answers are measured one by one: without the brackets and commas of their list.
    ensure(bytes <= CONTEXT_BYTES_MAX + 1_000, () => `it holds ${bytes} bytes`);
  }
}
