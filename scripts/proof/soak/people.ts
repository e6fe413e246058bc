import type { Chance } from "../chance.ts";
import type { Client } from "../client.ts";
import { act, readTask } from "../load/people.ts";
import { rest } from "../pace.ts";
import type { News } from "./news.ts";

/** The share of questions and reviews that nobody answers: these tasks must keep waiting. */
const LEFT = 0.03;
const RETRIED = 0.15;
const PAUSE_MS = 20;

/** Answers questions and reviews in the order of the events, and retries some failed tasks. */
export async function attend(
  client: Client,
  chance: Chance,
  news: News,
  leaving: AbortSignal,
): Promise<void> {
  while (!leaving.aborted) {
    const asked = news.asked.shift();
    if (asked !== undefined && !chance.isHit(LEFT)) await answer(client, chance, asked);
    const failed = news.failed.shift();
    if (failed !== undefined && chance.isHit(RETRIED)) {
      const task = await readTask(client, failed);
      if (task !== null) await act(client, chance, task, "retry");
    }
    if (asked === undefined && failed === undefined) await rest(PAUSE_MS, leaving);
  }
}

async function answer(client: Client, chance: Chance, taskId: string): Promise<void> {
  const task = await readTask(client, taskId);
  if (task?.status === "blocked") await act(client, chance, task, "respond");
  if (task?.status === "review") await act(client, chance, task, "review");
}
