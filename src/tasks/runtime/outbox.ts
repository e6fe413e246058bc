import { hasQueue } from "../../agents/model/agent.ts";
import { queueStub, queueTermsOf } from "../../agents/queue/queue.rpc.ts";
import { feedStub } from "../../events/feed.rpc.ts";
import { computeFeedRetryMs, type FeedEvent } from "../../events/model/feed.ts";
import {
  type DirectoryDatabases,
  type DirectoryEnv,
  getDatabase,
  listDirectoryDatabases,
  queryOrNull,
} from "../../platform/d1/client.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import { saveDirectoryRow, toDirectoryRow } from "../directory/directory.store.ts";
import { deleteTaskRow, saveShardRow } from "../directory/sharded-directory.store.ts";
import {
  FEED_PUBLISH_DELAY_MS,
  OUTBOX_RETRY_MS,
  OUTBOX_TIMEOUT_MS,
  SUBSCRIBERS_PER_TASK_MAX,
} from "../limits.ts";
import { isOverBudget } from "../model/budget.ts";
import { toFeedEvent } from "../model/event-data.ts";
import { applyEvent, foldStored } from "../model/fold.ts";
import type { DirectoryRow } from "../model/listing.ts";
import { isTerminal, slotOf, type Task } from "../model/task.ts";
import type { CommitListener, TaskStore } from "./task.store.ts";
import type { EventLog } from "./event-log.store.ts";
import { CancellationTarget } from "./turn-dispatcher.ts";

export type OutboxEnv = DirectoryEnv & Pick<Env, "QUEUES" | "FEED" | "TURNS">;

