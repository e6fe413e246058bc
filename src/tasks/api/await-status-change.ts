import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { isAwaitingAgent, type Task } from "../model/task.ts";
import type { TaskEvent } from "../model/events.ts";
import { applyIfNext } from "../model/fold.ts";
import { KEY_ENDED_FAILURE } from "../../keys/authenticate.ts";
import { followTask, type TaskFollower } from "./follow-task.ts";
import { taskStub } from "../task.rpc.ts";

/**
 * Returns a task immediately if it has ended or is waiting for people; otherwise when its status changes or after
 * `waitMs`. The Worker does the waiting, so the task's object can hibernate.
 */
export async function awaitStatusChange(
  env: Pick<Env, "TASKS" | "DB">,
  taskId: string,
  viewer: TaskFollower,
  waitMs: number,
  signal: AbortSignal,
): Promise<Result<Task, Failure>> {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok || waitMs === 0) return stub.ok ? stub.value.read(viewer) : stub;
  const isOver = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const following = await followTask(env, taskId, viewer, null, isOver);
  if (!following.ok) return following;
  const { task: before, events } = following.value;
  if (!isAwaitingAgent(before.status)) return ok(before);
  const changed = await untilStatusChange(before, events, () => stub.value.read(viewer));
  if (!changed.ok) return changed;
  if (following.value.hasKeyEnded()) return fail(KEY_ENDED_FAILURE);
  // Read the task again, because a lease, a deadline or the viewer's access may have changed.
  return stub.value.read(viewer);
}

/** Waits until the status changes or the events end. If events are missing, reads the task again with `read`. */
export async function untilStatusChange(
  before: Task,
  events: AsyncIterable<TaskEvent | null>,
  read: () => Promise<Result<Task, Failure>>,
): Promise<Result<Task, Failure>> {
  let task = before;
  for await (const event of events) {
    // A task that was read again may already include the event.
    if (event === null || event.seq <= task.seq) continue;
    const next = applyIfNext(task, event);
    const known = next === null ? await read() : ok(next);
    if (!known.ok) return known;
    task = known.value;
    if (task.status !== before.status) break;
  }
  return ok(task);
}
