import { DurableObject } from "cloudflare:workers";
import {
  admit,
  giveBack,
  UNUSED_METER,
  type Admission,
  type MeterState,
  type Terms,
} from "../domain/meter.ts";
import type { MeterPort } from "./port.ts";

const KEY = "meter";

/**
 * One object a tool: counts its calls exactly, because everything here happens without an await.
 * One row is written for each admitted call, none for a refused one.
 */
export class ToolMeter extends DurableObject<Env> implements MeterPort {
  async admit(terms: Terms): Promise<Admission> {
    const admission = admit(this.#state(), terms, Date.now());
    if (admission.admitted) this.ctx.storage.kv.put(KEY, admission.state);
    return admission;
  }

  async giveBack(admitted: MeterState): Promise<void> {
    this.ctx.storage.kv.put(KEY, giveBack(this.#state(), admitted));
  }

  #state(): MeterState {
    return this.ctx.storage.kv.get<MeterState>(KEY) ?? UNUSED_METER;
  }
}
