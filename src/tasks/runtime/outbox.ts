import { computeFeedRetryMs } from "../../events/model/feed.ts";
import { PROJECTION_RETRY_MS } from "../limits.ts";
import type { Task } from "../model/task.ts";
import type { FeedTarget } from "./feed-target.ts";
import type { DirectoryTarget } from "./directory-target.ts";
import type { QueueTarget } from "./queue-target.ts";
import type { TaskStore } from "./task.store.ts";
import type { TurnDispatcher } from "./turn-dispatcher.ts";

/** Whoever outside its object is to know of a task, and what knows how to tell them. */
interface Ears {
  readonly projection: DirectoryTarget;
  readonly queue: QueueTarget;
  readonly turns: TurnDispatcher;
  readonly feed: FeedTarget;
}

/** Word of a task's changes: what cannot be told now is owed, and the alarm tells it later. */
export class Outbox {
  readonly #record: TaskStore;
  readonly #ears: Ears;

  constructor(record: TaskStore, ears: Ears) {
    this.#record = record;
    this.#ears = ears;
  }

  /** Lets the directory, the agent's queue and the queue of turns know. */
  async publish(task: Task): Promise<void> {
    const { projection, queue, turns } = this.#ears;
    // The row of a task that is being deleted must not be written anew.
    const isListed = !this.#record.isDueForPurge();
    const publishing = isListed ? projection.publish(task) : null;
    await Promise.all([publishing, queue.publish(task), turns.sendCancellation()]);
  }

  /** The end of an alarm: everybody is told, and a wake-up is left for whatever is owed next. */
  async publishAndSetAlarm(pauseMs: number | null): Promise<void> {
    const settled = this.#record.loadCurrent();
    if (settled === null) return;
    await this.publish(settled);
    await this.#ears.feed.publish(settled, this.#record.nextAlarmAt(settled));
    const task = this.#record.load();
    if (task === null) return;
    const now = Date.now();
    const wordAt = this.#retryAt(task, now);
    if (pauseMs === null) this.#record.setNextAlarm(task, wordAt);
    else this.#record.alarm.set(Math.min(now + pauseMs, this.#record.nextTickAt(), wordAt));
  }

  /** When to retry publishing. The directory never waits for the feed. */
  #retryAt(task: Task, now: number): number {
    const { projection, queue, feed, turns } = this.#ears;
    if (projection.isBehind(task) || queue.isBehind(task) || turns.hasUnsentCancellation()) {
      return now + PROJECTION_RETRY_MS;
    }
    return feed.isBehind(task) ? now + computeFeedRetryMs(now - task.updatedAt) : Infinity;
  }
}
