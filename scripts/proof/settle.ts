import { setTimeout as pause } from "node:timers/promises";
import { isTerminal } from "../../src/tasks/model/task.ts";
import type { Rng } from "./rng.ts";
import type { Client } from "./client.ts";
import { act, readTask, setDeadline, waitsForever, type ClientAction } from "./load/manager.ts";
import { forAll } from "./read-state.ts";
import type { TaskShape } from "./responses.ts";

const AT_ONCE = 8;
const POLL_MS = 500;

/** The action that a person must take on a task with this status. */
const ACTIONS_BY_STATUS: Partial<Record<TaskShape["status"], ClientAction>> = {
  blocked: "respond",
  review: "review",
};

/**
 * Waits until all tasks have ended. Answers questions, decides reviews, and sets a deadline for each task that waits
 * for the agent without workers. Returns the tasks that did not end in time.
 */
export async function settle(
  client: Client,
  rng: Rng,
  ids: readonly string[],
  patienceMs: number,
): Promise<TaskShape[]> {
  const giveUpAt = Date.now() + patienceMs;
  for (let left: readonly string[] = ids; ;) {
    const live = await forAll(left, AT_ONCE, async (taskId) => {
      const task = await readTask(client, taskId);
      const action = task === null ? undefined : ACTIONS_BY_STATUS[task.status];
      if (task !== null && action !== undefined) await act(client, rng, task, action);
      if (task !== null && waitsForever(task)) await setDeadline(client, rng, task);
      return task === null || !isTerminal(task.status) ? [task ?? unseen(taskId)] : [];
    });
    left = live.flat().map(({ taskId }) => taskId);
    if (left.length === 0 || Date.now() > giveUpAt) return live.flat();
    await pause(POLL_MS);
  }
}

function unseen(taskId: string): TaskShape {
  return { taskId, status: "pending", priority: "low", progress: 0, attempt: 1 };
}
