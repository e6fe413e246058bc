import {
  CALL_EVENTS_DROPPED,
  CALL_EVENTS_MAX,
  CALL_RECORDS_PER_EVENT_CHARACTERS_MAX,
  CALLS_WITHOUT_EVENT_MAX,
} from "../limits.ts";
import {
  callOutcomeOf,
  selectCalls,
  type CallEnd,
  type CallIndexEntry,
  type CallRecord,
  type CallSelection,
  type TaskCall,
} from "../model/call-record.ts";
import type { ToolCall } from "../model/task.ts";

/**
 * A record that is not in an event's row. `number` increases with each record, and the place is the number modulo
 * CALLS_WITHOUT_EVENT_MAX, so a new record replaces the oldest one. `seq`: the last event when it was written.
 */
interface SeparateRecord {
  readonly number: number;
  readonly seq: number;
  readonly record: CallRecord;
}

/** A call whose end is not recorded. `number`: of its stored record; null if only this instance knows the call. */
interface RunningCall {
  readonly number: number | null;
  readonly seq: number;
  readonly record: CallRecord;
}

/** Where a listed call's record is: in an event's row, or in memory. */
interface LocatedCall extends CallIndexEntry {
  readonly eventSeq: number | null;
  readonly record: CallRecord | null;
}

interface IndexRow extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  startedAt: number;
  outcome: string | null;
  agentId: string | null;
}

const KEY_PREFIX = "call ";

/** The calls that a viewer may see. */
export interface VisibleCalls {
  /** The first event of the log that the viewer may see. */
  readonly firstSeq: number;
  /**
   * Only calls of this agent or of no agent; null for all. A call of the previous agent can end after the task was
   * reassigned.
   */
  readonly agentId: string | null;
}

function isOfAgent(call: Pick<CallRecord, "agentId">, agentId: string | null): boolean {
  return agentId === null || call.agentId === null || call.agentId === agentId;
}

/**
 * The records of a task's tool calls. The row of the event that charges a call also contains the call's record, so a
 * charged call writes no other row. Only the following calls are stored separately, in one row each: rejected calls,
 * calls that end after the task, and calls that can change another system, which are stored before they are made
 * so that they are known after a crash.
 */
export class CallRecords {
  readonly #sql: SqlStorage;
  readonly #kv: SyncKvStorage;
  readonly #running = new Map<string, RunningCall>();
  /** Records of calls that have ended, until an event's row contains them. */
  readonly #staged = new Map<string, CallRecord>();
  readonly #logged = new Set<string>();
  /** The numbers of records that are no longer needed, because an event's row contains the call. */
  readonly #unusedNumbers: number[] = [];
  /** The calls in events' rows up to `#indexedSeq`, in memory so that the log is read only once. */
  readonly #index: IndexRow[] = [];
  #indexedSeq = 0;
  #nextNumber: number | undefined;
  #eventCount: number | undefined;

  constructor(sql: SqlStorage, kv: SyncKvStorage) {
    this.#sql = sql;
    this.#kv = kv;
  }

  /** Forgets everything after the object's storage was deleted. */
  clear(): void {
    this.#running.clear();
    this.#staged.clear();
    this.#logged.clear();
    this.#unusedNumbers.length = 0;
    this.#clearIndex();
    this.#nextNumber = undefined;
    this.#eventCount = undefined;
  }

  /** Records that a call starts. A call that can change another system is stored. */
  start(record: CallRecord, seq: number, isSafe: boolean): void {
    const number = isSafe ? null : this.#store(record, seq, null);
    this.#running.set(record.id, { number, seq, record });
  }

  /** Records how a call ended. Its event must be committed next, and `settle` called after that. */
  end(record: CallRecord): void {
    this.#staged.set(record.id, record);
  }

  /** Stores the record of a call that ended if no event's row contains it. */
  settle(id: string, seq: number): void {
    const staged = this.#staged.get(id);
    const number = this.#running.get(id)?.number ?? null;
    const isLogged = this.#logged.delete(id);
    this.#running.delete(id);
    this.#staged.delete(id);
    if (staged !== undefined && !isLogged) this.#store(staged, seq, number);
    else if (number !== null) this.#unusedNumbers.push(number);
  }

