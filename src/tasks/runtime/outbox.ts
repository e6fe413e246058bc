import { queueStub, queueTermsOf } from "../../agents/queue/queue.rpc.ts";
import { feedStub } from "../../events/feed.rpc.ts";
import { computeFeedRetryMs, type FeedEvent } from "../../events/model/feed.ts";
import { type ActivityEnv, logActivity } from "../../platform/activity-log.ts";
import {
  type DirectoryDatabases,
  type DirectoryEnv,
  listDirectoryDatabases,
  queryOrNull,
} from "../../platform/d1/client.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import type { Subscribers } from "../../platform/subscribers.ts";
import { toDirectoryRow } from "../directory/directory.store.ts";
import { deleteTaskRows, saveTaskRow } from "../directory/task-rows.ts";
import {
  FEED_PUBLISH_DELAY_MS,
  FEED_CALL_DELAY_MAX_MS,
  OUTBOX_RETRY_MS,
  OUTBOX_TIMEOUT_MS,
} from "../limits.ts";
import { describeTaskChange } from "./task-activity.ts";
import type { TaskEvent } from "../model/events.ts";
import { toFeedEvent } from "../model/event-data.ts";
import { applyEvent, foldStored } from "../model/fold.ts";
import type { DirectoryRow, DirectoryWrite } from "../model/listing.ts";
import { pendingQueueUpdate, type QueueUpdate } from "../model/queue-update.ts";
import { earliestPurgeAt, type TaskTiming } from "../model/schedule.ts";
import { isAwaitingAgent, type Task } from "../model/task.ts";
import type { CommitListener, TaskStore } from "./task.store.ts";
import type { EventLog } from "./event-log.store.ts";
import { CancellationTarget } from "./turn-dispatcher.ts";

export type OutboxEnv = DirectoryEnv & ActivityEnv & Pick<Env, "QUEUES" | "FEED" | "TURNS">;

/** A system to notify when the task changes. */
export interface OutboxTarget {
  /**
   * Whether the target may have missed a change. A new instance may assume that the target has, and publish the change
   * again.
   */
  isBehind(task: Task): boolean;
  /** Sends the missing changes. If this fails, the target stays behind. */
  publish(task: Task): Promise<void>;
}

/** Publishes the task's changes. If publishing fails, the alarm retries it. */
export class Outbox implements CommitListener {
  readonly directory: DirectoryTarget;
  readonly queue: QueueTarget;
  readonly feed: FeedTarget;
  readonly #turns: OutboxTarget;
  readonly #env: ActivityEnv;
  readonly #taskId: string;
  readonly #store: TaskStore;
  readonly #subscribers: Subscribers;

  constructor(env: OutboxEnv, taskId: string, store: TaskStore, subscribers: Subscribers) {
    this.directory = new DirectoryTarget(listDirectoryDatabases(env), taskId, store.log);
    this.queue = new QueueTarget(env.QUEUES, taskId);
    this.feed = new FeedTarget(env.FEED, taskId, store, this.directory);
    this.#turns = new CancellationTarget(env.TURNS, taskId, store.sideState);
    this.#env = env;
    this.#taskId = taskId;
    this.#store = store;
    this.#subscribers = subscribers;
    store.listener = this;
  }

