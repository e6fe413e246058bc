import type { Client } from "../client.ts";
import { rest } from "../pace.ts";
import type { FeedEventShape, FeedShape } from "../responses.ts";
import { NOBODY } from "../task-requests.ts";

const FEED_PAUSE_MS = 200;
const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
const ASKS: ReadonlySet<string> = new Set(["blocked", "submitted"]);

/** A task that has not ended, with its latest event in the feed. */
export interface Live {
  readonly type: string;
  /** When the feed delivered this event, in milliseconds since 1970. */
  readonly since: number;
}

/** The state of all tasks according to the feed. */
export class FeedState {
  readonly live = new Map<string, Live>();
  readonly ended = new Map<string, string>();
  /** A queue of tasks that wait for people. */
  readonly asked: string[] = [];
  /** A queue of tasks assigned to the agent without workers. */
  readonly unattended: string[] = [];
  /** A queue of failed tasks, which people may retry. */
  readonly failed: string[] = [];
  events = 0;
  receivedAt = Date.now();

  record({ taskId, type, data }: FeedEventShape): void {
    this.events += 1;
    this.receivedAt = Date.now();
    if (ENDS.has(type)) {
      this.live.delete(taskId);
      this.ended.set(taskId, type);
      if (type === "failed") this.failed.push(taskId);
      return;
    }
    // Ratings and notes can follow the end of a task but do not change its state.
    if (this.ended.has(taskId) && type !== "retried") return;
    this.ended.delete(taskId);
    this.live.set(taskId, { type, since: Date.now() });
    if (ASKS.has(type)) this.asked.push(taskId);
    if (type === "assigned" && data["agentId"] === NOBODY) this.unattended.push(taskId);
  }
}

/** Follows the feed by cursor until the signal aborts. */
export async function followFeedState(
  client: Client,
  feedState: FeedState,
  leaving: AbortSignal,
): Promise<void> {
  for (let from = "from=oldest"; !leaving.aborted;) {
    const path = `/agents/events?limit=100&${from}`;
    const { data } = await client.ask<FeedShape>({ kind: "feed", method: "GET", path });
    if (data !== null) {
      for (const event of data.events) feedState.record(event);
      from = `cursor=${encodeURIComponent(data.nextCursor)}`;
    }
    if (data?.more !== true) await rest(FEED_PAUSE_MS, leaving);
  }
}
