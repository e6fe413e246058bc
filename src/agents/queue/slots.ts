import { OFFER_BACKOFF_MAX_MS, OFFER_BACKOFF_MIN_MS } from "../limits.ts";
import { findNextEntry, type QueueEntry } from "../model/queue-entry.ts";
import type { OfferResult, StoredQueueEntry, QueueRecord, QueueStore } from "./queue.store.ts";
import type { QueueCounts, QueueTerms } from "./queue.rpc.ts";

/** A question to a task that is on its way. `leftSeq`: the task has told meanwhile that it left. */
interface OpenOffer {
  readonly asked: StoredQueueEntry;
  leftSeq: number;
}

/** A task that a worker holds with a key. */
export interface HeldLease {
  readonly taskId: string;
  readonly keyId: string;
}

/** The generation of a task that waits for what this queue does not do: it goes back at once. */
const MISMATCHED_GENERATION = -1;

/**
 * Who waits and who holds a place. Nothing here waits for anything: each method is one step, so that
 * however calls interleave, a task is asked once at a time and no place is given twice.
 */
export class QueueSlots {
  readonly #store: QueueStore;
  readonly #entries: Map<string, StoredQueueEntry>;
  readonly #openOffers = new Map<string, OpenOffer>();
  /** Tasks that hold a place or are being asked: what counts against the limit. */
  readonly #occupied: Set<string>;
  /** Tasks that hold a place and have yet to be asked whether they want it. */
  readonly #unoffered = new Set<string>();
  /** Tasks that hold a place by their rows, and of whom this object has written down no answer. */
  readonly #unconfirmed: Set<string>;
  /** Tasks held with a key that can end. */
  readonly #leased: Set<string>;
  /** Tasks that are being asked to end their lease. */
  readonly #endingLeases = new Set<string>();
  readonly #backoff = new OfferBackoff();
  #record: QueueRecord | null;

