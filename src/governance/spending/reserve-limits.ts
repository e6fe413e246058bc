import { ensureAgentPaused, type PauseEnv } from "../../agents/pause-agents.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import { type Failure, UnavailableError } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import { serviceActor } from "../model/audit-entry.ts";
import { withTimeout } from "../../platform/promises.ts";
import type { BudgetReservation } from "../../tools/model/invocation.ts";
import { limitStub, type LimitRpc } from "./limit.rpc.ts";
import { toLimitFailure } from "./limit-failure.ts";
import type { LimitDecision } from "../model/spending/ledger.ts";
import {
  type Amounts,
  type ExceededLimit,
  type LimitTerms,
  NO_AMOUNTS,
} from "../model/spending/limit.ts";

type LimitEnv = PauseEnv & Pick<Env, "LIMITS">;

/** What a call or a model turn has reserved in the limits that cover it. */
export interface LimitReservation {
  /** Ends the reservation with the amounts that were used. If this fails, everything reserved counts as used. */
  settle(used: Amounts): Promise<void>;
}

/** Why a limit does not allow a call or a turn. `isAgentPaused`: whether the limit has paused the agent. */
interface OverLimit {
  readonly failure: Failure<"limit_exceeded">;
  readonly isAgentPaused: boolean;
}

const LIMITS = "The object that counts the use of limits";

const NOTHING_RESERVED: LimitReservation = { settle: async () => {} };

/**
 * Reserves the amounts that a call or a model turn may use. Sends no request if they cannot affect any limit. `agentId`
 * is null if there is no agent; otherwise, a limit that is exceeded can pause it. Throws an UnavailableError if the limits cannot be checked.
 */
export async function reserveLimits(
  env: LimitEnv,
  limits: readonly LimitTerms[],
  amounts: Amounts,
  agentId: string | null,
): Promise<Result<LimitReservation, OverLimit>> {
  const affected = limits.filter(({ measure }) => amounts[measure] > 0);
  if (affected.length === 0) return ok(NOTHING_RESERVED);
  const id = crypto.randomUUID();
  const decision = await requestDecision(env, id, amounts, affected);
  if (decision.isGranted)
    return ok(decision.isHeld ? createReservation(env, id) : NOTHING_RESERVED);
  const { exceeded, pausing } = decision;
  const now = Date.now();
  const isAgentPaused =
    pausing !== null && agentId !== null && (await pauseForLimit(env, agentId, pausing, now));
  return fail({ failure: toLimitFailure(exceeded, now), isAgentPaused });
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

/** Returns whether the agent is paused. If pausing it fails, the next call that exceeds the limit tries again. */
async function pauseForLimit(
  env: LimitEnv,
  agentId: string,
  exceeded: ExceededLimit,
  now: number,
): Promise<boolean> {
  const reason = toWireError(toLimitFailure(exceeded, now)).message;
  const pause = { at: now, by: null, cause: "spending-limit", reason, evidence: null } as const;
  try {
    return await ensureAgentPaused(env, agentId, pause, serviceActor(currentRequestId()));
  } catch (error) {
    log.error("limit_pause_failed", { agentId, limitId: exceeded.limit.id, error });
    return false;
  }
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
  let reserved: Result<LimitReservation, OverLimit>;
  try {
    reserved = await reserveLimits(env, limits, { usd, calls: 1, tokens: 0 }, agentId);
  } catch (error) {
    await budget.release(false, { kind: "unavailable", what: LIMITS });
    throw error;
  }
  if (!reserved.ok) {
    const { failure } = reserved.failure;
    await budget.release(false, failure);
    return fail(failure);
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
