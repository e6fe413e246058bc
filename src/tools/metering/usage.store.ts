import { INITIAL_METER_STATE, type MeterState } from "../model/tool-meter.ts";
import {
  filterCalls,
  utcDayOf,
  filterDailyUsage,
  addCallToDay,
  prependCall,
  type ToolCallRecord,
  type DailyUsage,
  type AgentDayUsage,
  type UsageScope,
} from "../model/usage.ts";

/** The stored value of a meter. It is one value, because a value is one row, and rows are the cost of a call. */
interface StoredUsage {
  readonly state: MeterState;
  readonly recent: readonly ToolCallRecord[];
  /** The usage of the latest day; earlier days have their own values. */
  readonly day: string;
  readonly usage: DailyUsage;
}

const USAGE_KEY = "ledger";

/** Stores the calls of a tool. A call writes one row, and the first call of a day one more. */
export class UsageStore {
  readonly #kv: SyncKvStorage;
  #stored: StoredUsage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
    const ledger = kv.get<StoredUsage>(USAGE_KEY);
    this.#stored =
      ledger === undefined
        ? { state: loadLegacyState(kv), recent: [], day: "", usage: [] }
        : // Earlier releases kept no callers.
          { ...ledger, state: { ...INITIAL_METER_STATE, ...ledger.state } };
  }

  /** The meter after the last call that ended. */
  state(): MeterState {
    return this.#stored.state;
  }

  record(call: ToolCallRecord, state: MeterState): void {
    const before = this.#stored;
    const recent = prependCall(before.recent, call);
    const day = utcDayOf(call.at);
    if (day < before.day) {
      // The call began before midnight and ended after a call of the next day.
      this.#kv.put(dayKey(day), addCallToDay(this.#kv.get<DailyUsage>(dayKey(day)) ?? [], call));
      this.#save({ ...before, state, recent });
      return;
    }
    const isNewDay = day > before.day;
    if (isNewDay && before.usage.length > 0) this.#kv.put(dayKey(before.day), before.usage);
    const usage = addCallToDay(isNewDay ? [] : before.usage, call);
    this.#save({ state, recent, day, usage });
  }

  /** Usage since a day, oldest first, the agents of a day by id. */
  listDays(from: string, scope: UsageScope): AgentDayUsage[] {
    const { day, usage } = this.#stored;
    const earlier = [...this.#kv.list<DailyUsage>({ prefix: dayKey(""), start: dayKey(from) })];
    const days = [...earlier.map(([, one]) => one), day >= from ? usage : []];
    return days.flatMap((one) =>
      filterDailyUsage(one, scope).toSorted((a, b) => (agentSortKey(a) < agentSortKey(b) ? -1 : 1)),
    );
  }

  /** The last calls, newest first. */
  listRecent(scope: UsageScope): ToolCallRecord[] {
    return filterCalls(this.#stored.recent, scope);
  }

  #save(ledger: StoredUsage): void {
    this.#kv.put(USAGE_KEY, ledger);
    this.#stored = ledger;
  }
}

/** The state of a meter of the first release, which had no breaker. */
function loadLegacyState(kv: SyncKvStorage): MeterState {
  return { ...INITIAL_METER_STATE, ...kv.get<MeterState>("meter") };
}

function dayKey(day: string): string {
  return `day ${day}`;
}

function agentSortKey({ agentId }: AgentDayUsage): string {
  return agentId ?? "";
}
