import { DurableObject } from "cloudflare:workers";
import { ObjectAlarm } from "../platform/alarm.ts";
import type { DirectoryWrite } from "../tasks/model/listing.ts";
import { DirectoryWriter, type SaveDirectoryRows } from "./directory-writer.ts";
import { feedSourceOf, matchesFilter, type FeedEvent, type FeedFilter } from "./model/feed.ts";
import {
  FEED_BATCH_MS,
  FEED_BUSY_PUBLICATIONS,
  FEED_DUPLICATE_TASKS_MAX,
  FEED_PRUNE_INTERVAL_MS,
  FEED_STREAMS_MAX,
  FEED_STREAMS_PER_KEY_MAX,
} from "./limits.ts";
import { ROOT_KEY_ID } from "../keys/model/key.ts";
import { OUTBOX_RETRY_MS } from "../tasks/limits.ts";
import { FeedStore, eventIdOf } from "./feed.store.ts";
import { readWatchOfUrl, type FeedPage, type FeedReceipt, type FeedRpc } from "./feed.rpc.ts";
import { WebhookSubscribers } from "./webhook-subscribers.ts";
import { log } from "../platform/log.ts";
import { acceptRequestIds, joinRequestIds, runWithRequestId } from "../platform/request-id.ts";
import { respondWithSocket, Subscribers } from "../platform/subscribers.ts";

/** The storage key for the webhooks to notify again; present only while there are any. */
const PENDING_WEBHOOKS_KEY = "owed";

/** The events of one task or approval and the call that waits until they are stored. */
interface PendingPublication {
  readonly events: readonly FeedEvent[];
  readonly isFirstSend: boolean;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * The event feed of all tasks. A task's call returns when its events are stored, interested webhooks have been notified
 * or recorded for a retry, and its directory row, if any, is either confirmed or left for the task to write. After a
 * crash, the task publishes the events again.
 */
export class EventFeed extends DurableObject<Env> implements FeedRpc {
  static {
    acceptRequestIds(this, (object) => object.#alarm.requestId ?? object.#storedRequestId());
  }

  readonly #store: FeedStore;
  readonly #subscribers: WebhookSubscribers;
  /** The open streams, with the filters of their events. */
  readonly #streams: Subscribers<FeedFilter>;
  readonly #directory: DirectoryWriter;
  readonly #alarm: ObjectAlarm;
  #pending: PendingPublication[] = [];
  #lastBatchSize = 0;
  /** The last event that each task or approval has republished. The event's first publication may still arrive later. */
  readonly #resentSeqs = new Map<string, number>();
  #isFlushing = false;
  #flushedAt = -Infinity;

  constructor(ctx: DurableObjectState, env: Env, saveRows: SaveDirectoryRows) {
    super(ctx, env);
    this.#store = new FeedStore(ctx.storage);
    this.#subscribers = new WebhookSubscribers(env);
    this.#streams = new Subscribers(ctx, FEED_STREAMS_MAX);
    this.#directory = new DirectoryWriter(saveRows);
    this.#alarm = ObjectAlarm.load(ctx);
  }

  async publish(
    events: readonly FeedEvent[],
    isFirstSend: boolean,
    write: DirectoryWrite | null = null,
  ): Promise<FeedReceipt> {
    const done = Promise.withResolvers<void>();
    this.#pending.push({ events, isFirstSend, done });
    this.#flushNext();
    const confirming =
      write === null ? Promise.resolve(false) : this.#directory.write(write, requestIdsOf(events));
    await done.promise;
    const isFollowed = !this.#streams.isEmpty && this.#lastBatchSize < FEED_BUSY_PUBLICATIONS;
    return { isRowStored: await confirming, isFollowed };
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

  /** Opens a stream's WebSocket. Uses `fetch` because RPC cannot transfer WebSockets. */
  override async fetch(request: Request): Promise<Response> {
    const { filter, keyId } = readWatchOfUrl(request.url);
    const group = { name: keyId, subscribersMax: FEED_STREAMS_PER_KEY_MAX };
    return respondWithSocket(this.#streams.accept(filter, keyId === ROOT_KEY_ID ? null : group));
  }

  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    await this.#notifyWebhooks(this.#loadPendingWebhooks());
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

  /** After an idle interval, stores an event immediately. Under load, stores all events of an interval together. */
  async #flush(): Promise<void> {
    await scheduler.wait(Math.max(0, this.#flushedAt + FEED_BATCH_MS - performance.now()));
    this.#flushedAt = performance.now();
    const batch = this.#pending;
    this.#pending = [];
    this.#lastBatchSize = batch.length;
    const requestIds = requestIdsOf(batch.flatMap(({ events }) => events));
    await runWithRequestId(requestIds, () => this.#writeAndNotify(batch));
  }

  async #writeAndNotify(batch: readonly PendingPublication[]): Promise<void> {
    try {
      const interested = await this.#subscribers.findInterested(
        batch.flatMap(({ events }) => events),
      );
      const written = this.#write(batch);
      void this.#notifyWebhooks(interested).then(
        () => written.forEach(({ done }) => done.resolve()),
        (error: unknown) => written.forEach(({ done }) => done.reject(error)),
      );
    } catch (error) {
      for (const { done } of batch) done.reject(error);
    }
  }

  /** Returns the publications that were written. If one cannot be written, the others still are. */
  #write(batch: readonly PendingPublication[]): readonly PendingPublication[] {
    try {
      this.#append(batch);
      return batch;
    } catch {
      return batch.filter((one) => {
        try {
          this.#append([one]);
          return true;
        } catch (error) {
          one.done.reject(error);
          return false;
        }
      });
    }
  }

  /** Appends events, except republished events that are already stored. */
  #append(batch: readonly PendingPublication[]): void {
    const now = Date.now();
    const fresh = new Map<string, FeedEvent>();
    for (const { events, isFirstSend } of batch) {
      if (!isFirstSend) this.#recordResend(events);
      const known =
        isFirstSend && !this.#wasResent(events)
          ? new Set<string>()
          : this.#store.findKnownIds(events, now);
      for (const event of events) {
        const name = eventIdOf(event);
        if (!known.has(name)) fresh.set(name, event);
      }
    }
    if (fresh.size === 0) return;
    const appended = [...fresh.values()];
    this.#store.append(appended, now);
    this.#streams.notify((filter) => appended.some((event) => matchesFilter(filter, event)));
    this.#maintain();
  }

