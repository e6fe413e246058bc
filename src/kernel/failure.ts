import type { JsonObject } from "./json.ts";
import type { Problem } from "./result.ts";

/** The kinds of resources that can be missing. */
export type ResourceKind =
  | "route"
  | "tool"
  | "capability"
  | "agent"
  | "team"
  | "task"
  | "access"
  | "deliverable"
  | "key"
  | "credentials"
  | "result"
  | "webhook"
  | "delivery"
  | "session"
  | "call"
  | "policy"
  | "approval"
  | "limit";

/** The fields of each kind of failure. */
interface FailureFields {
  readonly validation: { readonly problems: readonly Problem[] };
  readonly invalid_json: { readonly reason: string };
  readonly unauthenticated: { readonly reason: string };
  /** The header names a host other than this machine (see `http/middleware.ts`). */
  readonly host_not_allowed: { readonly header: "Host" | "Origin"; readonly value: string };
  /** A session cookie may not authorise the request, or a page of another origin tried to sign in. */
  readonly cross_site_request: { readonly reason: string };
  /** Too many attempts to sign in from one address. */
  readonly sign_in_limit: { readonly window: RateLimitWindow };
  readonly insufficient_scope: { readonly scopes: readonly string[] };
  /** The key is neither the root key nor an ancestor of the key that it would change or revoke. */
  readonly key_mismatch: { readonly keyId: string };
  readonly tool_access_denied: { readonly agentId: string; readonly toolId: string };
  readonly capability_not_granted: {
    readonly agentId: string;
    readonly toolId: string;
    readonly capability: string;
    readonly granted: readonly string[];
  };
  readonly agent_disabled: { readonly agentId: string };
  readonly agent_paused: { readonly agentId: string };
  /** `error`: why the policy's condition could not be evaluated, which counts as a denial. */
  readonly policy_denied: {
    readonly policyId: string;
    readonly reason: string;
    readonly error?: string;
  };
  /** The call is stored and waits for approval. `expiresAt`: in milliseconds since 1970. */
  readonly approval_pending: {
    readonly approvalId: string;
    readonly policyId: string;
    readonly reason: string;
    readonly expiresAt: number;
  };
  /** An equal call of the task was denied or failed; `message` says what happened. */
  readonly approval_settled: {
    readonly approvalId: string;
    readonly isDenied: boolean;
    readonly message: string;
  };
  /** An approved call cannot be made any more, because of `reason`. */
  readonly approval_outdated: { readonly reason: string };
  /** Too many calls of the agent or key wait for approval. */
  readonly too_many_approvals: { readonly max: number; readonly agentId: string | null };
  /** The key made the call or acts for the agent that made it, so it cannot decide. */
  readonly approval_of_own_call: { readonly approvalId: string };
  readonly not_an_approver: {
    readonly approvalId: string;
    readonly policyIds: readonly string[];
  };
  /** The call is not waiting for a decision any more. */
  readonly approval_decided: { readonly approvalId: string; readonly status: string };
  /** The task waits for a decision about a call, not for an answer. */
  readonly task_awaits_approval: { readonly approvalId: string };
  /** The agent or key may call tools only under a task; `taskIds` are the tasks that the key has claimed. */
  readonly task_required: { readonly taskIds: readonly string[] };
  /** A key bound to an agent may not raise the budget of the agent's task. */
  readonly budget_raise_denied: unknown;
  readonly agent_mismatch: { readonly path: string; readonly bound: string };
  readonly claim_by_team: { readonly teamId: string };
  /** `isUnavailable`: the agent can no longer take the task, so a retry without `reassign` would also move it. */
  readonly reassign_by_agent: { readonly agentId: string; readonly isUnavailable?: boolean };
  readonly not_found: { readonly what: ResourceKind; readonly id: string };
  readonly method_not_allowed: { readonly method: string; readonly allow: string };
  /** `bytesMax` is present if it differs from the limit for JSON bodies. */
  readonly payload_too_large: { readonly bytesMax?: number };
  readonly uri_too_long: unknown;
  readonly unsupported_media_type: { readonly reason: string };
  /** `remedy`: what to do instead, if the allowed actions do not say it. */
  readonly invalid_state: TaskState & { readonly action: string; readonly remedy?: string };
  readonly task_not_completed: TaskState & { readonly action: string };
  readonly deadline_passed: TaskState;
  readonly no_other_agent: TaskState;
  readonly lease_lost: TaskState;
  /** The task's log has reached the limit that `limit` describes. */
  readonly task_log_full: TaskState & { readonly limit: string };
  readonly idempotency_key_reused: unknown;
  /** The first request with the key is still in progress, or its response was lost (`isLost`). */
  readonly idempotency_key_in_use: { readonly isLost: boolean };
  /** `If-Match` does not contain the current version, whose ETag is `etag`. */
  readonly precondition_failed: { readonly what: "task" | "tool"; readonly etag: string };
  /** Events after the cursor were dropped from the feed; `cursor` continues with the oldest stored event. */
  readonly cursor_expired: { readonly cursor: string; readonly droppedTo: string };
  readonly rate_limited: { readonly toolId: string; readonly window: RateLimitWindow };
  readonly budget_exceeded: { readonly toolId: string; readonly window: RateLimitWindow };
  /**
   * A spending limit does not allow the call or the model turn, which may use up to `requested`. `resetAt` and
   * `retryAfterSeconds` are null if waiting does not help.
   */
  readonly limit_exceeded: {
    readonly limitId: string;
    readonly measure: "usd" | "calls" | "tokens";
    readonly per: "call" | "day" | "week" | "month" | "total";
    readonly limit: number;
    readonly used: number;
    readonly reserved: number;
    readonly requested: number;
    readonly resetAt: string | null;
    readonly retryAfterSeconds: number | null;
  };
  /** The agent has used its share of the tool's window; the rest is reserved for other agents. */
  readonly share_used: {
    readonly toolId: string;
    readonly agentId: string;
    readonly window: RateLimitWindow;
  };
  /**
   * The key has reached one of its limits; `remedy` says what to do about it. `retryAfterSeconds` is null if no retry
   * time is known. `withoutWork`: the report would be accepted without `work`.
   */
  readonly key_limit_reached: {
    readonly keyId: string;
    readonly limit: string;
    readonly max: number;
    readonly remedy: string;
    readonly retryAfterSeconds: number | null;
    readonly withoutWork?: true;
  };
  readonly task_budget_exceeded: { readonly taskId: string; readonly question: string };
  readonly tool_exists: { readonly toolId: string; readonly retired: boolean };
  readonly tool_built_in: { readonly toolId: string };
  /** `deleted`: the id belonged to a deleted agent and is not reused. */
  readonly agent_exists: { readonly agentId: string; readonly deleted: boolean };
  readonly policy_exists: { readonly policyId: string };
  readonly too_many_policies: { readonly max: number };
  readonly limit_exists: { readonly limitId: string };
  readonly too_many_limits: { readonly max: number };
  /** The id belonged to a deleted team and is not reused. */
  readonly team_exists: { readonly teamId: string };
  /** `isOfKey`: the key reached its own limit, not the overall limit. */
  readonly too_many_webhooks: { readonly max: number; readonly isOfKey: boolean };
  readonly webhook_disabled: { readonly webhookId: string };
  /** The tool cannot authenticate; `reason` contains the cause and the remedy. */
  readonly credentials_required: {
    readonly toolId: string;
    readonly reason: string;
    /** The system's response, as `{status, body}`. */
    readonly details?: JsonObject;
  };
  /** The system behind a tool failed or rejected the call; `details` is the public part of its response. */
  readonly tool_failed: {
    readonly toolId: string;
    readonly reason: string;
    readonly retryable: boolean;
    readonly retryAfterSeconds: number | null;
    readonly details: JsonObject | null;
    /** Whether the call may have taken effect. */
    readonly mayHaveExecuted?: boolean;
  };
  readonly tool_timeout: {
    readonly toolId: string;
    readonly timeoutMs: number;
    readonly mayHaveExecuted?: boolean;
  };
  /** The circuit breaker is open after repeated failures of the system behind the tool. */
  readonly circuit_open: {
    readonly toolId: string;
    /** The agent, if only its own calls are rejected; null if every caller must wait. */
    readonly agentId: string | null;
    readonly retryAfterSeconds: number;
  };
  /** The webhook has unread events, because too many deliveries are pending. */
  readonly webhook_behind: { readonly webhookId: string };
  /** `problem` is omitted if `what` cannot be reached. */
  readonly unavailable: { readonly what: string; readonly problem?: string };
  readonly bug: unknown;
}

