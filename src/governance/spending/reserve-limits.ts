import { type Failure, UnavailableError } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import type { BudgetReservation } from "../../tools/model/invocation.ts";
import { limitStub, type LimitRpc } from "./limit.rpc.ts";
import { toLimitFailure } from "./limit-failure.ts";
import type { LimitDecision } from "../model/spending/ledger.ts";
import { type Amounts, type LimitTerms, NO_AMOUNTS } from "../model/spending/limit.ts";

type LimitEnv = Pick<Env, "LIMITS">;

/** What a call or a model turn has reserved in the limits that cover it. */
export interface LimitReservation {
  /** Ends the reservation with the amounts that were used. If this fails, everything reserved counts as used. */
  settle(used: Amounts): Promise<void>;
}

const LIMITS = "The object that counts the use of limits";

const NOTHING_RESERVED: LimitReservation = { settle: async () => {} };

/**
 * Reserves the amounts that a call or a model turn may use. Sends no request if they cannot affect any limit. `agentId`
 * is null if there is no agent. Throws an UnavailableError if the limits cannot be checked.
 */
export async function reserveLimits(
  env: LimitEnv,
  limits: readonly LimitTerms[],
  amounts: Amounts,
  agentId: string | null,
): Promise<Result<LimitReservation, Failure>> {
  const affected = limits.filter(({ measure }) => amounts[measure] > 0);
  if (affected.length === 0) return ok(NOTHING_RESERVED);
  const id = crypto.randomUUID();
  const decision = await requestDecision(env, id, amounts, affected);
  if (decision.isGranted)
    return ok(decision.isHeld ? createReservation(env, id) : NOTHING_RESERVED);
  const { exceeded } = decision;
  if (exceeded.limit.onExceeded === "pause-agent" && agentId !== null)
    pauseForLimit(agentId, exceeded.limit.id);
  return fail(toLimitFailure(exceeded, Date.now()));
}

/** If there is no response but the reservation was made, it expires and counts as used. */
async function requestDecision(
  env: LimitEnv,
  ...request: Parameters<LimitRpc["reserve"]>
): Promise<LimitDecision> {
  try {
    const stub = limitStub(env.LIMITS);
    return await withTimeout(STORE_TIMEOUT_MS, stub.reserve(...request));
  } catch (error) {
    log.error("limit_reserve_failed", { error });
    throw new UnavailableError(LIMITS, String(error));
  }
}

function createReservation(env: LimitEnv, id: string): LimitReservation {
  return {
    async settle(used) {
      try {
        await withTimeout(STORE_TIMEOUT_MS, limitStub(env.LIMITS).settle(id, used));
      } catch (error) {
        log.warn("limit_settle_failed", { reservationId: id, error });
      }
    },
  };
}

/**
 * TODO(pause): the only call site for pausing an agent whose limit is exceeded. Call `pauseAgent` here. Until agents can
 * be paused, such a limit only rejects calls.
 */
function pauseForLimit(agentId: string, limitId: string): void {
  log.warn("limit_agent_not_paused", { agentId, limitId });
}

/**
 * Reserves the price of a tool call in the limits that cover it, in addition to its budget. If a limit does not allow the
 * call or cannot be checked, the budget's reservation is released. Otherwise, the returned reservation ends both.
 */
export async function reserveCallLimits(
  env: LimitEnv,
  limits: readonly LimitTerms[],
  { agentId, priceMax }: { readonly agentId: string | null; readonly priceMax: number },
  budget: BudgetReservation,
): Promise<Result<BudgetReservation, Failure>> {
  if (limits.length === 0) return ok(budget);
  const usd = Math.min(priceMax, budget.costMax ?? Infinity);
  let reserved: Result<LimitReservation, Failure>;
  try {
    reserved = await reserveLimits(env, limits, { usd, calls: 1, tokens: 0 }, agentId);
  } catch (error) {
    await budget.release(false, { kind: "unavailable", what: LIMITS });
    throw error;
  }
  if (!reserved.ok) {
    await budget.release(false, reserved.failure);
    return reserved;
  }
  const { value: reservation } = reserved;
  return ok({
    costMax: budget.costMax,
    async commit(call, outcome) {
      const used = { usd: call.cost, calls: 1, tokens: 0 };
      await Promise.all([reservation.settle(used), budget.commit(call, outcome)]);
    },
    async release(isTooExpensive, failure) {
      const [, overBudget] = await Promise.all([
        reservation.settle(NO_AMOUNTS),
        budget.release(isTooExpensive, failure),
      ]);
      return overBudget;
    },
  });
}
