import { DurableObject } from "cloudflare:workers";
import {
  isBreakerOpen,
  admitCall,
  INITIAL_METER_STATE,
  settleCall,
  type UpstreamHealth,
  type MeterState,
  type CallPermit,
  type CallTerms,
} from "../model/tool-meter.ts";
import {
  addCallToDay,
  filterCalls,
  filterDailyUsage,
  prependCall,
  utcDayOf,
  type DailyUsage,
  sumByAgent,
  type ToolCall,
  type ToolCallRecord,
  type UsageScope,
} from "../model/usage.ts";
import { groupToolUsage, type UsageGroup } from "../model/usage-groups.ts";
import type { ToolMeterRpc, MeterQuery, MeterUsage, AdmissionDecision } from "./tool-meter.rpc.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";

/** What a meter stores. It is a single value, because each value is one row, and each row written costs money. */
interface StoredUsage {
  readonly state: MeterState;
  readonly recent: readonly ToolCallRecord[];
  /** The day of `usage`. Earlier days are stored as separate values. */
  readonly day: string;
  readonly usage: DailyUsage;
}

const USAGE_KEY = "ledger";

/**
 * Counts the calls to one tool; each tool has its own object. The counts are exact, because the methods do not await. A
 * call is stored when it ends, which writes one row, plus one more for the first call of a day.
 */
export class ToolMeter extends DurableObject<Env> implements ToolMeterRpc {
  static {
    acceptRequestIds(this);
  }

  readonly #kv: SyncKvStorage;
  #stored: StoredUsage;
  /** The current state, which is stored only when a call ends. */
  #state: MeterState;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#kv = ctx.storage.kv;
    const ledger = this.#kv.get<StoredUsage>(USAGE_KEY);
    // The first release stored only the state, without a breaker. Some later releases stored no callers.
    const stored = ledger?.state ?? this.#kv.get<MeterState>("meter");
    this.#state = { ...INITIAL_METER_STATE, ...stored };
    this.#stored = { recent: [], day: "", usage: [], ...ledger, state: this.#state };
  }

  async admit(terms: CallTerms): Promise<AdmissionDecision> {
    const admission = admitCall(this.#state, terms, crypto.randomUUID(), Date.now());
    if (!admission.admitted) return admission;
    const { state, ...verdict } = admission;
    this.#state = state;
    return verdict;
  }

  async settle(pass: CallPermit, call: ToolCall, health: UpstreamHealth): Promise<void> {
    const ended = { ok: call.code === null, health };
    this.#state = settleCall(this.#state, pass, ended, Date.now());
    this.#stored = this.#recordUsage(call);
    this.#kv.put(USAGE_KEY, this.#stored);
  }

  async usage(from: string, scope: UsageScope): Promise<MeterUsage> {
    const { breaker, callers } = this.#state;
    const agentBreakers = callers
      .filter((caller) => isBreakerOpen(caller.breaker))
      .filter(({ agentId }) => scope.agentIds === null || scope.agentIds.includes(agentId))
      .map((caller) => ({ agentId: caller.agentId, breaker: caller.breaker }));
    const recent = filterCalls(this.#stored.recent, scope);
    const days = this.#listDays(from, scope).flatMap((day) =>
      sumByAgent(day).toSorted((a, b) => ((a.agentId ?? "") < (b.agentId ?? "") ? -1 : 1)),
    );
    return { days, recent, breaker, agentBreakers };
  }

  async sumUsage(
    { period, groupBy, groupsMax }: MeterQuery,
    scope: UsageScope,
  ): Promise<readonly UsageGroup[] | null> {
    const groups = groupToolUsage(this.#listDays(period.from, scope).flat(), period, groupBy);
    return groups.length > groupsMax ? null : groups;
  }

  /**
   * Returns the value to store after a call. If the call is on a different day from the stored usage, also saves the
   * usage of the earlier day.
   */
  #recordUsage(call: ToolCall): StoredUsage {
    const before = { ...this.#stored, state: this.#state };
    const recent = prependCall(before.recent, call);
    const day = utcDayOf(call.at);
    if (day < before.day) {
      // The call began before midnight, but a call from a later day has already been recorded.
      this.#kv.put(dayKey(day), addCallToDay(this.#kv.get<DailyUsage>(dayKey(day)) ?? [], call));
      return { ...before, recent };
    }
    const isNewDay = day > before.day;
    if (isNewDay && before.usage.length > 0) this.#kv.put(dayKey(before.day), before.usage);
    return { ...before, recent, day, usage: addCallToDay(isNewDay ? [] : before.usage, call) };
  }

  /** The usage of each day since `from`, oldest day first. */
  #listDays(from: string, scope: UsageScope): readonly DailyUsage[] {
    const { day, usage } = this.#stored;
    const earlier = [...this.#kv.list<DailyUsage>({ prefix: dayKey(""), start: dayKey(from) })];
    const days = [...earlier.map(([, one]) => one), day >= from ? usage : []];
    return days.map((one) => filterDailyUsage(one, scope));
  }
}

function dayKey(day: string): string {
  return `day ${day}`;
}