/** The state of a task that rejects a command. */
interface TaskState {
  readonly status: string;
  readonly allowed: readonly string[];
}

/** Every expected failure of a request. `http/to-wire-error.ts` maps each to a status and a code. */
export type Failure<Kind extends keyof FailureFields = keyof FailureFields> = {
  [K in Kind]: { readonly kind: K } & FailureFields[K];
}[Kind];

/** The current rate limit window, for `RateLimit` and `Retry-After`. */
export interface RateLimitWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

export function createValidationFailure(problems: readonly Problem[]): Failure {
  return { kind: "validation", problems };
}

export function createFieldFailure(path: string, message: string): Failure {
  return { kind: "validation", problems: [{ path, message }] };
}

/** Thrown if a system that requests depend on cannot be reached. The response is 503. */
export class UnavailableError extends Error {
  /** The name of the system, for use as the subject of "cannot be reached". */
  readonly what: string;

  constructor(what: string, reason: string) {
    super(`${what} cannot be reached: ${reason}`);
    this.what = what;
  }
}

/**
 * The failure of a request that could not change a resource because concurrent requests kept changing it. `what` is a
 * singular noun phrase.
 */
export function createConflictFailure(what: string): Failure {
  return { kind: "unavailable", what, problem: "was changed by concurrent requests" };
}
