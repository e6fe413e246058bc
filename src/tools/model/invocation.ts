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
  /** Finds who pays for the call. Runs after the calling agent's grant, if any, has been checked. */
  readonly findPayer: (agent: CallingAgent | null) => Promise<Result<CallPayer, Failure>>;
}

/** The task (or null) and team that a call is recorded under, and the budget that pays for it. */
export interface CallPayer {
  readonly taskId: string | null;
  readonly teamId: string | null;
  readonly budget: CallBudget;
}

export interface CallBudget {
  /** Reserves the highest possible price of one call, in US dollars, or returns why the call is rejected. */
  reserve(priceMax: number): Promise<Result<BudgetReservation, Failure>>;
}

export interface BudgetReservation {
  /** The maximum cost of the call in US dollars; null if there is no maximum. */
  readonly costMax: number | null;
  /** Records a call that was made, and frees the unused part of the reservation. */
  commit(call: ToolCall): Promise<void>;
  /**
   * Frees the reservation of a call that was not made. Returns the budget's failure if the call was too expensive,
   * otherwise null.
   */
  release(isTooExpensive: boolean): Promise<Failure | null>;
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