/** An external system to notify of changes of the task. */
export interface OutboxTarget {
  /** Whether the target may lack a change of the task. A new instance does not know, and publishes again. */
  isBehind(task: Task): boolean;
  /** Sends what the target lacks. If this fails, the target stays behind. */
  publish(task: Task): Promise<void>;
}

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
    this.#turns = new CancellationTarget(env.TURNS, taskId, store.sideState);
    this.#store = store;
    this.#subscribers = subscribers;
    store.listener = this;
  }

  taskChanged(task: Task): void {
    this.#subscribers.notify();
    this.feed.taskChanged(task);
  }

  /** Publishes a change immediately, except to the feed: its events wait for later ones. */
  async publish(task: Task): Promise<void> {
    // The row of a task that is being deleted must not be written again.
    const isListed = !this.#store.isDueForPurge();
    const publishing = isListed ? this.directory.publish(task) : null;
    await Promise.all([publishing, this.queue.publish(task), this.#turns.publish(task)]);
  }

  /** Publishes all changes of an alarm run. The directory does not wait for the feed. */
  async publishRun(): Promise<void> {
    const task = this.#store.enforceTimeLimits();
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
    const retryAt = isBehind ? now + OUTBOX_RETRY_MS : Infinity;
    if (!this.feed.isBehind(task)) return retryAt;
    const waitedMs = now - task.updatedAt;
    // The first event is published before the object hibernates, which would leave the feed's state uncertain.
    const isFirst = task.seq === 1 && waitedMs < FEED_PUBLISH_DELAY_MS;
    const feedMs = isFirst ? FEED_PUBLISH_DELAY_MS - waitedMs : computeFeedRetryMs(waitedMs);
    return Math.min(retryAt, now + feedMs);
  }
}

/** The WebSockets of the task's subscribers; they hibernate with the object. An empty message announces a change. */
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

/** Writes the task's row in the directory. */
export class DirectoryTarget implements OutboxTarget {
  readonly #shards: DirectoryDatabases;
  readonly #taskId: string;
  readonly #eventLog: Pick<EventLog, "bytes">;
  /** The version that the row is known to have; 0 in a new instance. */
  #writtenVersion = 0;
  /** The row as it is stored; null during a write, and after a write without a response. */
  #storedRow: DirectoryRow | null = null;
  #latestRow: DirectoryRow | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(shards: DirectoryDatabases, taskId: string, eventLog: Pick<EventLog, "bytes">) {
    this.#shards = shards;
    this.#taskId = taskId;
    this.#eventLog = eventLog;
  }

  isBehind(task: Task): boolean {
    return task.directoryVersion > this.#writtenVersion;
  }

  async publish(task: Task): Promise<void> {
    if (!this.isBehind(task)) return;
    const row = toDirectoryRow(this.#taskId, task, () => this.#eventLog.bytes());
    const before = this.#storedRow;
    this.#storedRow = null;
    this.#latestRow = row;
    const writing = this.#save(task.shard, row, before).then(() => {
      this.#writtenVersion = Math.max(row.seq, this.#writtenVersion);
      if (this.#latestRow === row) this.#storedRow = row;
    });
    this.#writing = Promise.allSettled([this.#writing, writing]).then(() => undefined);
    const fields = { taskId: this.#taskId, seq: row.seq };
    await queryOrNull(OUTBOX_TIMEOUT_MS, writing, "directory_write_failed", fields);
  }

  #save(shard: number, row: DirectoryRow, before: DirectoryRow | null): Promise<void> {
    if (shard > 0) return saveShardRow(this.#shards, shard, row, before);
    return saveDirectoryRow(getDatabase(this.#shards[0]), row, before);
  }

  /** Deletes the row after pending writes have ended. */
  async remove(task: Task): Promise<void> {
    const writing = this.#writing;
    // If a pending write times out here, the next try does not wait for it.
    this.#writing = Promise.resolve();
    await withTimeout(STORE_TIMEOUT_MS, writing);
    const row = toDirectoryRow(this.#taskId, task, () => this.#eventLog.bytes());
    await withTimeout(STORE_TIMEOUT_MS, deleteTaskRow(this.#shards, task.shard, row));
    this.#writtenVersion = 0;
    this.#storedRow = null;
  }
}

/** The state of the task in its queue: whether it waits there, and whether its budget stopped it. */
interface QueueUpdate {
  readonly agentIds: readonly string[];
  readonly seq: number;
  readonly isIn: boolean;
  readonly overBudget: boolean;
}

/** Notifies the queue of the task's agent that the task waits for a slot or needs none. The queue assigns the slots. */
export class QueueTarget implements OutboxTarget {
  readonly #queues: Env["QUEUES"];
  readonly #taskId: string;
  /** The last update that this instance has sent; null in a new instance, which sends it again. */
  #published: QueueUpdate | null = null;

  constructor(queues: Env["QUEUES"], taskId: string) {
    this.#queues = queues;
    this.#taskId = taskId;
  }

  isBehind(task: Task): boolean {
    return this.#pendingUpdate(task) !== null;
  }

  async publish(task: Task): Promise<void> {
    const update = this.#pendingUpdate(task);
    if (update === null) return;
    // From now on the queue may have the task: the next publication must remove it first (`seq` 0).
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
    if (this.isBehind(task)) throw new Error("The agent's queue does not respond");
  }

  #pendingUpdate(task: Task): QueueUpdate | null {
    const slot = slotOf(task);
    const published = this.#published;
    const seq = task.queueVersion;
    if (slot === "active") return null;
    if (slot === "queued") {
      const isKnown = published?.isIn === true && published.seq >= seq;
      return isKnown || task.agentId === null
        ? null
        : { agentIds: [task.agentId], seq, isIn: true, overBudget: false };
    }
    const agentIds = published?.agentIds ?? (mayBeQueued(task) ? listEarlierAgents(task) : []);
    if (agentIds.length === 0) return null;
    const overBudget = isOverBudget(task);
    const isKnown = published?.isIn === false && published.overBudget === overBudget;
    return isKnown ? null : { agentIds, seq, isIn: false, overBudget };
  }

  async #send(task: Task, { agentIds, seq, isIn, overBudget }: QueueUpdate): Promise<void> {
    const { priority, deadline, createdAt: since, terms } = task;
    const entry = { taskId: this.#taskId, seq, priority, deadline, since };
    const calls = agentIds.map((agentId) => {
      const queue = queueStub(this.#queues, agentId);
      if (isIn) return queue.enqueue(agentId, entry, queueTermsOf(terms));
      return queue.remove(this.#taskId, seq, overBudget && agentId === task.agentId);
    });
    await Promise.all(calls);
  }
}

/** An update that a queue may not have received (`seq` 0) is not outdated: it must be taken back first. */
function isOutdated(published: QueueUpdate | null, by: QueueUpdate): boolean {
  return published !== null && published.seq > 0 && published.seq < by.seq;
}

/**
 * The agents whose queues may have the task. Work starts only after the queues of earlier attempts have
 * removed it; until then, and while the task is pending, they may have it.
 */
function listEarlierAgents({ status, agentId, startedAt, attempts }: Task): string[] {
  const earlier = startedAt === null ? attempts.map((attempt) => attempt.agentId) : [];
  const all = status === "pending" ? earlier : [...earlier, agentId];
  return [...new Set(all)].filter((id) => id !== null);
}

/** Whether a queue may have the task although the task does not wait there. */
function mayBeQueued(task: Task): boolean {
  const { status } = task;
  const isOut = status === "blocked" || status === "review" || isTerminal(status);
  return (isOut || (status === "pending" && task.attempts.length > 0)) && hasQueue(task.terms);
}

/**
 * Publishes the task's events to the feed of all tasks. Because a call costs more than an event, events wait
 * for those that follow them, at most until the next alarm; a change that people wait for is published at once.
 */
export class FeedTarget implements OutboxTarget {
  readonly #feed: Env["FEED"];
  readonly #taskId: string;
  readonly #store: TaskStore;
  /** The task as of the last event that the feed has; undefined in a new instance. */
  #publishedTask: Task | null | undefined;
  /** Whether the feed certainly has no later event: false in a new instance and after a failed call. */
  #isCertain = false;
  /** When the oldest unpublished event was added; -Infinity in a new instance, which does not know. */
  #behindSince = -Infinity;
  #publishing: Promise<void> | null = null;

  constructor(feed: Env["FEED"], taskId: string, store: TaskStore) {
    this.#feed = feed;
    this.#taskId = taskId;
    this.#store = store;
  }

  isBehind(task: Task): boolean {
    return this.#store.feedCursor() < task.seq;
  }

  /** Called after each change. Nothing waits for the feed. */
  taskChanged(task: Task): void {
    const isFirst = this.#behindSince === Infinity || task.seq === 1;
    if (isFirst) this.#behindSince = Date.now();
    if (isAwaited(task)) this.#start();
  }

  /** Publishes events that have waited long enough, or would wait too long for the next alarm. */
  async publish(task: Task): Promise<void> {
    const dueAt = this.#behindSince + FEED_PUBLISH_DELAY_MS;
    if (this.isBehind(task) && !this.#store.isDueBefore(task, dueAt)) this.#start();
    await this.#publishing;
  }

  /** Publishes all events, or throws. */
  async publishAll(task: Task): Promise<void> {
    if (this.isBehind(task)) this.#start();
    await this.#publishing;
    if (this.isBehind(task)) throw new Error("The feed of all tasks does not respond");
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
        const call = feedStub(this.#feed).publish(page.events, isCertain);
        await withTimeout(OUTBOX_TIMEOUT_MS, call);
        // During the call, the task may have been deleted, and another created.
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

  /** The next events that the feed lacks, each with the task's agent and team as of that event. */
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
      // The instance that created the task knows that it has published nothing.
      this.#isCertain = this.#store.isNewTask;
      this.#publishedTask = seq === 0 ? null : foldStored(this.#store.log.read(seq));
    }
    return this.#publishedTask;
  }
}

/** Whether people or systems are likely to wait for this change, or no other change follows soon. */
function isAwaited({ status }: Task): boolean {
  return isTerminal(status) || status === "blocked" || status === "review";
}
