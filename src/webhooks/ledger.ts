import { WakeUp } from "../clock/wake-up.ts";
import {
  afterAttempt,
  incoming,
  overtaken,
  redelivered,
  type Delivery,
} from "../domain/delivery.ts";
import {
  DELIVERIES_PENDING_MAX,
  DELIVERIES_PRUNED_MAX,
  DELIVERY_RETENTION_MS,
  RETENTION_DAY_MS,
  WEBHOOK_REREAD_MS,
  WEBHOOK_REST_MAX_MS,
} from "../domain/limits.ts";
import type { FeedPage } from "../events/port.ts";
import { DeliveryLog } from "./log.ts";
import type { WebhookStanding } from "./port.ts";
import { latest, missedAfter, standingAfter, type Ending, type Standing } from "./standing.ts";

const KEY = "standing";
/** Deliveries that go well at once do so about in their order. */
const SUCCESSES_LOOKED_AT = 100;

/**
 * Where a webhook stands in the feed and what it has to deliver. Nothing here waits for anything: each
 * method is one step, so that it holds however pokes, attempts and people come in between.
 */
export class Ledger {
  readonly wakeUp: WakeUp;
  readonly log: DeliveryLog;
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.wakeUp = new WakeUp(storage);
    this.log = new DeliveryLog(storage.sql);
  }

  get standing(): Standing | null {
    return this.#storage.kv.get<Standing>(KEY) ?? null;
  }

  /** Whether it takes events in. */
  get isOpen(): boolean {
    const standing = this.standing;
    // One that is to be disabled does, too: that may yet be taken back.
    return standing !== null && standing.isOpen && standing.closing?.kind !== "end";
  }

  /** Whether it delivers: what is pending beside its last delivery goes out too. */
  get isDelivering(): boolean {
    const standing = this.standing;
    return standing !== null && standing.isOpen && standing.closing?.kind !== "disable";
  }

  /**
   * Where a webhook that is not open is to begin in the feed. Of a new one the registry is asked after a
   * while, so that nothing is left of one that was never put in.
   */
  place(webhookId: string, position: number, now: number): void {
    const { standing } = this;
    if (standing?.isOpen === true) return;
    this.#transact(() => {
      this.#keep({
        webhookId,
        isOpen: false,
        position: Math.max(position, this.position()),
        isBehind: false,
        failures: standing?.failures ?? 0,
        lastSuccessAt: standing?.lastSuccessAt ?? null,
        closing: null,
        pruneAt: standing?.pruneAt ?? null,
      });
      this.wakeUp.set(now + WEBHOOK_REST_MAX_MS);
    });
  }

  /** Opens the webhook at its position, unless it is open. `rereadAt`: see `Standing`. */
  open(rereadAt: number | null): void {
    const { standing } = this;
    if (standing === null || standing.isOpen) return;
    this.#keep({ ...standing, isOpen: true, failures: 0, closing: null, rereadAt });
  }

  /** Whether to read the feed although it announced no event. */
  mustRead(now: number): boolean {
    const { isBehind = false, rereadAt = null } = this.standing ?? {};
    return isBehind || (rereadAt !== null && rereadAt <= now);
  }

  /** Records a read of the feed that began at `startedAt`. */
  reread(startedAt: number): void {
    const standing = this.standing;
    const rereadAt = standing?.rereadAt ?? null;
    if (standing === null || rereadAt === null || rereadAt > startedAt) return;
    this.#keep({ ...standing, rereadAt: null });
  }

  /** Ends what is pending, and takes no more in. */
  halt(reason: string, now: number): void {
    const standing = this.standing;
    if (standing === null) return;
    this.#transact(() => {
      this.log.giveUp(reason, now);
      this.#change(standing, { isOpen: false, isBehind: false, closing: null });
    });
  }

  /** Lets a webhook go on that was to be disabled and need not be. */
  reprieve(): void {
    const standing = this.standing;
    if (standing !== null) this.#keep({ ...standing, closing: null });
  }

  /** Up to where the feed has been read. */
  position(): number {
    return Math.max(this.standing?.position ?? 0, this.log.newestId());
  }

  /** How many more deliveries may wait; without any, it is remembered that the feed holds more. */
  room(): number {
    const standing = this.standing;
    const room = DELIVERIES_PENDING_MAX - this.log.pending();
    if (room <= 0 && standing?.isBehind === false) this.#keep({ ...standing, isBehind: true });
    return Math.max(0, room);
  }

  /**
   * Writes a page of the feed down, with the alarm that delivers it. The deliveries themselves say how
   * far it was read, which saves a row, unless `isExact`: what lies behind the last may not be read again.
   */
  takeIn({ events, next, more, droppedTo }: FeedPage, isExact: boolean, now: number): void {
    const standing = this.standing;
    if (standing === null || !this.isOpen) return;
    const missed = missedAfter(standing, this.position(), droppedTo);
    if (missed !== undefined && missed !== standing.missed) {
      console.warn({ event: "webhook_events_missed", webhookId: standing.webhookId, ...missed });
    }
    this.#transact(() => {
      for (const event of events) this.log.insert(incoming(event, now));
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
      this.#change(standing, changes);
      if (events.length > 0) this.wakeUp.set(now);
    });
  }

  /** Writes down how an attempt for a delivery has ended. */
  settle(sent: Delivery, ending: Ending, jitter: number, now: number): void {
    const { outcome } = ending;
    const standing = this.standing;
    const current = this.log.find(sent.id);
    if (standing === null || current === null) return;
    const isSame = current.status === "pending" && current.round === sent.round;
    this.#transact(() => {
      if (outcome === null) {
        if (isSame) this.#leaveOut(current, standing, ending);
        return;
      }
      const after = isSame
        ? afterAttempt(current, outcome, jitter, now)
        : overtaken(current, outcome, now);
      this.log.update(current.status, after);
      const lastSuccessAt = this.#lastSuccessAt(standing);
      const step = { sent, after, isOvertaken: !isSame, lastSuccessAt };
      this.#change(standing, standingAfter(standing, step, { ...ending, outcome }, now));
    });
  }

  redeliver(id: number, now: number): Delivery | null {
    const delivery = this.log.find(id);
    if (delivery === null) return null;
    const again = redelivered(delivery, now);
    this.#transact(() => {
      this.log.update(delivery.status, again);
      this.wakeUp.set(now);
    });
    return { ...again, event: delivery.event };
  }

  /** Deletes deliveries that have been kept long enough: looks once a day, as it reads them all. */
  prune(now: number): void {
    const standing = this.standing;
    if (standing === null || standing.pruneAt === null || standing.pruneAt > now) return;
    const position = this.position();
    this.#transact(() => {
      const pruned = this.log.prune(now - DELIVERY_RETENTION_MS, DELIVERIES_PRUNED_MAX);
      const isMore = pruned === DELIVERIES_PRUNED_MAX;
      this.#keep({ ...standing, position, pruneAt: isMore ? now : this.#nextPruneAt(now) });
    });
  }

  /** Forgets everything: the webhook is no more. */
  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
    this.wakeUp.fired();
    this.log.recall();
  }

  /** When there is something to do; null for never. */
  dueAt(now: number): number | null {
    const standing = this.standing;
    if (standing === null) return null;
    const { closing, isBehind, pruneAt } = standing;
    const rereadAt = this.isDelivering ? (standing.rereadAt ?? null) : null;
    const nextAt = this.log.nextAt();
    if (closing?.kind === "disable" || (closing?.kind === "end" && nextAt === null)) return now;
    const hasRoom = isBehind && this.isOpen && this.log.pending() < DELIVERIES_PENDING_MAX;
    const instants = [nextAt, hasRoom ? now : null, rereadAt, pruneAt].filter((at) => at !== null);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  report(): WebhookStanding {
    const standing = this.standing;
    return {
      pending: this.log.pending(),
      consecutiveFailures: standing?.failures ?? 0,
      lastSuccessAt: standing === null ? null : this.#lastSuccessAt(standing),
      missed: standing?.missed ?? null,
    };
  }

  /** It must not be read again for that it is not there. */
  #leaveOut(delivery: Delivery, standing: Standing, { isLast }: Ending): void {
    const position = Math.max(standing.position, delivery.id);
    const closing = standing.closing ?? (isLast ? { kind: "end" } : null);
    this.#change(standing, { position, closing });
    this.log.remove(delivery);
  }

  #lastSuccessAt({ lastSuccessAt }: Standing): number | null {
    return latest(lastSuccessAt, this.log.lastSuccessAt(SUCCESSES_LOOKED_AT));
  }

  #nextPruneAt(now: number): number | null {
    const oldest = this.log.oldestEndAt();
    const isEmpty = oldest === null && this.log.pending() === 0;
    if (isEmpty) return null;
    return Math.max(now + RETENTION_DAY_MS, (oldest ?? now) + DELIVERY_RETENTION_MS);
  }

  #change(standing: Standing, changes: Partial<Standing>): void {
    const after = { ...standing, ...changes };
    if (JSON.stringify(after) !== JSON.stringify(standing)) this.#keep(after);
  }

  #keep(standing: Standing): void {
    this.#storage.kv.put(KEY, standing);
  }

  /** All of it or nothing; what this instance knows besides goes back with it. */
  #transact(write: () => void): void {
    const undo = this.wakeUp.undo();
    try {
      this.#storage.transactionSync(write);
    } catch (error) {
      undo();
      this.log.recall();
      throw error;
    }
  }
}
