import { findNextEntry, type QueueEntry } from "../model/queue-entry.ts";
import { OfferBackoff } from "./offer-backoff.ts";
import type { OfferResult, StoredQueueEntry, QueueRecord, QueueStore } from "./queue.store.ts";
import type { QueueCounts, QueueTerms } from "./queue.rpc.ts";
import { currentRequestId, joinRequestIds } from "../../platform/request-id.ts";

/** An open offer to a task. `leftSeq` is the last event that removed the task from the queue during the offer. */
interface OpenOffer {
  readonly offered: StoredQueueEntry;
  leftSeq: number;
}

/** The lease on a task that was claimed with a key. */
export interface HeldLease {
  readonly taskId: string;
  readonly keyId: string;
}

/** The generation of tasks that this queue cannot serve and therefore releases immediately. */
const MISMATCHED_GENERATION = -1;

/**
 * Waiting tasks and tasks in slots. All methods are synchronous, so however calls interleave, a task has at most one
 * open offer and no slot is assigned twice.
 */
export class QueueSlots {
  readonly #store: QueueStore;
  readonly #entries: Map<string, StoredQueueEntry>;
  readonly #openOffers = new Map<string, OpenOffer>();
  /** Tasks with a slot or an open offer, which count against the limit. */
  readonly #occupied: Set<string>;
  /** Tasks with a slot that has not been offered to them yet. */
  readonly #unoffered = new Set<string>();
  /** Tasks that have a slot according to their rows but have not yet responded to this instance. */
  readonly #unconfirmed: Set<string>;
  /** Tasks claimed with a key that can expire or be revoked. */
  readonly #leased: Set<string>;
  /** Tasks that know that the agent is paused. */
  readonly #held = new Set<string>();
  /** Tasks that are being asked to end their leases. */
  readonly #endingLeases = new Set<string>();
  readonly #backoff = new OfferBackoff();
  #record: QueueRecord | null;

  constructor(store: QueueStore) {
    this.#store = store;
    this.#entries = new Map([...store.listEntries()].map((entry) => [entry.taskId, entry]));
    this.#occupied = new Set(this.#listTaskIds(({ isRunning }) => isRunning));
    this.#unconfirmed = new Set(this.#occupied);
    this.#leased = new Set(this.#listTaskIds(({ keyId }) => keyId !== null));
    this.#record = store.loadRecord();
  }

  get record(): QueueRecord | null {
    return this.#record;
  }

  /** The requests that caused the pending work. A new instance uses them for its alarm. */
  get requestId(): string | null {
    const pending = [...this.#entries.values()].filter(
      ({ isRunning, keyId }) => !isRunning || keyId !== null,
    );
    const causes = pending.map((entry) =>
      entry.isRunning || this.#isStale(entry) ? entry.requestId : this.#record?.requestId,
    );
    return joinRequestIds(causes);
  }

  get hasEntries(): boolean {
    return this.#entries.size > 0;
  }

