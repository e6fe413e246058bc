import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../platform/alarm.ts";
import type { FeedEvent, FeedFilter } from "./model/feed.ts";
import { FEED_BATCH_MS, FEED_DUPLICATE_TASKS_MAX, FEED_PRUNE_INTERVAL_MS } from "./limits.ts";
import { PROJECTION_RETRY_MS } from "../tasks/limits.ts";
import { FeedStore, eventIdOf } from "./feed.store.ts";
import type { FeedPage, FeedRpc } from "./feed.rpc.ts";
import { WebhookSubscribers } from "./webhook-subscribers.ts";
import { log } from "../platform/log.ts";
import { acceptRequestIds, joinRequestIds, runWithRequestId } from "../platform/request-id.ts";

/** Webhooks that are still to be told; kept while there are any. */
const PENDING_WEBHOOKS_KEY = "owed";

/** What a task has told, and who waits for it to be kept. */
interface PendingPublication {
  readonly events: readonly FeedEvent[];
  readonly isFirstSend: boolean;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * The feed of all tasks' events. A task's call returns once its events are written and the webhooks
 * that want them know: what a crash takes away here, the task tells again.
 */
export class EventFeed extends DurableObject<Env> implements FeedRpc {
  static {
    acceptRequestIds(this, (object) => object.#alarm.requestId);
  }

  readonly #store: FeedStore;
  readonly #subscribers: WebhookSubscribers;
  readonly #alarm: ObjectAlarm;
  #pending: PendingPublication[] = [];
  /** Up to which event tasks have told in doubt: what is certain may come late, behind that. */
  readonly #resentSeqs = new Map<string, number>();
  #isFlushing = false;
  #flushedAt = -Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new FeedStore(ctx.storage);
    this.#subscribers = new WebhookSubscribers(env);
    this.#alarm = new ObjectAlarm(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#alarm.load());
  }

  async publish(events: readonly FeedEvent[], isCertain: boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#pending.push({ events, isFirstSend: isCertain, done });
    this.#flushNext();
    await done.promise;
  }

  async readPage(filter: FeedFilter, after: number, limit: number): Promise<FeedPage> {
    return this.#store.readPage(filter, after, limit);
  }

  async readLastPosition(): Promise<number> {
    return this.#store.lastPosition();
  }

  async refreshSubscribers(): Promise<void> {
    await this.#subscribers.refresh();
  }

  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    await this.#notifyWebhooks(this.ctx.storage.kv.get<string[]>(PENDING_WEBHOOKS_KEY) ?? []);
    this.#maintain();
  }

  #flushNext(): void {
    if (this.#isFlushing || this.#pending.length === 0) return;
    this.#isFlushing = true;
    void this.#flush().finally(() => {
      this.#isFlushing = false;
      this.#flushNext();
    });
  }

  /** Alone, events are taken in at once; in a crowd, with those that come within a moment. */
  async #flush(): Promise<void> {
    await scheduler.wait(Math.max(0, this.#flushedAt + FEED_BATCH_MS - performance.now()));
    this.#flushedAt = performance.now();
    const batch = this.#pending;
    this.#pending = [];
    const requestIds = batch.flatMap(({ events }) => events.map(({ requestId }) => requestId));
    await runWithRequestId(joinRequestIds(requestIds), () => this.#writeAndNotify(batch));
  }

  async #writeAndNotify(batch: readonly PendingPublication[]): Promise<void> {
    try {
      const interested = await this.#subscribers.findInterested(
        batch.flatMap(({ events }) => events),
      );
      const written = this.#write(batch);
      void this.#notifyWebhooks(interested).then(
        () => written.forEach(({ done }) => done.resolve()),
        (fault: unknown) => written.forEach(({ done }) => done.reject(fault)),
      );
    } catch (fault) {
      for (const { done } of batch) done.reject(fault);
    }
  }

  /** What one of them has that cannot be written keeps none of the others from it. */
  #write(batch: readonly PendingPublication[]): readonly PendingPublication[] {
    try {
      this.#append(batch);
      return batch;
    } catch {
      return batch.filter((one) => {
        try {
          this.#append([one]);
          return true;
        } catch (fault) {
          one.done.reject(fault);
          return false;
        }
      });
    }
  }

  /** Those of which a task is in doubt may be kept already. */
  #append(batch: readonly PendingPublication[]): void {
    const now = Date.now();
    const fresh = new Map<string, FeedEvent>();
    for (const { events, isFirstSend } of batch) {
      const isSure = isFirstSend && !this.#wasResent(events);
      if (!isFirstSend) this.#recordResend(events);
      const known = isSure ? new Set<string>() : this.#store.findKnownIds(events, now);
      for (const event of events) {
        const name = eventIdOf(event);
        if (!known.has(name)) fresh.set(name, event);
      }
    }
    if (fresh.size === 0) return;
    this.#store.append([...fresh.values()], now);
    this.#maintain();
  }

  /** A failure here must not fail the append that just succeeded or the alarm. */
  #maintain(): void {
    const now = Date.now();
    // Setting an alarm replaces the retry of a running alarm, which webhooks may depend on.
    const retryAt =
      this.ctx.storage.kv.get(PENDING_WEBHOOKS_KEY) === undefined
        ? Infinity
        : now + PROJECTION_RETRY_MS;
    try {
      const dueAt = this.#store.maintain(now);
      if (dueAt !== null) this.#alarm.set(Math.min(dueAt, retryAt));
    } catch (error) {
      log.error("feed_maintenance_failed", { error });
      this.#alarm.set(Math.min(now + FEED_PRUNE_INTERVAL_MS, retryAt));
    }
  }

  /** A call that its task gave up waiting for can come after the one that made up for it. */
  #wasResent(events: readonly FeedEvent[]): boolean {
    return events.some(({ taskId, seq }) => seq <= (this.#resentSeqs.get(taskId) ?? 0));
  }

  #recordResend(events: readonly FeedEvent[]): void {
    for (const { taskId, seq } of events) {
      const before = this.#resentSeqs.get(taskId) ?? 0;
      // The last to be doubted lie last.
      this.#resentSeqs.delete(taskId);
      this.#resentSeqs.set(taskId, Math.max(before, seq));
    }
    for (const taskId of this.#resentSeqs.keys()) {
      if (this.#resentSeqs.size <= FEED_DUPLICATE_TASKS_MAX) return;
      this.#resentSeqs.delete(taskId);
    }
  }

  /** Webhooks that do not answer are told by the alarm, and hold up nobody for long. */
  async #notifyWebhooks(ids: readonly string[]): Promise<void> {
    const { kv } = this.ctx.storage;
    const { notified, missed } = await this.#subscribers.notify(ids);
    const before = kv.get<string[]>(PENDING_WEBHOOKS_KEY) ?? [];
    const stillPending = [
      ...new Set([...before.filter((id) => !notified.includes(id)), ...missed]),
    ];
    if (stillPending.length > 0) {
      log.warn("webhooks_notify_failed", { webhooks: stillPending });
      this.#alarm.set(Date.now() + PROJECTION_RETRY_MS);
    }
    if (stillPending.join() === before.join()) return;
    if (stillPending.length > 0) kv.put(PENDING_WEBHOOKS_KEY, stillPending);
    else kv.delete(PENDING_WEBHOOKS_KEY);
  }
}
