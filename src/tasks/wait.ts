import type { Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { isAwaitingAgent, type Task } from "../domain/task.ts";
import type { TaskEvent } from "../domain/events.ts";
import { applyNext } from "../domain/fold.ts";
import { KEY_ENDED } from "../keys/watch.ts";
import { followTask, type Follower } from "./follow.ts";
import { taskOf } from "./port.ts";

/**
 * Reads a task at once if it has ended or waits for people; otherwise when its status changes or after
 * `waitMs`. The wait takes place in the Worker, so the task's object hibernates.
 */
export async function awaitStatusChange(
  env: Pick<Env, "TASKS" | "DB">,
  taskId: string,
  viewer: Follower,
  waitMs: number,
  signal: AbortSignal,
): Promise<Result<Task, Failure>> {
  const port = taskOf(env.TASKS, taskId);
  if (!port.ok || waitMs === 0) return port.ok ? port.value.read(viewer) : port;
  const isOver = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const following = await followTask(env, taskId, viewer, null, isOver);
  if (!following.ok) return following;
  const { task: before, events } = following.value;
  if (!isAwaitingAgent(before.status)) return ok(before);
  const changed = await untilStatusChange(before, events, () => port.value.read(viewer));
  if (!changed.ok) return changed;
  if (following.value.hasKeyEnded()) return fail(KEY_ENDED);
  // Read again: a lease, a deadline or the viewer's access may have changed.
  return port.value.read(viewer);
}

/** Waits until the status differs or the events end. If events are missing, reads the task again with `read`. */
export async function untilStatusChange(
  before: Task,
  events: AsyncIterable<TaskEvent | null>,
  read: () => Promise<Result<Task, Failure>>,
): Promise<Result<Task, Failure>> {
  let task = before;
  for await (const event of events) {
    // A task that was read again may already include the event.
    if (event === null || event.seq <= task.seq) continue;
    const next = applyNext(task, event);
    const known = next === null ? await read() : ok(next);
    if (!known.ok) return known;
    task = known.value;
    if (task.status !== before.status) break;
  }
  return ok(task);
}
