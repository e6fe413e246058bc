import { setTimeout as pause } from "node:timers/promises";
import { isTerminal } from "../../src/domain/task.ts";
import type { Chance } from "./chance.ts";
import type { Client } from "./client.ts";
import { act, readTask, type Deed } from "./load/people.ts";
import { forAll } from "./look.ts";
import type { TaskShape } from "./shapes.ts";

const AT_ONCE = 8;
const LOOK_MS = 500;

/** What a task waits for people to do; they may not want anything new of it any more. */
const OWED: Partial<Record<TaskShape["status"], Deed>> = { blocked: "respond", review: "review" };

/**
 * Lets all tasks come to their ends: whatever waits for people gets their word, and workers go on by
 * themselves. Answers those that have not ended within the time.
 */
export async function settle(
  client: Client,
  chance: Chance,
  ids: readonly string[],
  patienceMs: number,
): Promise<TaskShape[]> {
  const giveUpAt = Date.now() + patienceMs;
  for (let left: readonly string[] = ids; ;) {
    const live = await forAll(left, AT_ONCE, async (taskId) => {
      const task = await readTask(client, taskId);
      const deed = task === null ? undefined : OWED[task.status];
      if (task !== null && deed !== undefined) await act(client, chance, task, deed);
      return task === null || !isTerminal(task.status) ? [task ?? unseen(taskId)] : [];
    });
    left = live.flat().map(({ taskId }) => taskId);
    if (left.length === 0 || Date.now() > giveUpAt) return live.flat();
    await pause(LOOK_MS);
  }
}

function unseen(taskId: string): TaskShape {
  return { taskId, status: "pending", priority: "low", progress: 0, attempt: 1 };
}
