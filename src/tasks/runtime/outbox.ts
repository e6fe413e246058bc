import {
  DirectoryTarget,
  FeedTarget,
  type OutboxTarget,
  QueueTarget,
  TurnTarget,
} from "./outbox-targets.ts";
import { computeFeedRetryMs } from "../../events/model/feed.ts";
import { listDirectoryDatabases, type DirectoryEnv } from "../../platform/d1/client.ts";
import { FEED_PUBLISH_DELAY_MS, PROJECTION_RETRY_MS, SUBSCRIBERS_PER_TASK_MAX } from "../limits.ts";
import type { Task } from "../model/task.ts";
import type { CommitListener, TaskStore } from "./task.store.ts";

export type OutboxEnv = DirectoryEnv & Pick<Env, "QUEUES" | "FEED" | "TURNS">;

/** Publishes the task's changes. The alarm retries what fails. */
export class Outbox implements CommitListener {
  readonly directory: DirectoryTarget;
  readonly queue: QueueTarget;
  readonly feed: FeedTarget;
  readonly #turns: OutboxTarget;
  readonly #store: TaskStore;
  readonly #subscribers: Subscribers;

  constructor(env: OutboxEnv, taskId: string, store: TaskStore, subscribers: Subscribers) {
    this.directory = new DirectoryTarget(listDirectoryDatabases(env), taskId, store.log);
    this.queue = new QueueTarget(env.QUEUES, taskId);
    this.feed = new FeedTarget(env.FEED, taskId, store);
    this.#turns = new TurnTarget(env.TURNS, taskId, store.sideState);
    this.#store = store;
    this.#subscribers = subscribers;
    store.listener = this;
  }

  taskChanged(task: Task): void {
    this.#subscribers.notify();
    this.feed.taskChanged(task);
  }

  /** Publishes a change at once. The feed is not included: events wait for those that follow them. */
  async publish(task: Task): Promise<void> {
    // The row of a task that is being deleted must not be written again.
    const isListed = !this.#store.isDueForPurge();
    const publishing = isListed ? this.directory.publish(task) : null;
    await Promise.all([publishing, this.queue.publish(task), this.#turns.publish(task)]);
  }

  /** Publishes all changes of an alarm run. The directory does not wait for the feed. */
  async publishRun(): Promise<void> {
    const task = this.#store.loadCurrent();
    if (task === null) return;
    await this.publish(task);
    await this.feed.publish(task);
  }

  /** Publishes what the feed and the queue lack; throws if the feed does not have all events afterwards. */
  async publishBeforeDeletion(task: Task): Promise<void> {
    await this.feed.publishAll(task);
    await this.queue.publish(task);
  }

  nextRetryAt(task: Task, now: number): number {
    const targets = [this.directory, this.queue, this.#turns];
    const isBehind = targets.some((target) => target.isBehind(task));
    const retryAt = isBehind ? now + PROJECTION_RETRY_MS : Infinity;
    if (!this.feed.isBehind(task)) return retryAt;
    const waitedMs = now - task.updatedAt;
    // The first event is published before the object hibernates, which would leave the feed's state uncertain.
    const isFirst = task.seq === 1 && waitedMs < FEED_PUBLISH_DELAY_MS;
    const feedMs = isFirst ? FEED_PUBLISH_DELAY_MS - waitedMs : computeFeedRetryMs(waitedMs);
    return Math.min(retryAt, now + feedMs);
  }
}

/**
 * The WebSockets of those who follow the task. They hibernate with the object, so an idle task costs nothing.
 * A message has no content: it means that there is something to read.
 */
export class Subscribers {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** The client's end of a new socket; null at the limit. */
  accept(): WebSocket | null {
    if (this.#ctx.getWebSockets().length >= SUBSCRIBERS_PER_TASK_MAX) return null;
    const [client, server] = Object.values(new WebSocketPair());
    if (client === undefined || server === undefined) throw new Error("A pair has two ends");
    this.#ctx.acceptWebSocket(server);
    return client;
  }

  /** The output gate holds messages back until the change is stored. */
  notify(): void {
    for (const socket of this.#ctx.getWebSockets()) {
      // A subscriber may have just closed its socket.
      if (socket.readyState === WebSocket.OPEN) socket.send("");
    }
  }
}
