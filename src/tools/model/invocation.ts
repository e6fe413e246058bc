import type { ExecutorType } from "../../agents/model/agent.ts";
import type { Actor } from "../../governance/model/audit-entry.ts";
import type { Failure, RateLimitWindow } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import type { Approval, ApprovalDecision } from "../../governance/model/approval.ts";
import type { ApprovalStatus } from "../../governance/model/approval-status.ts";
import type { CallSource } from "../../tasks/model/call-record.ts";
import type { Task, TaskLabels, ToolCall } from "../../tasks/model/task.ts";

/** A call to store until people decide about it. */
export type ApprovalDraft = Pick<Approval, "call" | "policies" | "expiresAt">;

/** One call to a capability. `agentId` is null for a call without an agent, which no grant restricts. */
export interface Invocation {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  readonly agentId: string | null;
  /** The key with which the call is made; null for a call that the service makes for an agent. */
  readonly keyId: string | null;
  readonly source: CallSource;
  /** The agents of the key with which the call is made; null for an unbound key. */
  readonly visibleAgentIds: readonly string[] | null;
  /**
   * Who pays for the call, or how to find out. The function runs after the calling agent's grant, if any, has been
   * checked.
   */
  readonly payer: CallPayer | FindPayer;
  /** Set if people have decided about this call. */
  readonly approval?: ApprovedCall;
  /** The request that makes the call; absent if an agent makes it in the service. */
  readonly client?: CallingClient;
}

/** An approved call, which is made as it was stored. */
export interface ApprovedCall {
  readonly id: string;
  readonly decisions: readonly ApprovalDecision[];
  readonly operationSha256: string;
  /** Called immediately before the call is sent. If it throws, the call is not sent. */
  readonly begin: () => void;
}

/** Who sends a request that makes a call. `waitUntil`: keeps a promise running after the response. */
interface CallingClient {
  readonly actor: Actor;
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/** What the calls of a task are recorded under. */
export function accountOfTask(
  taskId: string,
  { teamId, createdBy, labels }: Pick<Task, "teamId" | "createdBy" | "labels">,
): CallAccount {
  return { taskId, teamId, keyId: createdBy, labels };
}

type FindPayer = (agent: CallingAgent | null) => Promise<Result<CallPayer, Failure>>;

/**
 * What a call is recorded under: its task, the task's team, labels and the key that created the task. For a call without
 * a task, the team and id of the key with which it is made.
 */
export interface CallAccount {
  readonly taskId: string | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly labels: TaskLabels | null;
}

/** What a call is recorded under, and the budget that pays for it. */
export interface CallPayer extends CallAccount {
  readonly budget: CallBudget;
  /** Stores a call of the task until people decide about it; null if the call belongs to no task. */
  readonly requestApproval: RequestTaskApproval | null;
}

export type RequestTaskApproval = (
  draft: ApprovalDraft,
) => Promise<Result<ApprovalReceipt, Failure>>;

/** A call that was stored, and its state. `message`: what happened to it. */
export interface ApprovalReceipt {
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly message: string;
  readonly expiresAt: number;
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
  readonly isPaused: boolean;
  readonly executor: ExecutorType;
  readonly requireTask: boolean;
}

export interface InvocationResult {
  readonly result: JsonObject;
  readonly cost: number;
  readonly durationMs: number;
  /** Null if the result is that of an earlier call. */
  readonly window: RateLimitWindow | null;
}
