import { withRequestId } from "../../platform/request-id.ts";
import type { LimitDecision } from "../model/spending/ledger.ts";
import type { Amounts, LimitTerms, LimitUse } from "../model/spending/limit.ts";

export interface LimitRpc {
  /** Reserves the amounts that a call or a model turn may use in all limits, or in none. `id`: a UUID. */
  reserve(id: string, amounts: Amounts, limits: readonly LimitTerms[]): Promise<LimitDecision>;
  /** Ends a reservation with the amounts that were used. Repeating it, or settling too late, has no effect. */
  settle(id: string, used: Amounts): Promise<void>;
  /** The current use of each limit, in the given order. */
  readUses(limits: readonly LimitTerms[]): Promise<readonly LimitUse[]>;
}

/** All limits are counted in one object, so that a call is checked against all that cover it at once. */
export function limitStub(namespace: Env["LIMITS"]): LimitRpc {
  return withRequestId(namespace.get(namespace.idFromName("limits")));
}