  /** A failure here must fail neither the append that just succeeded nor the alarm. */
  #maintain(): void {
    const now = Date.now();
    // Setting an alarm replaces the retry of a failed alarm, which pending webhooks may depend on.
    const hasPending = this.#loadPendingWebhooks().length > 0;
    const retryAt = hasPending ? now + OUTBOX_RETRY_MS : Infinity;
    try {
      const dueAt = this.#store.maintain(now);
      if (dueAt !== null) this.#alarm.setNoLaterThan(Math.min(dueAt, retryAt));
    } catch (error) {
      log.error("feed_maintenance_failed", { error });
      this.#alarm.setNoLaterThan(Math.min(now + FEED_PRUNE_INTERVAL_MS, retryAt));
    }
  }

  /** A task's call that timed out can still arrive after the task has repeated it. */
  #wasResent(events: readonly FeedEvent[]): boolean {
    return events.some((event) => event.seq <= (this.#resentSeqs.get(feedSourceOf(event)) ?? 0));
  }

  #recordResend(events: readonly FeedEvent[]): void {
    for (const event of events) {
      const source = feedSourceOf(event);
      const before = this.#resentSeqs.get(source) ?? 0;
      // Move the source to the end, because the oldest entries are dropped first.
      this.#resentSeqs.delete(source);
      this.#resentSeqs.set(source, Math.max(before, event.seq));
    }
    for (const source of this.#resentSeqs.keys()) {
      if (this.#resentSeqs.size <= FEED_DUPLICATE_TASKS_MAX) return;
      this.#resentSeqs.delete(source);
    }
  }

  /** Notifies webhooks; the alarm retries those that do not respond. */
  async #notifyWebhooks(ids: readonly string[]): Promise<void> {
    const { kv } = this.ctx.storage;
    const { notified, missed } = await this.#subscribers.notify(ids);
    const before = this.#loadPendingWebhooks();
    const stillPending = [
      ...new Set([...before.filter((id) => !notified.includes(id)), ...missed]),
    ];
    if (stillPending.length > 0) {
      log.warn("webhooks_notify_failed", { webhooks: stillPending });
      this.#alarm.setNoLaterThan(Date.now() + OUTBOX_RETRY_MS);
    }
    if (stillPending.join() === before.join()) return;
    if (stillPending.length > 0) kv.put(PENDING_WEBHOOKS_KEY, stillPending);
    else kv.delete(PENDING_WEBHOOKS_KEY);
  }

  #loadPendingWebhooks(): readonly string[] {
    return this.ctx.storage.kv.get<string[]>(PENDING_WEBHOOKS_KEY) ?? [];
  }

  /** The requests that caused a new instance's alarm, which was set for the newest events or to delete the oldest. */
  #storedRequestId(): string | null {
    return this.#store.findRequestId(this.#loadPendingWebhooks().length > 0 ? "max" : "min");
  }
}

/** The joined ids of the requests that caused the events. The call itself may carry no id. */
function requestIdsOf(events: readonly FeedEvent[]): string | null {
  return joinRequestIds(events.map(({ requestId }) => requestId));
}
