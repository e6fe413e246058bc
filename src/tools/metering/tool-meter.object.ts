import { DurableObject } from "cloudflare:workers";
import { isBreakerOpen } from "../model/circuit-breaker.ts";
import {
  admitCall,
  settleCall,
  type UpstreamHealth,
  type MeterState,
  type CallPermit,
  type CallTerms,
} from "../model/tool-meter.ts";
import type { ToolCallRecord, UsageScope } from "../model/usage.ts";
import { UsageStore } from "./usage.store.ts";
import type { ToolMeterRpc, MeterUsage, AdmissionDecision } from "./tool-meter.rpc.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";

/** One object per tool. It counts exactly, because its methods do not await, and stores each call when it ends. */
export class ToolMeter extends DurableObject<Env> implements ToolMeterRpc {
  static {
    acceptRequestIds(this);
  }

  readonly #usage: UsageStore;
  #state: MeterState;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#usage = new UsageStore(ctx.storage.kv);
    this.#state = this.#usage.state();
  }

  async admit(terms: CallTerms): Promise<AdmissionDecision> {
    const admission = admitCall(this.#state, terms, crypto.randomUUID(), Date.now());
    if (!admission.admitted) return admission;
    const { state, ...verdict } = admission;
    this.#state = state;
    return verdict;
  }

  async settle(pass: CallPermit, call: ToolCallRecord, health: UpstreamHealth): Promise<void> {
    const ended = { ok: call.code === null, health };
    this.#state = settleCall(this.#state, pass, ended, Date.now());
    this.#usage.record(call, this.#state);
  }

  async usage(from: string, scope: UsageScope): Promise<MeterUsage> {
    const days = this.#usage.listDays(from, scope);
    const recent = this.#usage.listRecent(scope);
    const { breaker, callers } = this.#state;
    const agentBreakers = callers
      .filter((caller) => isBreakerOpen(caller.breaker))
      .filter(({ agentId }) => scope.agentIds === null || scope.agentIds.includes(agentId))
      .map((caller) => ({ agentId: caller.agentId, breaker: caller.breaker }));
    return { days, recent, breaker, agentBreakers };
  }
}
