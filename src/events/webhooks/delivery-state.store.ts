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

const SUBSCRIPTION_KEY = "standing";
/** Deliveries that go well at once do so about in their order. */
const RECENT_SUCCESSES_READ_MAX = 100;

/**
 * Where a webhook stands in the feed and what it has to deliver. Nothing here waits for anything: each
 * method is one step, so that it holds however pokes, attempts and people come in between.
 */
export class DeliveryState {
  readonly alarm: ObjectAlarm;
  readonly log: DeliveryLog;
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.alarm = new ObjectAlarm(storage);
    this.log = new DeliveryLog(storage.sql);
  }

  get subscription(): SubscriptionState | null {
    return this.#storage.kv.get<SubscriptionState>(SUBSCRIPTION_KEY) ?? null;
  }

  /** Whether it takes events in. */
  get isOpen(): boolean {
    const standing = this.subscription;
    // One that is to be disabled does, too: that may yet be taken back.
    return standing !== null && standing.isOpen && standing.closing?.kind !== "end";
  }

  /** Whether it delivers: what is pending beside its last delivery goes out too. */
  get isDelivering(): boolean {
    const standing = this.subscription;
    return standing !== null && standing.isOpen && standing.closing?.kind !== "disable";
  }

  /**
   * Where a webhook that is not open is to begin in the feed. Of a new one the registry is asked after a
   * while, so that nothing is left of one that was never put in.
   */
  setStart(webhookId: string, position: number, now: number): void {
    const { subscription } = this;
    if (subscription?.isOpen === true) return;
    this.#transact(() => {
      this.#save({
        webhookId,
        isOpen: false,
        position: Math.max(position, this.readPosition()),
        isBehind: false,
        failures: subscription?.failures ?? 0,
        lastSuccessAt: subscription?.lastSuccessAt ?? null,
        closing: null,
        pruneAt: subscription?.pruneAt ?? null,
      });
      this.alarm.set(now + WEBHOOK_BACKOFF_MAX_MS);
    });
  }

  /** Opens the webhook at its position, unless it is open. `rereadAt`: see `Standing`. */
  open(rereadAt: number | null): void {
    const { subscription } = this;
    if (subscription === null || subscription.isOpen) return;
    this.#save({ ...subscription, isOpen: true, failures: 0, closing: null, rereadAt });
  }

  /** Whether to read the feed although it announced no event. */
  isReadDue(now: number): boolean {
    const { isBehind = false, rereadAt = null } = this.subscription ?? {};
    return isBehind || (rereadAt !== null && rereadAt <= now);
  }

  /** Records a read of the feed that began at `startedAt`. */
  recordRead(startedAt: number): void {
    const standing = this.subscription;
    const rereadAt = standing?.rereadAt ?? null;
    if (standing === null || rereadAt === null || rereadAt > startedAt) return;
    this.#save({ ...standing, rereadAt: null });
  }

  /** Ends what is pending, and takes no more in. */
  stop(reason: string, now: number): void {
    const standing = this.subscription;
    if (standing === null) return;
    this.#transact(() => {
      this.log.failPending(reason, now);
      this.#saveIfChanged(standing, { isOpen: false, isBehind: false, closing: null });
    });
  }

  /** Lets a webhook go on that was to be disabled and need not be. */
  cancelClosure(): void {
    const standing = this.subscription;
    if (standing !== null) this.#save({ ...standing, closing: null });
  }

  /** Up to where the feed has been read. */
  readPosition(): number {
    return Math.max(this.subscription?.position ?? 0, this.log.findNewestId());
  }

  /** How many more deliveries may wait; without any, it is remembered that the feed holds more. */
  readCapacity(): number {
    const standing = this.subscription;
    const room = DELIVERIES_PENDING_MAX - this.log.countPending();
    if (room <= 0 && standing?.isBehind === false) this.#save({ ...standing, isBehind: true });
    return Math.max(0, room);
  }

  /**
   * Writes a page of the feed down, with the alarm that delivers it. The deliveries themselves say how
   * far it was read, which saves a row, unless `isExact`: what lies behind the last may not be read again.
   */
  storePage({ events, next, more, droppedTo }: FeedPage, isExact: boolean, now: number): void {
    const standing = this.subscription;
    if (standing === null || !this.isOpen) return;
    const missed = extendMissedRange(standing, this.readPosition(), droppedTo);
    if (missed !== undefined && missed !== standing.missed) {
      log.warn("webhook_events_missed", { webhookId: standing.webhookId, ...missed });
    }
    this.#transact(() => {
      for (const event of events) this.log.insert(createDelivery(event, now));
      const changes = {
        position: isExact || events.length === 0 ? next : standing.position,
        isBehind: more && standing.isBehind,
        ...(isExact ? { rereadAt: now + WEBHOOK_REREAD_MS } : {}),
        pruneAt:
          events.length === 0
            ? standing.pruneAt
            : (standing.pruneAt ?? now + DELIVERY_RETENTION_MS),
        ...(missed === undefined ? {} : { missed }),
      };
      this.#saveIfChanged(standing, changes);
      if (events.length > 0) this.alarm.set(now);
    });
  }

  /** Writes down how an attempt for a delivery has ended. */
  recordAttempt(sent: Delivery, ending: SendResult, jitter: number, now: number): void {
    const { outcome } = ending;
    const standing = this.subscription;
    const current = this.log.find(sent.id);
    if (standing === null || current === null) return;
    const isSame = current.status === "pending" && current.round === sent.round;
    this.#transact(() => {
      if (outcome === null) {
        if (isSame) this.#dropDelivery(current, standing, ending);
        return;
      }
      const after = isSame
        ? applyAttempt(current, outcome, jitter, now)
        : applyLateAttempt(current, outcome, now);
      this.log.update(current.status, after);
      const lastSuccessAt = this.#findLastSuccess(standing);
      const step = { sent, after, isOvertaken: !isSame, lastSuccessAt };
      this.#saveIfChanged(
        standing,
        updateSubscription(standing, step, { ...ending, outcome }, now),
      );
    });
  }

  redeliver(id: number, now: number): Delivery | null {
    const delivery = this.log.find(id);
    if (delivery === null) return null;
    const again = startNewRound(delivery, now);
    this.#transact(() => {
      this.log.update(delivery.status, again);
      this.alarm.set(now);
    });
    return { ...again, event: delivery.event };
  }

  /** Deletes deliveries that have been kept long enough: looks once a day, as it reads them all. */
  prune(now: number): void {
    const standing = this.subscription;
    if (standing === null || standing.pruneAt === null || standing.pruneAt > now) return;
    const position = this.readPosition();
    this.#transact(() => {
      const pruned = this.log.prune(now - DELIVERY_RETENTION_MS, DELIVERIES_PRUNED_MAX);
      const isMore = pruned === DELIVERIES_PRUNED_MAX;
      this.#save({ ...standing, position, pruneAt: isMore ? now : this.#findNextPrune(now) });
    });
  }

  /** Forgets everything: the webhook is no more. */
  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
    this.alarm.markFired();
    this.log.checkTable();
  }

  /** When there is something to do; null for never. */
  nextAlarmAt(now: number): number | null {
    const standing = this.subscription;
    if (standing === null) return null;
    const { closing, isBehind, pruneAt } = standing;
    const rereadAt = this.isDelivering ? (standing.rereadAt ?? null) : null;
    const nextAt = this.log.findNextAttemptAt();
    if (closing?.kind === "disable" || (closing?.kind === "end" && nextAt === null)) return now;
    const hasRoom = isBehind && this.isOpen && this.log.countPending() < DELIVERIES_PENDING_MAX;
    const instants = [nextAt, hasRoom ? now : null, rereadAt, pruneAt].filter((at) => at !== null);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  readStats(): WebhookStats {
    const standing = this.subscription;
    return {
      pending: this.log.countPending(),
      consecutiveFailures: standing?.failures ?? 0,
      lastSuccessAt: standing === null ? null : this.#findLastSuccess(standing),
      missed: standing?.missed ?? null,
    };
  }

  /** It must not be read again for that it is not there. */
  #dropDelivery(delivery: Delivery, standing: SubscriptionState, { isLast }: SendResult): void {
    const position = Math.max(standing.position, delivery.id);
    const closing = standing.closing ?? (isLast ? { kind: "end" } : null);
    this.#saveIfChanged(standing, { position, closing });
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

  #saveIfChanged(standing: SubscriptionState, changes: Partial<SubscriptionState>): void {
    const after = { ...standing, ...changes };
    if (JSON.stringify(after) !== JSON.stringify(standing)) this.#save(after);
  }

  #save(standing: SubscriptionState): void {
    this.#storage.kv.put(SUBSCRIPTION_KEY, standing);
  }

  /** All of it or nothing; what this instance knows besides goes back with it. */
  #transact(write: () => void): void {
    const undo = this.alarm.createRollback();
    try {
      this.#storage.transactionSync(write);
    } catch (error) {
      undo();
      this.log.checkTable();
      throw error;
    }
  }
}
