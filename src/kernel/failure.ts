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
  | "delivery";

/** Every expected failure of a request. `http/to-wire-error.ts` maps each to a status and a code. */
export type Failure =
  | { readonly kind: "validation"; readonly problems: readonly Problem[] }
  | { readonly kind: "invalid_json"; readonly reason: string }
  | { readonly kind: "unauthenticated"; readonly reason: string }
  /** Over plain HTTP, a header does not name this machine (`http/middleware.ts`). */
  | {
      readonly kind: "host_not_allowed";
      readonly header: "Host" | "Origin";
      readonly value: string;
    }
  | { readonly kind: "insufficient_scope"; readonly scopes: readonly string[] }
  /** The key is neither the root key nor an ancestor of the key that it would change or revoke. */
  | { readonly kind: "key_mismatch"; readonly keyId: string }
  | { readonly kind: "tool_access_denied"; readonly agentId: string; readonly toolId: string }
  | {
      readonly kind: "capability_not_granted";
      readonly agentId: string;
      readonly toolId: string;
      readonly capability: string;
      readonly granted: readonly string[];
    }
  | { readonly kind: "agent_disabled"; readonly agentId: string }
  /** The agent or key may call tools only under a task; `taskIds` are the tasks that the key has claimed. */
  | { readonly kind: "task_required"; readonly taskIds: readonly string[] }
  /** A key bound to an agent may not raise the budget of the agent's task. */
  | { readonly kind: "budget_raise_denied" }
  | { readonly kind: "agent_mismatch"; readonly path: string; readonly bound: string }
  | { readonly kind: "claim_by_team"; readonly teamId: string }
  /** `isUnavailable`: the agent can no longer take the task, so a retry without `reassign` would also move it. */
  | {
      readonly kind: "reassign_by_agent";
      readonly agentId: string;
      readonly isUnavailable?: boolean;
    }
  | { readonly kind: "not_found"; readonly what: ResourceKind; readonly id: string }
  | { readonly kind: "method_not_allowed"; readonly method: string; readonly allow: string }
  /** `bytesMax`: present if it differs from the limit of JSON bodies. */
  | { readonly kind: "payload_too_large"; readonly bytesMax?: number }
  | { readonly kind: "uri_too_long" }
  | { readonly kind: "unsupported_media_type"; readonly reason: string }
  | {
      readonly kind: "invalid_state" | "task_not_completed";
      readonly action: string;
      readonly status: string;
      readonly allowed: readonly string[];
    }
  | {
      readonly kind: "deadline_passed" | "no_other_agent" | "lease_lost";
      readonly status: string;
      readonly allowed: readonly string[];
    }
  /** The task's log has reached a maximum, which `limit` describes. */
  | {
      readonly kind: "task_log_full";
      readonly limit: string;
      readonly status: string;
      readonly allowed: readonly string[];
    }
  | { readonly kind: "idempotency_key_reused" }
  /** The first request with the key has no response yet; `isLost`: its response was lost. */
  | { readonly kind: "idempotency_key_in_use"; readonly isLost: boolean }
  /** `If-Match` does not contain the current version; `etag` is the current one. */
  | {
      readonly kind: "precondition_failed";
      readonly what: "task" | "tool";
      readonly etag: string;
    }
  /** Events after the cursor were dropped from the feed; `cursor` points to the oldest stored event. */
  | { readonly kind: "cursor_expired"; readonly cursor: string; readonly droppedTo: string }
  | {
      readonly kind: "rate_limited" | "budget_exceeded";
      readonly toolId: string;
      readonly window: RateLimitWindow;
    }
  /** The agent has used its share of the tool's window; the rest is reserved for other agents. */
  | {
      readonly kind: "share_used";
      readonly toolId: string;
      readonly agentId: string;
      readonly window: RateLimitWindow;
    }
  /**
   * The key has reached one of its limits; `remedy` says how to stay below it. `retryAfterSeconds` is null if no
   * retry time is known. `withoutWork`: the same report is accepted without `work`.
   */
  | {
      readonly kind: "key_limit_reached";
      readonly keyId: string;
      readonly limit: string;
      readonly max: number;
      readonly remedy: string;
      readonly retryAfterSeconds: number | null;
      readonly withoutWork?: true;
    }
  | { readonly kind: "task_budget_exceeded"; readonly taskId: string; readonly question: string }
  | { readonly kind: "tool_exists"; readonly toolId: string; readonly retired: boolean }
  | { readonly kind: "tool_built_in"; readonly toolId: string }
  /** `deleted`: the id belonged to a deleted agent and is not reused. */
  | { readonly kind: "agent_exists"; readonly agentId: string; readonly deleted: boolean }
  /** The id belonged to a deleted team and is not reused. */
  | { readonly kind: "team_exists"; readonly teamId: string }
  /** `isOfKey`: the key's own limit was reached, not the total limit. */
  | { readonly kind: "too_many_webhooks"; readonly max: number; readonly isOfKey: boolean }
  | { readonly kind: "webhook_disabled"; readonly webhookId: string }
  /** The tool cannot authenticate; `reason` contains the cause and the remedy. */
  | {
      readonly kind: "credentials_required";
      readonly toolId: string;
      readonly reason: string;
      /** `{status, body}` of the system's response. */
      readonly details?: JsonObject;
    }
  | ToolFailure
  | {
      readonly kind: "tool_timeout";
      readonly toolId: string;
      readonly timeoutMs: number;
      readonly mayHaveExecuted?: boolean;
    }
  /** The circuit is open after repeated failures of the system behind the tool. */
  | {
      readonly kind: "circuit_open";
      readonly toolId: string;
      /** The agent whose calls failed; null if calls of several agents failed, so that every caller must wait. */
      readonly agentId: string | null;
      readonly retryAfterSeconds: number;
    }
  /** The webhook has not read all events, as too many deliveries are pending. */
  | { readonly kind: "webhook_behind"; readonly webhookId: string }
  | { readonly kind: "unavailable"; readonly what: string }
  | { readonly kind: "bug" };

/** The system behind a tool failed or rejected the call; `details` is the public part of its response. */
export interface ToolFailure {
  readonly kind: "tool_failed";
  readonly toolId: string;
  readonly reason: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
  readonly details: JsonObject | null;
  /** Whether the call may have taken effect. */
  readonly mayHaveExecuted?: boolean;
}

/** The current window of a rate limit, for `RateLimit` and `Retry-After`. */
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
  /** The system, as the subject of "cannot be reached". */
  readonly what: string;

  constructor(what: string, reason: string) {
    super(`${what} cannot be reached: ${reason}`);
    this.what = what;
  }
}
