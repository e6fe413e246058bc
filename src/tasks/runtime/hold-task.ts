import { readPause } from "../../agents/read-agent.ts";
import { isActive, slotOf, type Task } from "../model/task.ts";
import type { TaskStore } from "./task.store.ts";

/**
 * Tells a task that its agent is paused. If a worker holds the task, it loses it, and the attempt continues when the
 * agent is resumed. Returns whether the task changed.
 */
export function holdTask(store: TaskStore, agentId: string): boolean {
  const task = store.enforceTimeLimits();
  if (task === null || task.agentId !== agentId) return false;
  if (isActive(task) && task.lease !== null)
    return store.commit([{ type: "hold", attempt: task.attempt, work: {} }]).ok;
  if (slotOf(task) === "queued" && !mayBePaused(store, task)) {
    const writeSideState = (): void => store.sideState.put("pausedAgentId", agentId);
    store.commit([], { writeSideState });
  }
  return false;
}

/** The task and, if it waits because its agent is still paused, why. */
export async function withPause(store: TaskStore, env: Pick<Env, "DB">, task: Task): Promise<Task> {
  const { agentId } = task;
  if (agentId === null || slotOf(task) !== "queued" || !mayBePaused(store, task)) return task;
  const pause = await readPause(env, agentId);
  return pause === null ? task : { ...task, pause };
}

/** Whether the task's agent was paused when the task last heard of it. */
function mayBePaused({ sideState }: TaskStore, { isHeld, agentId }: Task): boolean {
  return isHeld || sideState.get("pausedAgentId") === agentId;
}
