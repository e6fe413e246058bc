import { feedRetryMs } from "../domain/feed-retry.ts";
import { PROJECTION_RETRY_MS } from "../domain/limits.ts";
import type { Task } from "../domain/task.ts";
import type { FeedLink } from "./feed-link.ts";
import type { Projection } from "./projection.ts";
import type { QueueLink } from "./queue-link.ts";
import type { TaskRecord } from "./record.ts";
import type { TurnDesk } from "./turn-desk.ts";

/** Whoever outside its object is to know of a task, and what knows how to tell them. */
interface Ears {
  readonly projection: Projection;
  readonly queue: QueueLink;
  readonly turns: TurnDesk;
  readonly feed: FeedLink;
}

/** Word of a task's changes: what cannot be told now is owed, and the alarm tells it later. */
export class Word {
  readonly #record: TaskRecord;
  readonly #ears: Ears;

  constructor(record: TaskRecord, ears: Ears) {
    this.#record = record;
    this.#ears = ears;
  }

  /** Lets the directory, the agent's queue and the queue of turns know. */
  async spread(task: Task): Promise<void> {
    const { projection, queue, turns } = this.#ears;
    // The row of a task that is being deleted must not be written anew.
    const isListed = !this.#record.isDueForPurge();
    const publishing = isListed ? projection.publish(task) : null;
    await Promise.all([publishing, queue.publish(task), turns.sendOwed()]);
  }

  /** The end of an alarm: everybody is told, and a wake-up is left for whatever is owed next. */
  async spreadAndArm(pauseMs: number | null): Promise<void> {
    const settled = this.#record.settled();
    if (settled === null) return;
    await this.spread(settled);
    await this.#ears.feed.publish(settled, this.#record.wakesAt(settled));
    const task = this.#record.load();
    if (task === null) return;
    const now = Date.now();
    const wordAt = this.#retryAt(task, now);
    if (pauseMs === null) this.#record.armNext(task, wordAt);
    else this.#record.wakeUp.set(Math.min(now + pauseMs, this.#record.ticksAt(), wordAt));
  }

  /** When to retry publishing. The directory never waits for the feed. */
  #retryAt(task: Task, now: number): number {
    const { projection, queue, feed, turns } = this.#ears;
    if (projection.isBehind(task) || queue.isBehind(task) || turns.owesWord()) {
      return now + PROJECTION_RETRY_MS;
    }
    return feed.isBehind(task) ? now + feedRetryMs(now - task.updatedAt) : Infinity;
  }
}
