import { nextEntry, type QueueEntry } from "../../domain/queue.ts";
import type { OfferAnswer, Placed, QueueRecord, QueueStore } from "./placed.ts";
import type { QueueStanding, QueueTerms } from "./port.ts";
import { Rest } from "./rest.ts";

/** A question to a task that is on its way. `leftSeq`: the task has told meanwhile that it left. */
interface Flight {
  readonly asked: Placed;
  leftSeq: number;
}

/** A task that a worker holds with a key. */
export interface LeaseHeld {
  readonly taskId: string;
  readonly keyId: string;
}

/** The generation of a task that waits for what this queue does not do: it goes back at once. */
const NEVER = -1;

/**
 * Who waits and who holds a place. Nothing here waits for anything: each method is one step, so that
 * however calls interleave, a task is asked once at a time and no place is given twice.
 */
export class Places {
  readonly #store: QueueStore;
  readonly #entries: Map<string, Placed>;
  readonly #flights = new Map<string, Flight>();
  /** Tasks that hold a place or are being asked: what counts against the limit. */
  readonly #taken: Set<string>;
  /** Tasks that hold a place and have yet to be asked whether they want it. */
  readonly #unasked = new Set<string>();
  /** Tasks that hold a place by their rows, and of whom this object has written down no answer. */
  readonly #hearsay: Set<string>;
  /** Tasks held with a key that can end. */
  readonly #leased: Set<string>;
  /** Tasks that are being asked to end their lease. */
  readonly #ending = new Set<string>();
  readonly #rest = new Rest();
  #record: QueueRecord | null;

