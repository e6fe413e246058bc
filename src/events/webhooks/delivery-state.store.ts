import { ObjectAlarm } from "../../platform/alarm.ts";
import {
  applyAttempt,
  createDelivery,
  applyLateAttempt,
  startNewRound,
  type Delivery,
} from "../model/delivery.ts";
import {
  DELIVERIES_PENDING_MAX,
  DELIVERIES_PRUNED_MAX,
  DELIVERY_RETENTION_MS,
  WEBHOOK_REREAD_MS,
  WEBHOOK_BACKOFF_MAX_MS,
} from "../limits.ts";
import { DAY_MS } from "../../kernel/units.ts";
import type { FeedPage } from "../feed.rpc.ts";
import { DeliveryLog } from "./delivery-log.store.ts";
import type { WebhookStats } from "./webhook.rpc.ts";
import {
  findLatestInstant,
  extendMissedRange,
  updateSubscription,
  type SendResult,
  type SubscriptionState,
} from "../model/subscription.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId } from "../../platform/request-id.ts";

const SUBSCRIPTION_KEY = "standing";
/** First-attempt successes happen roughly in order, so the latest one is among the newest deliveries. */
const RECENT_SUCCESSES_READ_MAX = 100;

/**
 * A webhook's position in the feed and its deliveries. All methods except `clear` are synchronous, so the state stays
 * consistent however notifications, attempts and requests interleave.
 */
