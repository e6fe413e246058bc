import { UNUSED_METER, type MeterState } from "../domain/meter.ts";
import {
  callsWithin,
  dayOf,
  dayWithin,
  withCall,
  withRecent,
  type CallRecord,
  type Day,
  type DayUsage,
  type UsageScope,
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
  #ledger: Ledger;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    const ledger = kv.get<Ledger>(KEY);
    this.#ledger =
      ledger === undefined
        ? { state: earlierState(kv), recent: [], day: "", usage: [] }
        : // Earlier releases kept no callers.
          { ...ledger, state: { ...UNUSED_METER, ...ledger.state } };
  }

  /** The meter as it was when the last call ended. */
  state(): MeterState {
    return this.#ledger.state;
  }

  record(call: CallRecord, state: MeterState): void {
    const before = this.#ledger;
    const recent = withRecent(before.recent, call);
    const day = dayOf(call.at);
    if (day < before.day) {
      // It began before midnight and ended after a call of the next day had.
      this.#kv.put(keyOf(day), withCall(this.#kv.get<Day>(keyOf(day)) ?? [], call));
      this.#keep({ ...before, state, recent });
      return;
    }
    const isNewDay = day > before.day;
    if (isNewDay && before.usage.length > 0) this.#kv.put(keyOf(before.day), before.usage);
    const usage = withCall(isNewDay ? [] : before.usage, call);
    this.#keep({ state, recent, day, usage });
  }

  /** Usage from a day on, oldest first, the agents of a day by their ids. */
  days(from: string, scope: UsageScope): DayUsage[] {
    const { day, usage } = this.#ledger;
    const earlier = [...this.#kv.list<Day>({ prefix: keyOf(""), start: keyOf(from) })];
    const days = [...earlier.map(([, one]) => one), day >= from ? usage : []];
    return days.flatMap((one) =>
      dayWithin(one, scope).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    );
  }

  /** The last calls, newest first. */
  recent(scope: UsageScope): CallRecord[] {
    return callsWithin(this.#ledger.recent, scope);
  }

  #keep(ledger: Ledger): void {
    this.#kv.put(KEY, ledger);
    this.#ledger = ledger;
  }
}

/** What a meter of the first release remembers, which knew no breaker. */
function earlierState(kv: SyncKvStorage): MeterState {
  return { ...UNUSED_METER, ...kv.get<MeterState>("meter") };
}

function keyOf(day: string): string {
  return `day ${day}`;
}

function nameOf({ agentId }: DayUsage): string {
  return agentId ?? "";
}
