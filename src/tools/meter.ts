import { DurableObject } from "cloudflare:workers";
import { isOpen } from "../domain/breaker.ts";
import {
  admit,
  settle,
  type Health,
  type MeterState,
  type Pass,
  type Terms,
} from "../domain/meter.ts";
import type { CallRecord, UsageScope } from "../domain/usage.ts";
import { Calls } from "./calls.ts";
import type { MeterPort, UsageReport, Verdict } from "./port.ts";

/**
 * One object a tool: counts its calls exactly, because everything here happens without an await. Calls
 * under way are counted in memory alone, and each is written down, in one row, when it ends.
 */
export class ToolMeter extends DurableObject<Env> implements MeterPort {
  readonly #calls: Calls;
  #state: MeterState;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#calls = new Calls(ctx.storage.kv);
    this.#state = this.#calls.state();
  }

  async admit(terms: Terms): Promise<Verdict> {
    const admission = admit(this.#state, terms, crypto.randomUUID(), Date.now());
    if (!admission.admitted) return admission;
    const { state, ...verdict } = admission;
    this.#state = state;
    return verdict;
  }

  async settle(pass: Pass, call: CallRecord, health: Health): Promise<void> {
    const ended = { ok: call.code === null, health };
    this.#state = settle(this.#state, pass, ended, Date.now());
    this.#calls.record(call, this.#state);
  }

  async usage(from: string, scope: UsageScope): Promise<UsageReport> {
    const days = this.#calls.days(from, scope);
    const recent = this.#calls.recent(scope);
    const { breaker, callers } = this.#state;
    const agentBreakers = callers
      .filter((caller) => isOpen(caller.breaker))
      .filter(({ agentId }) => scope.agentIds === null || scope.agentIds.includes(agentId))
      .map((caller) => ({ agentId: caller.agentId, breaker: caller.breaker }));
    return { days, recent, breaker, agentBreakers };
  }
}