  constructor(store: QueueStore) {
    this.#store = store;
    this.#entries = new Map([...store.listEntries()].map((entry) => [entry.taskId, entry]));
    const running = [...this.#entries.values()].filter(({ isRunning }) => isRunning);
    this.#occupied = new Set(running.map(({ taskId }) => taskId));
    this.#unconfirmed = new Set(this.#occupied);
    const leased = [...this.#entries.values()].filter(({ keyId }) => keyId !== null);
    this.#leased = new Set(leased.map(({ taskId }) => taskId));
    this.#record = store.loadRecord();
  }

  get record(): QueueRecord | null {
    return this.#record;
  }

  readCounts(): QueueCounts {
    const running = [...this.#entries.values()].filter(({ isRunning }) => isRunning).length;
    const waiting = this.#entries.size - running;
    return { waiting, running, limit: this.#record?.terms.limit ?? null };
  }

  /** Tasks claimed with this key or with one that is not recorded: the root key, or any key in older rows. */
  listClaimedTaskIds(claimKeyId: string): string[] {
    const ofKey = [...this.#entries.values()].filter(
      ({ isRunning, keyId }) => isRunning && (keyId === null || keyId === claimKeyId),
    );
    return ofKey.map(({ taskId }) => taskId);
  }

  /** A queue that closes, or gives work out in another way, gives back who waits in it. */
  configure(agentId: string, terms: QueueTerms, isOpen: boolean): void {
    const before = this.#record;
    const isTurned = before !== null && before.terms.isPulled !== terms.isPulled;
    const isEnd = isTurned || (before?.isOpen === true && !isOpen);
    const generation = (before?.generation ?? 0) + (isEnd ? 1 : 0);
    if (before?.isOpen === isOpen && before.terms.limit === terms.limit && !isTurned) return;
    const record = { agentId, terms, isOpen, generation };
    this.#store.saveRecord(record);
    this.#record = record;
  }

  /** The task waits, as of the event `seq` of its log, for work that is given out as `terms` say. */
  enqueue(reported: Omit<QueueEntry, "isRunning">, terms: QueueTerms, now: number): void {
    const { taskId, seq } = reported;
    const entry = this.#entries.get(taskId);
    const flight = this.#openOffers.get(taskId);
    if (seq < Math.max(entry?.seq ?? 0, flight?.leftSeq ?? 0)) return;
    this.#backoff.reset(taskId);
    if (entry?.seq === seq && (!entry.isRunning || flight !== undefined)) return;
    const isFitting = terms.isPulled === this.#record?.terms.isPulled;
    const generation = isFitting ? this.#generation() : MISMATCHED_GENERATION;
    const waiting: StoredQueueEntry = { ...reported, generation, isRunning: false, keyId: null };
    // In its own place, or in a free one where it comes first: then its row is written only once.
    const isRunning =
      this.#startsTasks() &&
      isFitting &&
      (entry?.isRunning === true || (flight === undefined && this.#isNext(waiting, now)));
    this.#set({ ...waiting, isRunning });
    if (isRunning) this.#unoffered.add(taskId);
  }

  /** Whether tasks wait that must have been told otherwise of the agent than the queue was. */
  hasStaleEntries(now: number): boolean {
    const late = new Set([MISMATCHED_GENERATION, this.#generation()]);
    return this.#listToRelease(now).some(({ generation }) => late.has(generation));
  }

  /** The task needs no place any more, as of the event `seq` of its log. */
  removeTask(taskId: string, seq: number): void {
    const flight = this.#openOffers.get(taskId);
    if (flight !== undefined) flight.leftSeq = Math.max(flight.leftSeq, seq);
    const entry = this.#entries.get(taskId);
    if (entry !== undefined && entry.seq <= seq) this.#remove(taskId);
  }

  /** The task to be offered a place now; the place is taken until `settle`. Null when there is none. */
  pickNext(now: number): StoredQueueEntry | null {
    for (const taskId of this.#unoffered) {
      const entry = this.#entries.get(taskId);
      if (entry === undefined || this.#openOffers.has(taskId)) continue;
      this.#unoffered.delete(taskId);
      return this.#openOffer(entry);
    }
    const entry = this.#hasFreeSlot() ? findNextEntry(this.#listWaiting(now), now) : null;
    return entry === null ? null : this.#openOffer(entry);
  }

  /**
   * A task whose place others wait for, and which may have left it unheard: each is asked until its answer
   * is written down, so that no place is lost for ever. Null when there is none.
   */
  pickUnconfirmedHolder(now: number): StoredQueueEntry | null {
    if (this.#hasFreeSlot() || this.#listWaiting(now).next().done === true) return null;
    const held = [...this.#unconfirmed].find((taskId) => !this.#openOffers.has(taskId));
    const entry = held === undefined ? undefined : this.#entries.get(held);
    return entry === undefined ? null : this.#openOffer(entry);
  }

  /** Whether `pick` would find a task. */
  canPick(now: number): boolean {
    if ([...this.#unoffered].some((taskId) => !this.#openOffers.has(taskId))) return true;
    return this.#hasFreeSlot() && this.#listWaiting(now).next().done !== true;
  }

  recordOffer({ taskId }: StoredQueueEntry, answer: OfferResult, now: number): void {
    const { asked, leftSeq } = this.#closeOffer(taskId);
    const entry = this.#entries.get(taskId);
    if (answer.kind === "lost") {
      if (entry !== undefined) this.#backoff.recordFailure(taskId, now);
      // Others are not kept waiting for it; should it work after all, it says so when asked again.
      this.#unoffered.delete(taskId);
      if (entry?.isRunning === true) this.#set({ ...entry, isRunning: false });
      return;
    }
    this.#backoff.reset(taskId);
    if (answer.kind === "admitted") {
      if (answer.seq <= Math.max(entry?.seq ?? 0, leftSeq)) return;
      const { seq, keyId } = answer;
      this.#set({ ...(entry ?? asked), seq, keyId, isRunning: true });
      return;
    }
    // What it told while it was being asked may be newer than its answer: it is asked again.
    if (entry?.seq !== asked.seq) return;
    if (answer.isWorking) this.#set({ ...entry, isRunning: true });
    else this.#remove(taskId);
  }

  /** A task that is to go back; null when there is none. */
  pickToRelease(now: number): StoredQueueEntry | null {
    const entry = this.#listToRelease(now).next();
    return entry.done === true ? null : this.#openOffer(entry.value);
  }

  /** The task has heard that it is not to wait here; what it did not hear is said again later. */
  recordRelease({ taskId, seq }: StoredQueueEntry, isHeard: boolean, now: number): void {
    this.#closeOffer(taskId);
    const entry = this.#entries.get(taskId);
    if (entry !== undefined && !isHeard) this.#backoff.recordFailure(taskId, now);
    else if (entry?.seq === seq) this.#remove(taskId);
  }

  /** Whether any lease is held with a key that can end. */
  get hasLeases(): boolean {
    return this.#leased.size > 0;
  }

  /** The keys with which leases are held. */
  listLeaseKeys(): string[] {
    return [...new Set(this.#listLeases().map(({ keyId }) => keyId))];
  }

  /** Picks a lease of one of these keys for its task to end; null if there is none. */
  pickLeaseToEnd(keyIds: ReadonlySet<string>, now: number): HeldLease | null {
    const lease = this.#listLeases().find(
      ({ taskId, keyId }) =>
        keyIds.has(keyId) &&
        !this.#endingLeases.has(taskId) &&
        !this.#backoff.isWaiting(taskId, now),
    );
    if (lease === undefined) return null;
    this.#endingLeases.add(lease.taskId);
    return lease;
  }

  /**
   * Records the result of asking a task to end a lease. A task that did not answer is asked again later;
   * otherwise the key is cleared in memory only, because the row is deleted when the task leaves its place.
   */
  recordLeaseEnd({ taskId, keyId }: HeldLease, isHeard: boolean, now: number): void {
    this.#endingLeases.delete(taskId);
    const entry = this.#entries.get(taskId);
    if (entry?.keyId !== keyId) return;
    if (!isHeard) return this.#backoff.recordFailure(taskId, now);
    this.#entries.set(taskId, { ...entry, keyId: null });
    this.#leased.delete(taskId);
  }

  /** When something has to be done that no call will bring about; null for never. */
  nextAlarmAt(now: number): number | null {
    if (this.#listToRelease(now).next().done !== true) return now;
    return this.#backoff.findNextRetryAt(now);
  }

  #listLeases(): HeldLease[] {
    return [...this.#leased].flatMap((taskId) => {
      const keyId = this.#entries.get(taskId)?.keyId ?? null;
      return keyId === null ? [] : [{ taskId, keyId }];
    });
  }

  #generation(): number {
    return this.#record?.generation ?? 0;
  }

  #isOpen(): boolean {
    return this.#record?.isOpen !== false;
  }

  /** Whether tasks are offered places as soon as there are any. */
  #startsTasks(): boolean {
    return this.#isOpen() && this.#record?.terms.isPulled === false;
  }

  #hasFreeSlot(): boolean {
    const limit = this.#record?.terms.limit ?? null;
    return limit === null || this.#occupied.size < limit;
  }

  #isNext(entry: StoredQueueEntry, now: number): boolean {
    return this.#hasFreeSlot() && findNextEntry([entry, ...this.#listWaiting(now)], now) === entry;
  }

  /** Those who wait for a place and can be asked now. */
  *#listWaiting(now: number): Generator<StoredQueueEntry> {
    if (!this.#isOpen()) return;
    for (const entry of this.#listReachable(now)) {
      if (entry.generation === this.#generation()) yield entry;
    }
  }

  /** Those who wait and are to go back, and can be told so now. */
  *#listToRelease(now: number): Generator<StoredQueueEntry> {
    for (const entry of this.#listReachable(now)) {
      if (!this.#isOpen() || entry.generation !== this.#generation()) yield entry;
    }
  }

  *#listReachable(now: number): Generator<StoredQueueEntry> {
    for (const entry of this.#entries.values()) {
      const { taskId, isRunning } = entry;
      if (!isRunning && !this.#backoff.isWaiting(taskId, now) && !this.#openOffers.has(taskId))
        yield entry;
    }
  }

  #openOffer(asked: StoredQueueEntry): StoredQueueEntry {
    this.#openOffers.set(asked.taskId, { asked, leftSeq: 0 });
    if (asked.isRunning) this.#unconfirmed.add(asked.taskId);
    this.#updateOccupied(asked.taskId);
    return asked;
  }

  #closeOffer(taskId: string): OpenOffer {
    const flight = this.#openOffers.get(taskId);
    if (flight === undefined) throw new Error("Only a task that is being asked can answer");
    this.#openOffers.delete(taskId);
    this.#updateOccupied(taskId);
    return flight;
  }

  /**
   * Writes the row first, so that a failed write changes nothing. While a task runs, its row is written only if
   * its key changes.
   */
  #set(entry: StoredQueueEntry): void {
    const before = this.#entries.get(entry.taskId);
    const isWritten = before?.isRunning === true && before.keyId === entry.keyId;
    if (!isWritten || !entry.isRunning) this.#store.put(entry);
    this.#entries.set(entry.taskId, entry);
    this.#unconfirmed.delete(entry.taskId);
    if (entry.keyId === null) this.#leased.delete(entry.taskId);
    else this.#leased.add(entry.taskId);
    this.#updateOccupied(entry.taskId);
  }

  #remove(taskId: string): void {
    this.#store.remove(taskId);
    this.#entries.delete(taskId);
    this.#unoffered.delete(taskId);
    this.#unconfirmed.delete(taskId);
    this.#leased.delete(taskId);
    this.#backoff.reset(taskId);
    this.#updateOccupied(taskId);
  }

  #updateOccupied(taskId: string): void {
    const isTaken = this.#openOffers.has(taskId) || this.#entries.get(taskId)?.isRunning === true;
    if (isTaken) this.#occupied.add(taskId);
    else this.#occupied.delete(taskId);
  }
}

/** Tasks that did not answer, and are left alone for a while: each time for twice as long. */
export class OfferBackoff {
  readonly #pauses = new Map<string, { readonly until: number; readonly pauseMs: number }>();

  recordFailure(taskId: string, now: number): void {
    const before = this.#pauses.get(taskId)?.pauseMs ?? OFFER_BACKOFF_MIN_MS / 2;
    const pauseMs = Math.min(2 * before, OFFER_BACKOFF_MAX_MS);
    this.#pauses.set(taskId, { until: now + pauseMs, pauseMs });
  }

  /** It has been heard of, or is gone. */
  reset(taskId: string): void {
    this.#pauses.delete(taskId);
  }

  isWaiting(taskId: string, now: number): boolean {
    return (this.#pauses.get(taskId)?.until ?? 0) > now;
  }

  /** When the next of those that rest is to be asked again; null when none rests. */
  findNextRetryAt(now: number): number | null {
    const ends = [...this.#pauses.values()].map(({ until }) => until).filter((end) => end > now);
    return ends.length === 0 ? null : Math.min(...ends);
  }
}
