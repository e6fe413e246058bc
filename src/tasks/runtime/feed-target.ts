import { feedStub } from "../../events/feed.rpc.ts";
import type { FeedEvent } from "../../events/model/feed.ts";
import { PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { FEED_PUBLISH_DELAY_MS, PROJECTION_TIMEOUT_MS } from "../limits.ts";
import { toFeedEvent } from "../model/event-data.ts";
import { applyEvent, foldStored } from "../model/fold.ts";
import { isTerminal, type Task } from "../model/task.ts";
import type { OutboxTarget } from "./outbox-target.ts";
import type { TaskStore } from "./task.store.ts";

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
        await withTimeout(PROJECTION_TIMEOUT_MS, call);
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
    // Events that wait for one call carry the id of the request that causes the call.
    const requestId = currentRequestId();
    const cause = requestId === null ? {} : { requestId };
    for (const event of this.#store.log.page(task?.seq ?? 0, PAGE_LIMIT_MAX)) {
      task = applyEvent(task, event);
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