  /** Stores a rejected call. It replaces a call without an end only if there are no other records. */
  reject(record: CallRecord, seq: number): void {
    this.end(record);
    this.settle(record.id, seq);
  }

  /** Stores a call whose end was not reported in time. If it ends after all, its event replaces the record. */
  markLost(id: string): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    if (running.number === null) this.#store(running.record, running.seq, null);
  }

  /** The records of an event's calls, as its row stores them; null if there are none. */
  takeForEvent(calls: readonly ToolCall[]): string | null {
    let characters = 0;
    const taken = calls.flatMap(({ callId }) => {
      const record = callId === undefined ? undefined : this.#staged.get(callId);
      if (record === undefined) return [];
      const json = JSON.stringify(record);
      if (characters + json.length > CALL_RECORDS_PER_EVENT_CHARACTERS_MAX) return [];
      characters += json.length;
      this.#logged.add(record.id);
      return [json];
    });
    return taken.length === 0 ? null : `[${taken.join(",")}]`;
  }

  /** Drops the oldest records after an event with calls was appended. `eventCount`: the number of events in the log. */
  dropOldest(eventCount: number): void {
    // A short log cannot contain too many records, so they need not be counted.
    if (eventCount <= CALL_EVENTS_MAX) return;
    this.#eventCount = this.#eventCount === undefined ? this.#countEvents() : this.#eventCount + 1;
    if (this.#eventCount <= CALL_EVENTS_MAX) return;
    this.#deleteUnused();
    this.#clearIndex();
    this.#sql.exec(
      `UPDATE events SET calls = NULL WHERE seq IN
       (SELECT seq FROM events WHERE calls IS NOT NULL ORDER BY seq LIMIT ?)`,
      CALL_EVENTS_DROPPED,
    );
    this.#eventCount -= CALL_EVENTS_DROPPED;
  }

  /** One page of calls, newest first. `firstSeq`: the first event that the viewer may see. */
  list(
    selection: CallSelection,
    visible: VisibleCalls,
    now: number,
  ): { readonly calls: readonly TaskCall[]; readonly hasMore: boolean } {
    const { page, hasMore } = selectCalls(this.#locate(visible, now), selection);
    return { calls: this.#read(page), hasMore };
  }

  /** A call by its id; null if the task has no record of it, or the viewer may not see it. */
  find(id: string, visible: VisibleCalls, now: number): TaskCall | null {
    const found = this.#locate(visible, now).find((one) => one.id === id);
    return (found === undefined ? null : this.#read([found])[0]) ?? null;
  }

  /**
   * All calls without their records, except those that are in memory. A call in an event's row comes first, then a
   * record with an end: if the object was evicted during a call, the record of its start is still stored.
   */
  #locate(visible: VisibleCalls, now: number): LocatedCall[] {
    const logged = this.#readIndex()
      .filter(
        ({ seq, agentId }) => seq >= visible.firstSeq && isOfAgent({ agentId }, visible.agentId),
      )
      .map(({ seq, id, startedAt, outcome }) => ({
        id,
        startedAt,
        outcome: callOutcomeOf({ startedAt }, toStoredOutcome(outcome), now),
        eventSeq: seq,
        record: null,
      }));
    const separate = [...this.#readSeparate(), ...this.#running.values()]
      .filter(({ seq, record }) => seq >= visible.firstSeq && isOfAgent(record, visible.agentId))
      .toSorted((one, other) => Number(hasEnded(other)) - Number(hasEnded(one)))
      .map(({ record }) => ({
        id: record.id,
        startedAt: record.startedAt,
        outcome: callOutcomeOf(record, record.end?.outcome ?? null, now),
        eventSeq: null,
        record,
      }));
    return [...logged, ...separate];
  }

  #read(located: readonly LocatedCall[]): TaskCall[] {
    const seqs = located.flatMap(({ eventSeq }) => (eventSeq === null ? [] : [eventSeq]));
    const logged = seqs.length === 0 ? [] : this.#readLogged(seqs);
    const byId = new Map(logged.map((record) => [record.id, record]));
    return located.flatMap(({ id, outcome, eventSeq, record: held }) => {
      const record = held ?? byId.get(id);
      return record === undefined ? [] : [{ record, outcome, eventSeq }];
    });
  }

  /** Logs that were written before records existed have no column for them. */
  #readIndex(): readonly IndexRow[] {
    if (!this.#hasColumn()) return [];
    const added = this.#sql.exec<IndexRow>(
      `SELECT events.seq AS seq, one.value ->> '$.id' AS id, one.value ->> '$.startedAt' AS startedAt,
         one.value ->> '$.end.outcome' AS outcome, one.value ->> '$.agentId' AS agentId
       FROM events, json_each(events.calls) AS one
       WHERE events.seq > ? AND events.calls IS NOT NULL ORDER BY events.seq`,
      this.#indexedSeq,
    );
    for (const row of added) {
      this.#index.push(row);
      this.#indexedSeq = row.seq;
    }
    return this.#index;
  }

  #clearIndex(): void {
    this.#index.length = 0;
    this.#indexedSeq = 0;
  }

  /** Deletes the records that are no longer needed. Otherwise, they would be listed once the events' records are dropped. */
  #deleteUnused(): void {
    const logged = new Set(this.#readIndex().map(({ id }) => id));
    for (const { number, record } of this.#readSeparate()) {
      if (logged.has(record.id)) this.#kv.delete(keyOf(number));
    }
  }

  #readLogged(seqs: readonly number[]): CallRecord[] {
    const rows = this.#sql.exec<{ calls: string }>(
      "SELECT calls FROM events WHERE calls IS NOT NULL AND seq IN (SELECT value FROM json_each(?))",
      JSON.stringify(seqs),
    );
    return [...rows].flatMap(({ calls }) => parseRecords(calls));
  }

  #hasColumn(): boolean {
    const columns = this.#sql.exec(
      "SELECT 1 FROM pragma_table_info('events') WHERE name = 'calls'",
    );
    return columns.next().done !== true;
  }

  #countEvents(): number {
    const count = this.#sql.exec<{ count: number }>(
      "SELECT count(*) AS count FROM events WHERE calls IS NOT NULL",
    );
    return count.one().count;
  }

  #readSeparate(): SeparateRecord[] {
    return [...this.#kv.list<SeparateRecord>({ prefix: KEY_PREFIX })].map(([, one]) => one);
  }

  /** Stores a record under `number`, or under a free number if `number` is null or a later record has replaced it. Returns the number. */
  #store(record: CallRecord, seq: number, number: number | null): number {
    const isRejected = record.end?.outcome === "rejected";
    const used = number !== null && this.#hasPlace(number) ? number : this.#takeNumber(isRejected);
    const stored: SeparateRecord = { number: used, seq, record };
    this.#kv.put(keyOf(used), stored);
    return used;
  }

  #takeNumber(isRejected: boolean): number {
    for (let one = this.#unusedNumbers.pop(); one !== undefined; one = this.#unusedNumbers.pop()) {
      if (this.#hasPlace(one)) return one;
    }
    const next = this.#readNextNumber();
    const number = isRejected ? this.#skipWithoutEnd(next) : next;
    this.#nextNumber = number + 1;
    return number;
  }

  /** The first number from `next` on whose place is free or has a record with an end; `next` if there is none. */
  #skipWithoutEnd(next: number): number {
    for (let number = next; number < next + CALLS_WITHOUT_EVENT_MAX; number += 1) {
      const held = this.#kv.get<SeparateRecord>(keyOf(number));
      if (held === undefined || hasEnded(held)) return number;
    }
    return next;
  }

  /** Whether no later record has replaced the record with this number. */
  #hasPlace(number: number): boolean {
    return number >= this.#readNextNumber() - CALLS_WITHOUT_EVENT_MAX;
  }

  #readNextNumber(): number {
    this.#nextNumber ??= 1 + Math.max(0, ...this.#readSeparate().map(({ number }) => number));
    return this.#nextNumber;
  }
}

function hasEnded({ record }: Pick<SeparateRecord, "record">): boolean {
  return record.end !== undefined;
}

function keyOf(number: number): string {
  return `${KEY_PREFIX}${number % CALLS_WITHOUT_EVENT_MAX}`;
}

/** Only `takeForEvent` writes the column. */
function parseRecords(calls: string): CallRecord[] {
  return JSON.parse(calls) as CallRecord[];
}

function toStoredOutcome(outcome: string | null): CallEnd["outcome"] | null {
  return outcome as CallEnd["outcome"] | null;
}