  taskChanged(task: Task, events: readonly TaskEvent[]): void {
    logActivity(this.#env, () => describeTaskChange(this.#taskId, task, events));
    this.#subscribers.notify(() => true);
    this.feed.taskChanged(task);
  }

  /** Publishes a change immediately, except to the feed, which receives events in batches. */
  async publish(task: Task): Promise<void> {
    await Promise.all([this.#saveRow(), this.#publishToQueues(task)]);
  }

  /** Publishes all changes made in an alarm run. The task writes the directory row itself unless the feed does. */
  async publishRun(): Promise<void> {
    const task = this.#store.enforceTimeLimits();
    if (task === null) return;
    const publishing = this.feed.publish(task);
    // Any call to the feed has started at this point.
    const saving = this.directory.afterFeed().then(() => this.#saveRow());
    await Promise.all([publishing, saving, this.#publishToQueues(task)]);
  }

  /** Writes the directory row for the task's current state, unless the task is being deleted. */
  async #saveRow(): Promise<void> {
    const task = this.#store.load();
    if (task !== null && !this.#store.isDueForPurge()) await this.directory.publish(task);
  }

  async #publishToQueues(task: Task): Promise<void> {
    await Promise.all([this.queue.publish(task), this.#turns.publish(task)]);
  }

  /** Publishes the remaining changes to the feed and the queue. Throws if the feed does not receive all events. */
  async publishBeforeDeletion(task: Task): Promise<void> {
    await this.feed.publishAll(task);
    await this.queue.publish(task);
  }

  nextRetryAt(task: Task, now: number): number {
    const isBehind = [this.directory, this.queue, this.#turns].some((one) => one.isBehind(task));
    const retryAt = isBehind ? now + OUTBOX_RETRY_MS : Infinity;
    if (!this.feed.isBehind(task)) return retryAt;
    const waitedMs = now - task.updatedAt;
    // Publish the first event before the object hibernates and forgets what the feed has received.
    const isFirst = task.seq === 1 && waitedMs < FEED_PUBLISH_DELAY_MS;
    const feedMs = isFirst ? FEED_PUBLISH_DELAY_MS - waitedMs : computeFeedRetryMs(waitedMs);
    return Math.min(retryAt, now + feedMs);
  }
}

/** Sends a row to the feed. Returns whether the feed confirmed it; undefined if the feed runs an earlier release. */
type SendRow = (write: DirectoryWrite) => Promise<boolean | undefined>;

/** Writes the task's directory row, or sends it to the feed, which writes it together with the rows of other tasks. */
export class DirectoryTarget implements OutboxTarget {
  readonly #shards: DirectoryDatabases;
  readonly #taskId: string;
  readonly #eventLog: Pick<EventLog, "bytes">;
  /** The stored row; null if unknown, as in a new instance, during a write and after an unconfirmed write. */
  #storedRow: DirectoryRow | null = null;
  /** The row of the last write, successful or not; null if there was none. */
  #latestRow: DirectoryRow | null = null;
  #writing: Promise<void> = Promise.resolve();
  #feedWriting: Promise<void> = Promise.resolve();

  constructor(shards: DirectoryDatabases, taskId: string, eventLog: Pick<EventLog, "bytes">) {
    this.#shards = shards;
    this.#taskId = taskId;
    this.#eventLog = eventLog;
  }

  isBehind(task: Task): boolean {
    return task.directoryVersion > (this.#storedRow?.seq ?? 0);
  }

  async publish(task: Task): Promise<void> {
    if (!this.isBehind(task)) return;
    const { row, written } = this.#beginWrite(task);
    const writing = saveTaskRow(this.#shards, task.shard, row, written).then(() =>
      this.#endWrite(row),
    );
    this.#writing = Promise.allSettled([this.#writing, writing]).then(() => undefined);
    const fields = { taskId: this.#taskId, seq: row.seq };
    await queryOrNull(OUTBOX_TIMEOUT_MS, writing, "directory_write_failed", fields);
  }

  /**
   * Whether the feed may write the row. It may if the row is in shard 0, this version has not been sent or written yet,
   * and the task cannot be deleted within FEED_CALL_DELAY_MAX_MS.
   */
  canFeedWrite(task: Task, timing: TaskTiming): boolean {
    const isNew = task.directoryVersion > (this.#latestRow?.seq ?? 0);
    const now = Date.now();
    const purgeAt = earliestPurgeAt(task, timing, now);
    // A delayed call could write the row again after the task was deleted.
    const isDeletionNear = purgeAt !== null && purgeAt - now < FEED_CALL_DELAY_MAX_MS;
    return task.shard === 0 && isNew && !isDeletionNear;
  }

  /** Sends the row to the feed. Throws if `send` does. */
  async publishThroughFeed(task: Task, send: SendRow): Promise<void> {
    const write = this.#beginWrite(task);
    const sending = send(write).then((isConfirmed) => {
      if (isConfirmed === true) this.#endWrite(write.row);
    });
    this.#feedWriting = sending.catch(() => undefined);
    await sending;
  }

  /** Resolves when the last call to the feed that included a row has ended. */
  afterFeed(): Promise<void> {
    return this.#feedWriting;
  }

  #beginWrite(task: Task): DirectoryWrite {
    const row = toDirectoryRow(this.#taskId, task, () => this.#eventLog.bytes());
    const written = this.#storedRow;
    this.#storedRow = null;
    this.#latestRow = row;
    return { row, written };
  }

  #endWrite(row: DirectoryRow): void {
    if (this.#latestRow === row) this.#storedRow = row;
  }

  /** Deletes the row once pending writes have ended. */
  async remove(task: Task): Promise<void> {
    const writing = this.#writing;
    // If a pending write times out here, the next attempt does not wait for it.
    this.#writing = Promise.resolve();
    await withTimeout(STORE_TIMEOUT_MS, writing);
    const row = toDirectoryRow(this.#taskId, task, () => this.#eventLog.bytes());
    await withTimeout(STORE_TIMEOUT_MS, deleteTaskRows(this.#shards, task.shard, row));
    this.#storedRow = null;
    this.#latestRow = null;
  }
}

/** Keeps the agent's queue up to date on whether the task is waiting for a slot. The queue assigns the slots. */
export class QueueTarget implements OutboxTarget {
  readonly #queues: Env["QUEUES"];
  readonly #taskId: string;
  /** The last update that this instance sent; null in a new instance, which sends the update again. */
  #published: QueueUpdate | null = null;

  constructor(queues: Env["QUEUES"], taskId: string) {
    this.#queues = queues;
    this.#taskId = taskId;
  }

  isBehind(task: Task): boolean {
    return pendingQueueUpdate(task, this.#published) !== null;
  }

  async publish(task: Task): Promise<void> {
    const update = pendingQueueUpdate(task, this.#published);
    if (update === null) return;
    // From now on, the queue may contain the task even if the call fails. `seq` 0 marks the update as unconfirmed.
    if (update.isIn) this.#published = { ...update, seq: 0 };
    const before = this.#published;
    try {
      await withTimeout(OUTBOX_TIMEOUT_MS, this.#send(task, update));
      // During the call, a newer update may have been published.
      if (this.#published === before || isOutdated(this.#published, update)) {
        this.#published = update;
      }
    } catch (error) {
      log.warn("queue_notify_failed", { taskId: this.#taskId, seq: update.seq, error });
    }
  }

  async publishOrThrow(task: Task): Promise<void> {
    await this.publish(task);
    if (this.isBehind(task)) throw new Error("The agent's queue is not responding");
  }

  async #send(task: Task, { agentIds, seq, isIn, overBudget }: QueueUpdate): Promise<void> {
    const { priority, deadline, createdAt: since } = task;
    const entry = { taskId: this.#taskId, seq, priority, deadline, since };
    const terms = { ...queueTermsOf(task.terms), ...(task.isHeld ? { isPaused: true } : {}) };
    const calls = agentIds.map((agentId) => {
      const queue = queueStub(this.#queues, agentId);
      if (isIn) return queue.enqueue(agentId, entry, terms);
      return queue.remove(this.#taskId, seq, overBudget && agentId === task.agentId);
    });
    await Promise.all(calls);
  }
}

/**
 * Whether a newer update makes the published one obsolete. An unconfirmed update (`seq` 0) is not obsolete, because the
 * task may still have to be removed from that queue.
 */
function isOutdated(published: QueueUpdate | null, by: QueueUpdate): boolean {
  return published !== null && published.seq > 0 && published.seq < by.seq;
}

/**
 * Contains the feed's binding if the feed's last response to a task in this isolate said that clients follow the feed.
 * This affects only when events are sent, so it may be out of date.
 */
const followedFeeds = new WeakSet<Env["FEED"]>();

/**
 * Publishes the task's events to the feed of all tasks. Because a call costs more than an event, events are collected
 * and sent together at the end of an alarm run. A change that people are waiting for is published immediately, and so is
 * every change while clients follow the feed.
 */
export class FeedTarget implements OutboxTarget {
  readonly #feed: Env["FEED"];
  readonly #taskId: string;
  readonly #store: TaskStore;
  readonly #directory: DirectoryTarget;
  /** The task as of the last event that the feed has; undefined in a new instance. */
  #publishedTask: Task | null | undefined;
  /**
   * Whether the feed is known to have no event after `#publishedTask`. False after a failed call, and in a new instance
   * unless that instance created the task.
   */
  #isCertain = false;
  /**
   * When the oldest unpublished event was added; Infinity if there is none, -Infinity if unknown (in a new instance).
   */
  #behindSince = -Infinity;
  #publishing: Promise<void> | null = null;

  constructor(feed: Env["FEED"], taskId: string, store: TaskStore, directory: DirectoryTarget) {
    this.#feed = feed;
    this.#taskId = taskId;
    this.#store = store;
    this.#directory = directory;
  }

  isBehind(task: Task): boolean {
    return this.#store.feedCursor() < task.seq;
  }

  /** Called after each change. Does not wait for the feed. */
  taskChanged(task: Task): void {
    if (this.#behindSince === Infinity || task.seq === 1) this.#behindSince = Date.now();
    const isAfterRequest = this.#store.alarmRun === "none";
    // Someone is probably waiting for this change, or no other change will follow soon.
    if (!isAwaitingAgent(task.status) || (isAfterRequest && this.#isFollowed())) this.#start();
  }

  #isFollowed(): boolean {
    return followedFeeds.has(this.#feed);
  }

  /** Publishes events that have waited long enough or cannot wait for the next alarm. */
  async publish(task: Task): Promise<void> {
    const dueAt = this.#isFollowed() ? -Infinity : this.#behindSince + FEED_PUBLISH_DELAY_MS;
    if (this.isBehind(task) && !this.#store.isDueBefore(task, dueAt)) this.#start();
    await this.#publishing;
  }

  /** Publishes all events, or throws. */
  async publishAll(task: Task): Promise<void> {
    if (this.isBehind(task)) this.#start();
    await this.#publishing;
    if (this.isBehind(task)) throw new Error("The event feed is not responding");
  }

  #start(): void {
    this.#publishing ??= this.#publishPages().finally(() => {
      this.#publishing = null;
    });
  }

  async #publishPages(): Promise<void> {
    try {
      const { generation } = this.#store;
      for (let page = this.#nextPage(); page !== null; page = this.#nextPage()) {
        const isCertain = this.#isCertain;
        this.#isCertain = false;
        await this.#send(page.events, isCertain);
        // During the call, the task may have been deleted and another one created.
        if (this.#store.generation !== generation) return;
        this.#isCertain = true;
        this.#publishedTask = page.task;
        this.#store.setFeedCursor(page.task.seq, !isCertain);
      }
      this.#behindSince = Infinity;
    } catch (error) {
      log.warn("feed_publish_failed", { taskId: this.#taskId, error });
    }
  }

  /** Sends events; in an alarm run, also sends the directory row if the feed may write it. */
  async #send(events: readonly FeedEvent[], isCertain: boolean): Promise<void> {
    const send = async (write: DirectoryWrite | null): Promise<boolean | undefined> => {
      const publishing = feedStub(this.#feed).publish(events, isCertain, write);
      const receipt = await withTimeout(OUTBOX_TIMEOUT_MS, publishing);
      if (typeof receipt !== "object") return receipt;
      if (receipt.isFollowed) followedFeeds.add(this.#feed);
      else followedFeeds.delete(this.#feed);
      return receipt.isRowStored;
    };
    const task = this.#store.load();
    // After a request, the task writes the row itself, so lists show the change immediately.
    const includesRow =
      task !== null &&
      this.#store.alarmRun !== "none" &&
      this.#directory.canFeedWrite(task, this.#store.timing);
    await (includesRow ? this.#directory.publishThroughFeed(task, send) : send(null));
  }

  /** The next events to publish, each with the task's agent and team at the time of the event. */
  #nextPage(): { events: FeedEvent[]; task: Task } | null {
    const current = this.#store.load();
    if (current === null || !this.isBehind(current)) return null;
    let task = this.#loadPublishedTask();
    const events: FeedEvent[] = [];
    for (const { event, requestId, task: after } of this.#store.listEventsForFeed(task?.seq ?? 0)) {
      task = after ?? applyEvent(task, event);
      const cause = requestId === null ? {} : { requestId };
      events.push({ ...toFeedEvent(this.#taskId, task, event), ...cause });
    }
    return task === null ? null : { events, task };
  }

  #loadPublishedTask(): Task | null {
    const seq = this.#store.feedCursor();
    if (this.#publishedTask === undefined || (this.#publishedTask?.seq ?? 0) !== seq) {
      // An instance that has just created the task has not published anything yet.
      this.#isCertain = this.#store.isNewTask;
      this.#publishedTask = seq === 0 ? null : foldStored(this.#store.log.read(seq));
    }
    return this.#publishedTask;
  }
}
