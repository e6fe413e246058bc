import type { MeterState } from "../domain/meter.ts";
import {
  dayOf,
  withCall,
  withRecent,
  type CallRecord,
  type Day,
  type DayUsage,
} from "../domain/usage.ts";

/** What a meter keeps in one value, because a value is a row, and rows are what calls cost. */
interface Ledger {
  readonly state: MeterState;
  readonly recent: readonly CallRecord[];
  /** The usage of the latest day; earlier days lie in values of their own. */
  readonly day: string;
  readonly usage: Day;
}

const KEY = "ledger";

/** A tool's calls in its meter's storage. One row is written for a call, and one more for each new day. */
export class Calls {
  readonly #kv: SyncKvStorage;
  readonly #unused: Ledger;

  constructor(kv: SyncKvStorage, unused: MeterState) {
    this.#kv = kv;
    this.#unused = { state: unused, recent: [], day: "", usage: [] };
  }

  state(): MeterState {
    return this.#ledger().state;
  }

  record(call: CallRecord, state: MeterState): void {
    const before = this.#ledger();
    const recent = withRecent(before.recent, call);
    const day = dayOf(call.at);
    if (day < before.day) {
      // It began before midnight and ended after a call of the next day had.
      this.#kv.put(keyOf(day), withCall(this.#kv.get<Day>(keyOf(day)) ?? [], call));
      this.#kv.put(KEY, { ...before, state, recent });
      return;
    }
    const isNewDay = day > before.day;
    if (isNewDay && before.usage.length > 0) this.#kv.put(keyOf(before.day), before.usage);
    const usage = withCall(isNewDay ? [] : before.usage, call);
    this.#kv.put(KEY, { state, recent, day, usage });
  }

  /** Usage from a day on, oldest first, the agents of a day by their ids. */
  days(from: string, agentIds: readonly string[] | null): DayUsage[] {
    const { day, usage } = this.#ledger();
    const earlier = [...this.#kv.list<Day>({ prefix: keyOf(""), start: keyOf(from) })];
    const days = [...earlier.map(([, one]) => one), day >= from ? usage : []];
    return days
      .flatMap((one) => one.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)))
      .filter(({ agentId }) => isOf(agentId, agentIds));
  }

  /** The last calls, newest first. */
  recent(agentIds: readonly string[] | null): CallRecord[] {
    return this.#ledger().recent.filter(({ agentId }) => isOf(agentId, agentIds));
  }

  #ledger(): Ledger {
    return this.#kv.get<Ledger>(KEY) ?? this.#unused;
  }
}

function keyOf(day: string): string {
  return `day ${day}`;
}

function nameOf({ agentId }: DayUsage): string {
  return agentId ?? "";
}

function isOf(agentId: string | null, agentIds: readonly string[] | null): boolean {
  return agentIds === null || (agentId !== null && agentIds.includes(agentId));
}