  constructor(store: QueueStore) {
    this.#store = store;
    this.#entries = new Map([...store.entries()].map((entry) => [entry.taskId, entry]));
    const running = [...this.#entries.values()].filter(({ isRunning }) => isRunning);
    this.#taken = new Set(running.map(({ taskId }) => taskId));
    this.#hearsay = new Set(this.#taken);
    const leased = [...this.#entries.values()].filter(({ keyId }) => keyId !== null);
    this.#leased = new Set(leased.map(({ taskId }) => taskId));
    this.#record = store.record();
  }

  get record(): QueueRecord | null {
    return this.#record;
  }

  standing(): QueueStanding {
    const running = [...this.#entries.values()].filter(({ isRunning }) => isRunning).length;
    const waiting = this.#entries.size - running;
    return { waiting, running, limit: this.#record?.terms.limit ?? null };
  }

  /** Tasks claimed with this key or with one that is not recorded: the root key, or any key in older rows. */
  claimedTaskIds(claimKeyId: string): string[] {
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
    this.#store.keep(record);
    this.#record = record;
  }

  /** The task waits, as of the event `seq` of its log, for work that is given out as `terms` say. */
  enter(told: Omit<QueueEntry, "isRunning">, terms: QueueTerms, now: number): void {
    const { taskId, seq } = told;
    const entry = this.#entries.get(taskId);
    const flight = this.#flights.get(taskId);
    if (seq < Math.max(entry?.seq ?? 0, flight?.leftSeq ?? 0)) return;
    this.#rest.end(taskId);
    if (entry?.seq === seq && (!entry.isRunning || flight !== undefined)) return;
    const isFitting = terms.isPulled === this.#record?.terms.isPulled;
    const generation = isFitting ? this.#generation() : NEVER;
    const waiting: Placed = { ...told, generation, isRunning: false, keyId: null };
    // In its own place, or in a free one where it comes first: then its row is written only once.
    const isRunning =
      this.#isPushing() &&
      isFitting &&
      (entry?.isRunning === true || (flight === undefined && this.#comesFirst(waiting, now)));
    this.#set({ ...waiting, isRunning });
    if (isRunning) this.#unasked.add(taskId);
  }

  /** Whether tasks wait that must have been told otherwise of the agent than the queue was. */
  isInDoubt(now: number): boolean {
    const late = new Set([NEVER, this.#generation()]);
    return this.#outgoing(now).some(({ generation }) => late.has(generation));
  }

  /** The task needs no place any more, as of the event `seq` of its log. */
  leave(taskId: string, seq: number): void {
    const flight = this.#flights.get(taskId);
    if (flight !== undefined) flight.leftSeq = Math.max(flight.leftSeq, seq);
    const entry = this.#entries.get(taskId);
    if (entry !== undefined && entry.seq <= seq) this.#remove(taskId);
  }

  /** The task to be offered a place now; the place is taken until `settle`. Null when there is none. */
  pick(now: number): Placed | null {
    for (const taskId of this.#unasked) {
      const entry = this.#entries.get(taskId);
      if (entry === undefined || this.#flights.has(taskId)) continue;
      this.#unasked.delete(taskId);
      return this.#fly(entry);
    }
    const entry = this.#hasRoom() ? nextEntry(this.#waiting(now), now) : null;
    return entry === null ? null : this.#fly(entry);
  }

  /**
   * A task whose place others wait for, and which may have left it unheard: each is asked until its answer
   * is written down, so that no place is lost for ever. Null when there is none.
   */
  pickHolder(now: number): Placed | null {
    if (this.#hasRoom() || this.#waiting(now).next().done === true) return null;
    const held = [...this.#hearsay].find((taskId) => !this.#flights.has(taskId));
    const entry = held === undefined ? undefined : this.#entries.get(held);
    return entry === undefined ? null : this.#fly(entry);
  }

  /** Whether `pick` would find a task. */
  canPick(now: number): boolean {
    if ([...this.#unasked].some((taskId) => !this.#flights.has(taskId))) return true;
    return this.#hasRoom() && this.#waiting(now).next().done !== true;
  }

  settle({ taskId }: Placed, answer: OfferAnswer, now: number): void {
    const { asked, leftSeq } = this.#land(taskId);
    const entry = this.#entries.get(taskId);
    if (answer.kind === "lost") {
      if (entry !== undefined) this.#rest.begin(taskId, now);
      // Others are not kept waiting for it; should it work after all, it says so when asked again.
      this.#unasked.delete(taskId);
      if (entry?.isRunning === true) this.#set({ ...entry, isRunning: false });
      return;
    }
    this.#rest.end(taskId);
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
  pickToRelease(now: number): Placed | null {
    const entry = this.#outgoing(now).next();
    return entry.done === true ? null : this.#fly(entry.value);
  }

  /** The task has heard that it is not to wait here; what it did not hear is said again later. */
  settleRelease({ taskId, seq }: Placed, isHeard: boolean, now: number): void {
    this.#land(taskId);
    const entry = this.#entries.get(taskId);
    if (entry !== undefined && !isHeard) this.#rest.begin(taskId, now);
    else if (entry?.seq === seq) this.#remove(taskId);
  }

  /** Whether any lease is held with a key that can end. */
  get hasLeases(): boolean {
    return this.#leased.size > 0;
  }

  /** The keys with which leases are held. */
  leaseKeys(): string[] {
    return [...new Set(this.#leases().map(({ keyId }) => keyId))];
  }

  /** Picks a lease of one of these keys for its task to end; null if there is none. */
  pickLease(keyIds: ReadonlySet<string>, now: number): LeaseHeld | null {
    const lease = this.#leases().find(
      ({ taskId, keyId }) =>
        keyIds.has(keyId) && !this.#ending.has(taskId) && !this.#rest.isOn(taskId, now),
    );
    if (lease === undefined) return null;
    this.#ending.add(lease.taskId);
    return lease;
  }

  /**
   * Records the result of asking a task to end a lease. A task that did not answer is asked again later;
   * otherwise the key is cleared in memory only, because the row is deleted when the task leaves its place.
   */
  settleLease({ taskId, keyId }: LeaseHeld, isHeard: boolean, now: number): void {
    this.#ending.delete(taskId);
    const entry = this.#entries.get(taskId);
    if (entry?.keyId !== keyId) return;
    if (!isHeard) return this.#rest.begin(taskId, now);
    this.#entries.set(taskId, { ...entry, keyId: null });
    this.#leased.delete(taskId);
  }

  /** When something has to be done that no call will bring about; null for never. */
  dueAt(now: number): number | null {
    if (this.#outgoing(now).next().done !== true) return now;
    return this.#rest.nextEnd(now);
  }

  #leases(): LeaseHeld[] {
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
  #isPushing(): boolean {
    return this.#isOpen() && this.#record?.terms.isPulled === false;
  }

  #hasRoom(): boolean {
    const limit = this.#record?.terms.limit ?? null;
    return limit === null || this.#taken.size < limit;
  }

  #comesFirst(entry: Placed, now: number): boolean {
    return this.#hasRoom() && nextEntry([entry, ...this.#waiting(now)], now) === entry;
  }

  /** Those who wait for a place and can be asked now. */
  *#waiting(now: number): Generator<Placed> {
    if (!this.#isOpen()) return;
    for (const entry of this.#reachable(now)) {
      if (entry.generation === this.#generation()) yield entry;
    }
  }

  /** Those who wait and are to go back, and can be told so now. */
  *#outgoing(now: number): Generator<Placed> {
    for (const entry of this.#reachable(now)) {
      if (!this.#isOpen() || entry.generation !== this.#generation()) yield entry;
    }
  }

  *#reachable(now: number): Generator<Placed> {
    for (const entry of this.#entries.values()) {
      const { taskId, isRunning } = entry;
      if (!isRunning && !this.#rest.isOn(taskId, now) && !this.#flights.has(taskId)) yield entry;
    }
  }

  #fly(asked: Placed): Placed {
    this.#flights.set(asked.taskId, { asked, leftSeq: 0 });
    if (asked.isRunning) this.#hearsay.add(asked.taskId);
    this.#count(asked.taskId);
    return asked;
  }

  #land(taskId: string): Flight {
    const flight = this.#flights.get(taskId);
    if (flight === undefined) throw new Error("Only a task that is being asked can answer");
    this.#flights.delete(taskId);
    this.#count(taskId);
    return flight;
  }

  /**
   * Writes the row first, so that a failed write changes nothing. While a task runs, its row is written only if
   * its key changes.
   */
  #set(entry: Placed): void {
    const before = this.#entries.get(entry.taskId);
    const isWritten = before?.isRunning === true && before.keyId === entry.keyId;
    if (!isWritten || !entry.isRunning) this.#store.put(entry);
    this.#entries.set(entry.taskId, entry);
    this.#hearsay.delete(entry.taskId);
    if (entry.keyId === null) this.#leased.delete(entry.taskId);
    else this.#leased.add(entry.taskId);
    this.#count(entry.taskId);
  }

  #remove(taskId: string): void {
    this.#store.remove(taskId);
    this.#entries.delete(taskId);
    this.#unasked.delete(taskId);
    this.#hearsay.delete(taskId);
    this.#leased.delete(taskId);
    this.#rest.end(taskId);
    this.#count(taskId);
  }

  #count(taskId: string): void {
    const isTaken = this.#flights.has(taskId) || this.#entries.get(taskId)?.isRunning === true;
    if (isTaken) this.#taken.add(taskId);
    else this.#taken.delete(taskId);
  }
}