export class DeliveryState {
  readonly alarm: ObjectAlarm;
  readonly log: DeliveryLog;
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage, alarm = new ObjectAlarm(storage)) {
    this.#storage = storage;
    this.alarm = alarm;
    this.log = new DeliveryLog(storage.sql);
  }

  get subscription(): SubscriptionState | null {
    return this.#storage.kv.get<SubscriptionState>(SUBSCRIPTION_KEY) ?? null;
  }

  /** The request that caused the pending work, which is the closure or the next delivery. Used by a new instance. */
  get requestId(): string | null {
    const { closing = null, requestId = null } = this.subscription ?? {};
    const [next] = closing === null ? this.log.listDue(Number.MAX_SAFE_INTEGER, 1) : [];
    return next?.event.requestId ?? requestId;
  }

  /** Whether the webhook accepts events. */
  get isOpen(): boolean {
    const state = this.subscription;
    // A webhook that is about to be disabled still accepts events, because the closure may be cancelled.
    return state !== null && state.isOpen && state.closing?.kind !== "end";
  }

  /** Whether the webhook makes deliveries. If it is about to end, it still makes its pending deliveries. */
  get isDelivering(): boolean {
    const state = this.subscription;
    return state !== null && state.isOpen && state.closing?.kind !== "disable";
  }

  /**
   * Sets the position of a webhook that is not open. An alarm checks the registry later and deletes the state if the
   * webhook was never inserted.
   */
  setStart(webhookId: string, position: number, now: number): void {
    const { isOpen, failures = 0, lastSuccessAt = null, pruneAt = null } = this.subscription ?? {};
    if (isOpen === true) return;
    const start = { position: Math.max(position, this.readPosition()), isOpen: false };
    const kept = { failures, lastSuccessAt, pruneAt };
    this.#transact(() => {
      this.#save({ webhookId, ...start, isBehind: false, ...kept, closing: null });
      this.alarm.setNoLaterThan(now + WEBHOOK_BACKOFF_MAX_MS);
    });
  }

  /** Opens the webhook at its position, unless it is already open. For `rereadAt`, see SubscriptionState. */
  open(rereadAt: number | null): void {
    const { subscription } = this;
    if (subscription === null || subscription.isOpen) return;
    this.#save({ ...subscription, isOpen: true, failures: 0, closing: null, rereadAt });
  }

  /** Whether to read the feed even without a notification. */
  isReadDue(now: number): boolean {
    const { isBehind = false, rereadAt = null } = this.subscription ?? {};
    return isBehind || (rereadAt !== null && rereadAt <= now);
  }

  /** Records a read of the feed that started at `startedAt`. */
  recordRead(startedAt: number): void {
    const state = this.subscription;
    const rereadAt = state?.rereadAt ?? null;
    if (state === null || rereadAt === null || rereadAt > startedAt) return;
    this.#save({ ...state, rereadAt: null });
  }

  /** Fails pending deliveries and accepts no more events. */
  stop(reason: string, now: number): void {
    const state = this.subscription;
    if (state === null) return;
    this.#transact(() => {
      this.log.failPending(reason, now);
      this.#saveIfChanged(state, { isOpen: false, isBehind: false, closing: null });
    });
  }

  cancelClosure(): void {
    const state = this.subscription;
    if (state !== null) this.#save({ ...state, closing: null });
  }

  /** The position up to which the feed has been read. */
  readPosition(): number {
    return Math.max(this.subscription?.position ?? 0, this.log.findNewestId());
  }

  /** How many more deliveries can be pending. If none, records that the feed may have more events. */
  readCapacity(): number {
    const state = this.subscription;
    const room = DELIVERIES_PENDING_MAX - this.log.countPending();
    if (room <= 0 && state?.isBehind === false) this.#save({ ...state, isBehind: true });
    return Math.max(0, room);
  }

  /**
   * Stores a page of the feed and sets the alarm that delivers its events. The newest delivery's id serves as the
   * position, which saves a row write. If `isExact`, the position at the end of the page is stored instead, so that no
   * event before it is read again.
   */
  storePage({ events, next, more, droppedTo }: FeedPage, isExact: boolean, now: number): void {
    const state = this.subscription;
    if (state === null || !this.isOpen) return;
    const missed = extendMissedRange(state, this.readPosition(), droppedTo);
    if (missed !== undefined && missed !== state.missed) {
      log.warn("webhook_events_missed", { webhookId: state.webhookId, ...missed });
    }
    this.#transact(() => {
      for (const event of events) this.log.insert(createDelivery(event, now));
      const changes = {
        position: isExact || events.length === 0 ? next : state.position,
        isBehind: more && state.isBehind,
        ...(isExact ? { rereadAt: now + WEBHOOK_REREAD_MS } : {}),
        pruneAt:
          events.length === 0 ? state.pruneAt : (state.pruneAt ?? now + DELIVERY_RETENTION_MS),
        ...(missed === undefined ? {} : { missed }),
      };
      this.#saveIfChanged(state, changes);
      if (events.length > 0) this.alarm.setNoLaterThan(now);
    });
  }

  recordAttempt(sent: Delivery, result: SendResult, jitter: number, now: number): void {
    const { outcome } = result;
    const state = this.subscription;
    const current = this.log.find(sent.id);
    if (state === null || current === null) return;
    const isSame = current.status === "pending" && current.round === sent.round;
    this.#transact(() => {
      if (outcome === null) {
        if (isSame) this.#dropDelivery(current, state, result);
        return;
      }
      const after = isSame
        ? applyAttempt(current, outcome, jitter, now)
        : applyLateAttempt(current, outcome, now);
      this.log.update(current.status, after);
      const lastSuccessAt = this.#findLastSuccess(state);
      const applied = { sent, after, isOvertaken: !isSame, lastSuccessAt };
      this.#saveIfChanged(state, updateSubscription(state, applied, { ...result, outcome }, now));
    });
  }

  redeliver(id: number, now: number): Delivery | null {
    const delivery = this.log.find(id);
    if (delivery === null) return null;
    const again = startNewRound(delivery, now);
    this.#transact(() => {
      this.log.update(delivery.status, again);
      this.alarm.setNoLaterThan(now);
    });
    return { ...again, event: delivery.event };
  }

  /**
   * Deletes old deliveries, up to a limit. Unless more remain, runs at most once a day, because it reads all
   * deliveries.
   */
  prune(now: number): void {
    const state = this.subscription;
    if (state === null || state.pruneAt === null || state.pruneAt > now) return;
    const position = this.readPosition();
    this.#transact(() => {
      const pruned = this.log.prune(now - DELIVERY_RETENTION_MS, DELIVERIES_PRUNED_MAX);
      const isMore = pruned === DELIVERIES_PRUNED_MAX;
      this.#save({ ...state, position, pruneAt: isMore ? now : this.#findNextPrune(now) });
    });
  }

  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
    this.alarm.markFired();
    this.log.checkTable();
  }

  /** When the next work is due; null if there is none. */
  nextAlarmAt(now: number): number | null {
    const state = this.subscription;
    if (state === null) return null;
    const { closing, isBehind, pruneAt } = state;
    const rereadAt = this.isDelivering ? (state.rereadAt ?? null) : null;
    const nextAt = this.log.findNextAttemptAt();
    if (closing?.kind === "disable" || (closing?.kind === "end" && nextAt === null)) return now;
    const hasRoom = isBehind && this.isOpen && this.log.countPending() < DELIVERIES_PENDING_MAX;
    const instants = [nextAt, hasRoom ? now : null, rereadAt, pruneAt].filter((at) => at !== null);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  readStats(): WebhookStats {
    const state = this.subscription;
    return {
      pending: this.log.countPending(),
      consecutiveFailures: state?.failures ?? 0,
      lastSuccessAt: state === null ? null : this.#findLastSuccess(state),
      missed: state?.missed ?? null,
    };
  }

  /** Removes a delivery and moves the position past it, so that its event is not read again. */
  #dropDelivery(delivery: Delivery, state: SubscriptionState, { isLast }: SendResult): void {
    const position = Math.max(state.position, delivery.id);
    const closing = state.closing ?? (isLast ? { kind: "end" } : null);
    this.#saveIfChanged(state, { position, closing });
    this.log.remove(delivery);
  }

  #findLastSuccess({ lastSuccessAt }: SubscriptionState): number | null {
    return findLatestInstant(lastSuccessAt, this.log.findLastSuccessAt(RECENT_SUCCESSES_READ_MAX));
  }

  #findNextPrune(now: number): number | null {
    const oldest = this.log.findOldestEndAt();
    const isEmpty = oldest === null && this.log.countPending() === 0;
    if (isEmpty) return null;
    return Math.max(now + DAY_MS, (oldest ?? now) + DELIVERY_RETENTION_MS);
  }

  #saveIfChanged(state: SubscriptionState, changes: Partial<SubscriptionState>): void {
    const after = { ...state, ...changes };
    if (JSON.stringify(after) !== JSON.stringify(state)) this.#save(after);
  }

  #save(state: SubscriptionState): void {
    const requestId = currentRequestId() ?? state.requestId ?? null;
    this.#storage.kv.put(SUBSCRIPTION_KEY, { ...state, requestId } satisfies SubscriptionState);
  }

  #transact(write: () => void): void {
    this.alarm.transactionSync(write, () => this.log.checkTable());
  }
}
