import type { Client } from "../client.ts";
import { rest } from "../pace.ts";
import type { FeedEventShape, FeedShape } from "../shapes.ts";

const FEED_PAUSE_MS = 200;
const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
const ASKS: ReadonlySet<string> = new Set(["blocked", "submitted"]);

/** A task that has not ended, by the last that the feed told of it. */
export interface Live {
  readonly type: string;
  /** When the feed told so, in milliseconds since 1970. */
  readonly since: number;
}

/** What the feed of all tasks has told: who lives, who has ended, and who asks people something. */
export class News {
  readonly live = new Map<string, Live>();
  readonly ended = new Map<string, string>();
  /** Tasks that wait for people, to be taken from its front. */
  readonly asked: string[] = [];
  /** Likewise tasks that have failed, which people may want done again. */
  readonly failed: string[] = [];
  events = 0;
  heardAt = Date.now();

  record({ taskId, type }: FeedEventShape): void {
    this.events += 1;
    this.heardAt = Date.now();
    if (ENDS.has(type)) {
      this.live.delete(taskId);
      this.ended.set(taskId, type);
      if (type === "failed") this.failed.push(taskId);
      return;
    }
    // Ratings and notes come behind the end, and change nothing of it.
    if (this.ended.has(taskId) && type !== "retried") return;
    this.ended.delete(taskId);
    this.live.set(taskId, { type, since: Date.now() });
    if (ASKS.has(type)) this.asked.push(taskId);
  }
}

/** Follows the feed by its cursor until told to leave. */
export async function followNews(client: Client, news: News, leaving: AbortSignal): Promise<void> {
  for (let from = "from=oldest"; !leaving.aborted;) {
    const path = `/agents/events?limit=100&${from}`;
    const { data } = await client.ask<FeedShape>({ kind: "feed", method: "GET", path });
    if (data !== null) {
      for (const event of data.events) news.record(event);
      from = `cursor=${encodeURIComponent(data.nextCursor)}`;
    }
    if (data?.more !== true) await rest(FEED_PAUSE_MS, leaving);
  }
}
