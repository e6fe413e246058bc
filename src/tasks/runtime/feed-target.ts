import { toFeedEvent } from "../model/event-data.ts";
import { withTimeout } from "../../platform/timeout.ts";
import type { FeedEvent } from "../../events/model/feed.ts";
import { applyEvent, foldStored } from "../model/fold.ts";
import { FEED_PUBLISH_DELAY_MS, PROJECTION_TIMEOUT_MS } from "../limits.ts";
import { PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { isTerminal, type Task } from "../model/task.ts";
import { feedStub } from "../../events/feed.rpc.ts";
import type { TaskStore } from "./task.store.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId } from "../../platform/request-id.ts";

/**
 * Keeps the feed of all tasks up with the task's log. Events wait for those that follow them, as a call
 * costs more than an event, and at most for the alarm that follows each change; those that somebody is
 * likely to act upon do not.
 */
export class FeedTarget {
  readonly #feed: Env["FEED"];
  readonly #taskId: string;
  readonly #record: TaskStore;
  /** The task at the last event that the feed has; undefined in a new instance, which reads how far it got. */
  #told: Task | null | undefined;
  /** Whether the feed has surely nothing behind that: not in a new instance, and not after a call that failed. */
  #isCertain = false;
  /** Since when there is something to tell, in milliseconds since 1970; a new instance does not know. */
  #behindSince = -Infinity;
  #telling: Promise<void> | null = null;

  constructor(feed: Env["FEED"], taskId: string, record: TaskStore) {
    this.#feed = feed;
    this.#taskId = taskId;
    this.#record = record;
  }

  isBehind(task: Task): boolean {
    return this.#record.feedCursor() < task.seq;
  }

  /** After each change. Nobody needs to wait for the feed to hear. */
  taskChanged(task: Task): void {
    const isFirst = this.#behindSince === Infinity || task.seq === 1;
    if (isFirst) this.#behindSince = Date.now();
    if (isAwaited(task)) this.#tell();
  }

  /** At the end of an alarm: tells what has waited, or would wait too long for the next one at `wakesAt`. */
  async publish(task: Task, wakesAt: number): Promise<void> {
    const dueAt = this.#behindSince + FEED_PUBLISH_DELAY_MS;
    if (this.isBehind(task) && Math.max(Date.now(), wakesAt) >= dueAt) this.#tell();
    await this.#telling;
  }

  /** The same, for when nothing may go on before the feed knows. */
  async publishOrThrow(task: Task): Promise<void> {
    await this.publish(task, Infinity);
    if (this.isBehind(task)) throw new Error("The feed of all tasks does not answer");
  }

  #tell(): void {
    this.#telling ??= this.#catchUp().finally(() => {
      this.#telling = null;
    });
  }

  async #catchUp(): Promise<void> {
    try {
      const { incarnation } = this.#record;
      for (let page = this.#page(); page !== null; page = this.#page()) {
        const isCertain = this.#isCertain;
        this.#isCertain = false;
        await withTimeout(
          PROJECTION_TIMEOUT_MS,
          feedStub(this.#feed).publish(page.events, isCertain),
        );
        // Meanwhile the task may have been deleted, and even made anew.
        if (this.#record.incarnation !== incarnation) return;
        this.#isCertain = true;
        this.#told = page.task;
        this.#record.setFeedCursor(page.task.seq, !isCertain);
      }
      this.#behindSince = Infinity;
    } catch (fault) {
      log.warn("feed_publish_failed", { taskId: this.#taskId, error: fault });
    }
  }

  /** The next events that the feed lacks, each with whose the task was by then. */
  #page(): { events: FeedEvent[]; task: Task } | null {
    const now = this.#record.load();
    if (now === null || !this.isBehind(now)) return null;
    let task = this.#toldTask();
    const events: FeedEvent[] = [];
    // Events that wait for one call carry the id of the request that causes the call.
    const requestId = currentRequestId();
    const cause = requestId === null ? {} : { requestId };
    for (const event of this.#record.log.page(task?.seq ?? 0, PAGE_LIMIT_MAX)) {
      task = applyEvent(task, event);
      events.push({ ...toFeedEvent(this.#taskId, task, event), ...cause });
    }
    return task === null ? null : { events, task };
  }

  #toldTask(): Task | null {
    const seq = this.#record.feedCursor();
    if (this.#told === undefined || (this.#told?.seq ?? 0) !== seq) {
      // The first instance of a task has told nobody yet.
      this.#isCertain = this.#record.isNewTask;
      this.#told = seq === 0 ? null : foldStored(this.#record.log.read(seq));
    }
    return this.#told;
  }
}

/** Whether somebody is likely to act upon what has just happened, or nothing else will happen soon. */
function isAwaited({ status }: Task): boolean {
  return isTerminal(status) || status === "blocked" || status === "review";
}
