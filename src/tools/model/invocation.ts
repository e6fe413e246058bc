import type { ExecutorType } from "../../agents/model/agent.ts";
import type { Failure, RateLimitWindow } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import type { ToolCall } from "../../tasks/model/task.ts";

/** One call of a capability. `agentId` null: a call without an agent, which no grant restricts. */
export interface Invocation {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly agentId: string | null;
  /** The agents of the calling key; null for an unbound key. */
  readonly visibleAgentIds: readonly string[] | null;
  /** Finds the payer of the call. Runs after the grant of the calling agent, if any, is checked. */
  readonly findPayer: (agent: CallingAgent | null) => Promise<Result<CallPayer, Failure>>;
}

/** The task (null: none) and the team that a call is recorded under, and the budget that pays for it. */
export interface CallPayer {
  readonly taskId: string | null;
  readonly teamId: string | null;
  readonly budget: CallBudget;
}

export interface CallBudget {
  /** Reserves one call and its highest price, in US dollars, or returns why the call is rejected. */
  reserve(priceMax: number): Promise<Result<BudgetReservation, Failure>>;
}

export interface BudgetReservation {
  /** The maximum cost of the call, in US dollars; null for any price. */
  readonly costMax: number | null;
  /** The call was made: records it and frees the unused part of the reservation. */
  commit(call: ToolCall): Promise<void>;
  /** The call was not made. Returns the budget's failure if the call was too expensive, else null. */
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
