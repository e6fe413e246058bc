import { TASK_STATUSES } from "../../../src/tasks/model/task.ts";
import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import type { Client } from "../client.ts";
import { rest } from "../pace.ts";
import type { FeedShape, ListShape, LogShape } from "../responses.ts";

const PAUSE_MIN_MS = 20;
const PAUSE_MAX_MS = 150;
const FEED_PAUSE_MS = 400;

/** Reads lists and logs and records what they showed. */
export async function readOn(client: Client, rng: Rng, knownTasks: KnownTasks): Promise<void> {
  while (!knownTasks.isOver) {
    if (rng.isHit(0.4)) await readList(client, rng);
    else await readLog(client, knownTasks.draw(rng));
    await rest(rng.integer(PAUSE_MIN_MS, PAUSE_MAX_MS), knownTasks.over.signal);
  }
}

async function readList(client: Client, rng: Rng): Promise<void> {
  const status = rng.isHit(0.5) ? `&status=${rng.pick(TASK_STATUSES)}` : "";
  const path = `/agents/tasks?limit=${rng.integer(1, 100)}${status}`;
  const { data, exchange } = await client.ask<ListShape>({ kind: "list", method: "GET", path });
  const seen = { seenFrom: exchange.startedAt, seenAt: exchange.endedAt };
  for (const { taskId, status: shown, attempt } of data?.tasks ?? []) {
    client.history.rows.push({ taskId, status: shown, attempt, ...seen });
  }
}

async function readLog(client: Client, taskId: string | null): Promise<void> {
  if (taskId === null) return;
  const path = `/agents/tasks/${taskId}/events`;
  const { data, exchange } = await client.ask<LogShape>({ kind: "log", method: "GET", path });
  const seen = { seenFrom: exchange.startedAt, seenAt: exchange.endedAt };
  for (const { seq, type, at } of data?.events ?? []) {
    client.history.observations.push({ taskId, seq, type, at, ...seen });
  }
}

/** Follows the feed by cursor and returns the received events in order. */
export async function followFeed(client: Client, knownTasks: KnownTasks): Promise<string[]> {
  const positions: string[] = [];
  let from = "from=oldest";
  while (!knownTasks.isOver) {
    const path = `/agents/events?limit=100&${from}`;
    const { data } = await client.ask<FeedShape>({ kind: "feed", method: "GET", path });
    if (data !== null) {
      positions.push(...data.events.map(({ taskId, seq }) => `${taskId}.${seq}`));
      from = `cursor=${encodeURIComponent(data.nextCursor)}`;
    }
    if (data?.more !== true) await rest(FEED_PAUSE_MS, knownTasks.over.signal);
  }
  return positions;
}
