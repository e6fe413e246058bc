import type { ExecutorType } from "../../agents/model/agent.ts";
import type { Failure, RateLimitWindow } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import type { ToolCall } from "../../tasks/model/task.ts";

/** One call to a capability. `agentId` is null for a call without an agent, which no grant restricts. */
export interface Invocation {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly agentId: string | null;
  /** The agents of the key with which the call is made; null for an unbound key. */
  readonly visibleAgentIds: readonly string[] | null;
  /** The key with which the call is made; null if the service makes it for an agent. */
  readonly keyId: string | null;
  /**
   * Who pays for the call, or how to find out. The function runs after the calling agent's grant, if any, has been
   * checked.
   */
  readonly payer: CallPayer | FindPayer;
}

type FindPayer = (agent: CallingAgent | null) => Promise<Result<CallPayer, Failure>>;

/** The task (or null) and team that a call is recorded under, and the budget that pays for it. */
export interface CallPayer {
  readonly taskId: string | null;
  readonly teamId: string | null;
  readonly budget: CallBudget;
}

/** One call that is being made, as its budget records it. */
export interface CallRequest {
  /** A UUID. */
  readonly id: string;
  readonly toolId: string;
  readonly capability: string;
  readonly agentId: string | null;
  readonly parameters: JsonObject;
  /** When the call was received, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** The terms on which a call is made. */
export interface ReservationTerms {
  /** The highest possible price of the call, in US dollars. */
  readonly priceMax: number;
  /** Whether the call changes nothing in another system, so that it can be repeated. */
  readonly isSafe: boolean;
}

/** Pays for calls and records them. */
export interface CallBudget {
  /** Reserves the highest possible price of one call, or records the call as rejected and returns the reason. */
  reserve(terms: ReservationTerms, call: CallRequest): Promise<Result<BudgetReservation, Failure>>;
  /** Records a call that was rejected before any budget was reserved. */
  reject(call: CallRequest, failure: Failure): Promise<void>;
}

export interface BudgetReservation {
  /** The maximum cost of the call in US dollars; null if there is no maximum. */
  readonly costMax: number | null;
  /** Records a call that was made and its outcome, and frees the unused part of the reservation. */
  commit(call: ToolCall, outcome: Result<JsonObject, Failure>): Promise<void>;
  /**
   * Frees the reservation of a call that was not made, and records the call as rejected. Returns the budget's failure
   * if the call was too expensive, otherwise null.
   */
  release(isTooExpensive: boolean, failure: Failure): Promise<Failure | null>;
}

/** The calling agent's entry in the registry. */
export interface CallingAgent {
  readonly id: string;
  readonly enabled: boolean;
  readonly executor: ExecutorType;
  readonly requireTask: boolean;
}

export interface InvocationResult {
  readonly result: JsonObject;
  readonly cost: number;
  readonly durationMs: number;
  readonly window: RateLimitWindow;
}
