import type { Admission, MeterState, Terms } from "../domain/meter.ts";

/** What a tool's meter does, as its callers see it. */
export interface MeterPort {
  /** Counts a call against the rate limit and prices it, or says when to come again. */
  admit(terms: Terms): Promise<Admission>;
  /** Takes back a call that was admitted and did no work. */
  giveBack(admitted: MeterState): Promise<void>;
}

/** The meter of a tool. */
export function meterOf(meters: Env["METERS"], toolId: string): MeterPort {
  return meters.get(meters.idFromName(toolId));
}