  readCounts(): QueueCounts {
    const running = this.#listTaskIds(({ isRunning }) => isRunning).length;
    const waiting = this.#entries.size - running;
    return { waiting, running, limit: this.#record?.terms.limit ?? null };
  }

  /** The tasks that occupy slots, in no particular order. */
  listRunning(): StoredQueueEntry[] {
    return [...this.#entries.values()].filter(({ isRunning }) => isRunning);
  }

  /** Tasks claimed with this key or with an unrecorded key (the root key, or any key in older rows). */
  listClaimedTaskIds(claimKeyId: string): string[] {
    return this.#listTaskIds(
      ({ isRunning, keyId }) => isRunning && (keyId === null || keyId === claimKeyId),
    );
  }

  /**
   * Updates the agent's settings. If the queue closes, or switches between claims and automatic starts, it releases its
   * waiting tasks.
   */
  configure(agentId: string, terms: QueueTerms, isOpen: boolean): void {
    const before = this.#record;
    const isOtherMode = before !== null && before.terms.isPulled !== terms.isPulled;
    const isEnd = isOtherMode || (before?.isOpen === true && !isOpen);
    const generation = (before?.generation ?? 0) + (isEnd ? 1 : 0);
    const isPaused = terms.isPaused === true;
    const wasPaused = before?.terms.isPaused === true;
    if (!isPaused) this.#held.clear();
    const isSameLimit = before?.terms.limit === terms.limit;
    if (before?.isOpen === isOpen && isSameLimit && wasPaused === isPaused && !isOtherMode) return;
    const record = { agentId, terms, isOpen, generation, requestId: currentRequestId() };
    this.#store.saveRecord(record);
    this.#record = record;
  }

  /** Adds a task that waits as of log event `seq`. `terms` are the settings from its assignment. */
  enqueue(reported: Omit<QueueEntry, "isRunning">, terms: QueueTerms, now: number): void {
    const { taskId, seq } = reported;
    const entry = this.#entries.get(taskId);
    const openOffer = this.#openOffers.get(taskId);
    if (seq < Math.max(entry?.seq ?? 0, openOffer?.leftSeq ?? 0)) return;
    this.#backoff.reset(taskId);
    if (terms.isPaused === true) this.#held.add(taskId);
    else if (entry?.seq !== seq) this.#held.delete(taskId);
    if (entry?.seq === seq && (!entry.isRunning || openOffer !== undefined)) return;
    const isFitting = terms.isPulled === this.#record?.terms.isPulled;
    const generation = isFitting ? this.#generation() : MISMATCHED_GENERATION;
    const fresh = { isRunning: false, keyId: null, worker: null };
    const requestId = currentRequestId();
    const waiting: StoredQueueEntry = { ...reported, generation, ...fresh, requestId };
    // A task that can start now is stored as running, so its row is written only once.
    const isRunning =
      this.#startsTasks() &&
      isFitting &&
      (entry?.isRunning === true || (openOffer === undefined && this.#isNext(waiting, now)));
    this.#set({ ...waiting, isRunning });
    if (isRunning) this.#unoffered.add(taskId);
  }

  /** Whether any task to release was assigned with settings that differ from the queue's. */
  hasStaleEntries(now: number): boolean {
    return this.#listToRelease(now).some((entry) => this.#isStale(entry));
  }

  /**
   * Whether a task was added after the record was written, which makes the task's own call the cause of its release.
   */
  #isStale({ generation }: StoredQueueEntry): boolean {
    return generation === MISMATCHED_GENERATION || generation === this.#generation();
  }

  /** Removes a task that no longer needs a slot as of log event `seq`. */
  removeTask(taskId: string, seq: number): void {
    const openOffer = this.#openOffers.get(taskId);
    if (openOffer !== undefined) openOffer.leftSeq = Math.max(openOffer.leftSeq, seq);
    const entry = this.#entries.get(taskId);
    if (entry !== undefined && entry.seq <= seq) this.#remove(taskId);
  }

  /** Picks the next task to offer a slot to; null if there is none. The slot is reserved until `recordOffer`. */
  pickNext(now: number): StoredQueueEntry | null {
    if (this.isPaused) return null;
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
   * Picks a task that may have left its slot unnoticed while others wait for a slot; null if there is none. It is
   * offered its slot again until it responds, so that no slot is lost.
   */
  pickUnconfirmedHolder(now: number): StoredQueueEntry | null {
    if (this.#hasFreeSlot() || this.#listWaiting(now).next().done === true) return null;
    const taskId = [...this.#unconfirmed].find((id) => !this.#openOffers.has(id));
    const entry = taskId === undefined ? undefined : this.#entries.get(taskId);
    return entry === undefined ? null : this.#openOffer(entry);
  }

  /** Whether `pickNext` would find a task. */
  canPick(now: number): boolean {
    if (this.isPaused) return false;
    if ([...this.#unoffered].some((taskId) => !this.#openOffers.has(taskId))) return true;
    return this.#hasFreeSlot() && this.#listWaiting(now).next().done !== true;
  }

  recordOffer({ taskId }: StoredQueueEntry, answer: OfferResult, now: number): void {
    const { offered, leftSeq } = this.#closeOffer(taskId);
    const entry = this.#entries.get(taskId);
    if (answer.kind === "lost") {
      if (entry !== undefined) this.#backoff.recordFailure(taskId, now);
      // Do not hold up other tasks. If this task is running, its response to the next offer will say so.
      this.#unoffered.delete(taskId);
      if (entry?.isRunning === true) this.#set({ ...entry, isRunning: false });
      return;
    }
    this.#backoff.reset(taskId);
    if (answer.kind === "admitted") {
      if (answer.seq <= Math.max(entry?.seq ?? 0, leftSeq)) return;
      const { seq, keyId, worker } = answer;
      const requestId = currentRequestId();
      this.#set({ ...(entry ?? offered), seq, keyId, worker, isRunning: true, requestId });
      return;
    }
    // A call made during the offer may be newer than the response, so the task gets another offer.
    if (entry?.seq !== offered.seq) return;
    if (answer.isWorking) this.#set({ ...entry, isRunning: true });
    else this.#remove(taskId);
  }

  /**
   * Picks a task to tell that the agent is paused: it waits, or a worker holds it. A task in a slot without a worker
   * notices the pause itself. Null if there is none.
   */
  pickToHold(now: number): StoredQueueEntry | null {
    const entry = this.#listToHold(now).next();
    return entry.done === true ? null : this.#openOffer(entry.value);
  }

  /** Records that a task knows of the pause. If the task did not respond, it is told again later. */
  recordHold({ taskId }: StoredQueueEntry, isAnswered: boolean, now: number): void {
    this.#closeOffer(taskId);
    if (!this.#entries.has(taskId)) return;
    if (!isAnswered) this.#backoff.recordFailure(taskId, now);
    else if (this.isPaused) this.#held.add(taskId);
  }

  /** Picks the next task to release; null if there is none. */
  pickToRelease(now: number): StoredQueueEntry | null {
    const entry = this.#listToRelease(now).next();
    return entry.done === true ? null : this.#openOffer(entry.value);
  }

  /** Records the result of a release. If the task did not respond, the release is retried later. */
  recordRelease({ taskId, seq }: StoredQueueEntry, isAnswered: boolean, now: number): void {
    this.#closeOffer(taskId);
    const entry = this.#entries.get(taskId);
    if (entry !== undefined && !isAnswered) this.#backoff.recordFailure(taskId, now);
    else if (entry?.seq === seq) this.#remove(taskId);
  }

  /** Whether any task is claimed with a key that can expire or be revoked. */
  get hasLeases(): boolean {
    return this.#leased.size > 0;
  }

  listLeaseKeys(): string[] {
    return [...new Set(this.#listLeases().map(({ keyId }) => keyId))];
  }

  /**
   * Picks a lease held with one of these keys so that its task can be asked to end the lease; null if there is none.
   */
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
   * Records the result of asking a task to end a lease. If the task did not respond, it is asked again later. Otherwise
   * the key is cleared only in memory, because the row is deleted when the task leaves its slot.
   */
  recordLeaseEnd({ taskId, keyId }: HeldLease, isAnswered: boolean, now: number): void {
    this.#endingLeases.delete(taskId);
    const entry = this.#entries.get(taskId);
    if (entry?.keyId !== keyId) return;
    if (!isAnswered) return this.#backoff.recordFailure(taskId, now);
    this.#entries.set(taskId, { ...entry, keyId: null });
    this.#leased.delete(taskId);
  }

  /** When the next work that no call will trigger is due; null if there is none. */
  nextAlarmAt(now: number): number | null {
    if (this.#listToRelease(now).next().done !== true) return now;
    if (this.#listToHold(now).next().done !== true) return now;
    return this.#backoff.findNextRetryAt(now);
  }

  #listTaskIds(matches: (entry: StoredQueueEntry) => boolean): string[] {
    return Array.from(this.#entries.values().filter(matches), ({ taskId }) => taskId);
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

  get isPaused(): boolean {
    return this.#record?.terms.isPaused === true;
  }

  #isOpen(): boolean {
    return this.#record?.isOpen !== false;
  }

  /** Whether the queue starts tasks as soon as a slot is free. */
  #startsTasks(): boolean {
    return this.#isOpen() && !this.isPaused && this.#record?.terms.isPulled === false;
  }

  #hasFreeSlot(): boolean {
    const limit = this.#record?.terms.limit ?? null;
    return limit === null || this.#occupied.size < limit;
  }

  #isNext(entry: StoredQueueEntry, now: number): boolean {
    return this.#hasFreeSlot() && findNextEntry([entry, ...this.#listWaiting(now)], now) === entry;
  }

  /** Tasks that wait for a slot and can be offered one now. */
  *#listWaiting(now: number): Generator<StoredQueueEntry> {
    if (!this.#isOpen() || this.isPaused) return;
    for (const entry of this.#listReachable(now)) {
      if (entry.generation === this.#generation()) yield entry;
    }
  }

  /** Waiting tasks that must be released and can be called now. */
  *#listToRelease(now: number): Generator<StoredQueueEntry> {
    for (const entry of this.#listReachable(now)) {
      if (!this.#isOpen() || entry.generation !== this.#generation()) yield entry;
    }
  }

  /** Tasks to tell that the agent is paused. */
  *#listToHold(now: number): Generator<StoredQueueEntry> {
    if (!this.isPaused) return;
    const hasWorkers = this.#record?.terms.isPulled === true;
    for (const entry of this.#entries.values()) {
      const isConcerned = !entry.isRunning || hasWorkers;
      if (isConcerned && !this.#held.has(entry.taskId) && this.#isReachable(entry, now))
        yield entry;
    }
  }

  *#listReachable(now: number): Generator<StoredQueueEntry> {
    for (const entry of this.#entries.values()) {
      if (!entry.isRunning && this.#isReachable(entry, now)) yield entry;
    }
  }

  #isReachable({ taskId }: StoredQueueEntry, now: number): boolean {
    return !this.#backoff.isWaiting(taskId, now) && !this.#openOffers.has(taskId);
  }

  #openOffer(offered: StoredQueueEntry): StoredQueueEntry {
    this.#openOffers.set(offered.taskId, { offered, leftSeq: 0 });
    if (offered.isRunning) this.#unconfirmed.add(offered.taskId);
    this.#updateOccupied(offered.taskId);
    return offered;
  }

  #closeOffer(taskId: string): OpenOffer {
    const openOffer = this.#openOffers.get(taskId);
    if (openOffer === undefined) throw new Error("Only a task with an open offer can respond");
    this.#openOffers.delete(taskId);
    this.#updateOccupied(taskId);
    return openOffer;
  }

  /**
   * Writes the row first so that a failed write changes nothing. The row of a task that keeps running is rewritten only
   * if its key or its worker changes.
   */
  #set(entry: StoredQueueEntry): void {
    const before = this.#entries.get(entry.taskId);
    const isWritten =
      before?.isRunning === true && before.keyId === entry.keyId && before.worker === entry.worker;
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
    this.#held.delete(taskId);
    this.#backoff.reset(taskId);
    this.#updateOccupied(taskId);
  }

  #updateOccupied(taskId: string): void {
    const isTaken = this.#openOffers.has(taskId) || this.#entries.get(taskId)?.isRunning === true;
    if (isTaken) this.#occupied.add(taskId);
    else this.#occupied.delete(taskId);
  }
}
