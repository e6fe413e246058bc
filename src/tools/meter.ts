import { DurableObject } from "cloudflare:workers";
import {
  admit,
  settle,
  UNUSED_METER,
  type Admission,
  type Health,
  type MeterState,
  type Terms,
} from "../domain/meter.ts";
import type { CallRecord } from "../domain/usage.ts";
import { CallLog } from "./calls.ts";
import type { MeterPort, UsageReport } from "./port.ts";

const KEY = "meter";

/**
 * One object a tool: counts its calls exactly, because everything here happens without an await.
 * One row is written for each admitted call, two for its end, none for a refused one.
 */
export class ToolMeter extends DurableObject<Env> implements MeterPort {
  readonly #calls: CallLog;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#calls = new CallLog(ctx.storage.sql);
  }

  async admit(terms: Terms): Promise<Admission> {
    const admission = admit(this.#state(), terms, Date.now());
    if (admission.admitted) this.ctx.storage.kv.put(KEY, admission.state);
    return admission;
  }

  async settle(admitted: MeterState, call: CallRecord, health: Health): Promise<void> {
    const before = this.#state();
    const after = settle(before, admitted, { ok: call.code === null, health }, Date.now());
    this.ctx.storage.transactionSync(() => {
      if (after !== before) this.ctx.storage.kv.put(KEY, after);
      this.#calls.record(call);
    });
  }

  async usage(from: string, agentIds: readonly string[] | null): Promise<UsageReport> {
    const days = this.#calls.days(from, agentIds);
    return { days, recent: this.#calls.recent(agentIds), breaker: this.#state().breaker };
  }

  /** Meters of the first release remember no breaker. */
  #state(): MeterState {
    return { ...UNUSED_METER, ...this.ctx.storage.kv.get<MeterState>(KEY) };
  }
}
