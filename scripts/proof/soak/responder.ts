import type { Rng } from "../rng.ts";
import type { Client } from "../client.ts";
import { act, readTask, setDeadline, waitsForever } from "../load/manager.ts";
import { rest } from "../pace.ts";
import type { FeedState } from "./feed-state.ts";

/** The share of questions and reviews that nobody answers, so their tasks must keep waiting. */
const LEFT = 0.03;
const RETRIED = 0.15;
const PAUSE_MS = 20;

/**
 * Answers questions and decides reviews in the order of their events, retries some failed tasks, and sets a deadline
 * for each task that waits for the agent without workers.
 */
export async function answerRequests(
  client: Client,
  rng: Rng,
  feedState: FeedState,
  leaving: AbortSignal,
): Promise<void> {
  while (!leaving.aborted) {
    const asked = feedState.asked.shift();
    if (asked !== undefined && !rng.isHit(LEFT)) await answer(client, rng, asked);
    const failed = feedState.failed.shift();
    if (failed !== undefined && rng.isHit(RETRIED)) {
      const task = await readTask(client, failed);
      if (task !== null) await act(client, rng, task, "retry");
    }
    const unattended = feedState.unattended.shift();
    if (unattended !== undefined && !(await endByDeadline(client, rng, unattended))) {
      feedState.unattended.push(unattended);
    }
    if ((asked ?? failed ?? unattended) === undefined) await rest(PAUSE_MS, leaving);
  }
}

/** Sets a deadline for a task that would wait forever. False if the task could not be read or changed. */
async function endByDeadline(client: Client, rng: Rng, taskId: string): Promise<boolean> {
  const task = await readTask(client, taskId);
  return task !== null && (!waitsForever(task) || setDeadline(client, rng, task));
}

async function answer(client: Client, rng: Rng, taskId: string): Promise<void> {
  const task = await readTask(client, taskId);
  if (task?.status === "blocked") await act(client, rng, task, "respond");
  if (task?.status === "review") await act(client, rng, task, "review");
}
