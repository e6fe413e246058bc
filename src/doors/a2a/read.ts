import { Task } from "@a2a-js/sdk";
import { fail, ok, type Result } from "../../domain/result.ts";
import { taskOf } from "../../tasks/port.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, type Fault } from "./faults.ts";
import { findTask } from "./log.ts";
import { shown } from "./show.ts";
import { isOver, stateOf } from "./states.ts";

/** GetTask. */
export async function getTask(
  door: Door,
  { id, historyLength }: { readonly id: string; readonly historyLength?: number | undefined },
): Promise<Result<unknown, Fault>> {
  const found = await findTask(door, id);
  if (!found.ok) return found;
  const { address, life } = found.value;
  return ok(Task.toJSON(await shown(door, address, life, historyLength ?? null)));
}

/** CancelTask. */
export async function cancelTask(
  door: Door,
  { id }: { readonly id: string },
): Promise<Result<unknown, Fault>> {
  const found = await findTask(door, id);
  if (!found.ok) return found;
  const { address, life, isLast } = found.value;
  const { status } = life.task;
  if (!isLast || isOver(stateOf(life.task))) {
    const message = `A task that is ${status} cannot be cancelled.`;
    return fail(faultOf("task_not_cancelable", message));
  }
  const port = taskOf(door.env.TASKS, address.taskId);
  const done = port.ok
    ? await port.value.command(door.key, { type: "cancel", reason: null })
    : port;
  // Whatever was quicker has ended it.
  if (!done.ok && done.failure.kind === "invalid_state") {
    return fail({ ...faultOfFailure(done.failure), name: "task_not_cancelable" });
  }
  if (!done.ok) return fail(faultOfFailure(done.failure));
  return getTask(door, { id });
}
