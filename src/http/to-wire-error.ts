import type { Failure, RateLimitWindow } from "../kernel/failure.ts";
import { toApprovalError } from "./approval-error.ts";
import { BODY_BYTES_MAX } from "./limits.ts";
import {
  PROBLEM_PATH_CHARACTERS_MAX,
  PROBLEMS_REPORTED_MAX,
  URL_BYTES_MAX,
} from "../kernel/limits.ts";
import { formatCount } from "../kernel/text.ts";
import { preview, type Problem } from "../kernel/result.ts";
import {
  formatRateLimitHeaders,
  formatUncertaintyNote,
  toKeyInUseError,
  toKeyLimitError,
  toLimitError,
  toNotFoundError,
  toPolicyError,
  toStoppedAgentError,
  toToolError,
  wireError,
  type WireError,
} from "./wire-error.ts";

/** The maximum number of tasks that a message names; `context` lists all of them. */
const TASK_IDS_SHOWN_MAX = 5;

/** Maps each kind of failure to its status, code and message. */
export function toWireError(failure: Failure): WireError {
  switch (failure.kind) {
    case "validation":
      return wireError(400, "VALIDATION_ERROR", formatValidationMessage(failure.problems), {
        details: failure.problems.slice(0, PROBLEMS_REPORTED_MAX).map(truncatePath),
      });
    case "invalid_json":
      return wireError(400, "INVALID_JSON", `The body must be JSON in UTF-8: ${failure.reason}.`);
    case "unauthenticated":
      return wireError(401, "AUTHENTICATION_FAILED", failure.reason, {
        headers: { "WWW-Authenticate": "Bearer" },
      });
    case "host_not_allowed": {
      const message = `The ${failure.header} header is ${preview(failure.value)}. Over plain HTTP, only loopback names are accepted. Use localhost, 127.0.0.1 or [::1], or connect over HTTPS.`;
      return wireError(403, "HOST_NOT_ALLOWED", message);
    }
    case "cross_site_request": {
      const message = `This request cannot use the console's session: ${failure.reason}. Send an API key in the Authorization header instead.`;
      return wireError(403, "CROSS_SITE_REQUEST", message);
    }
    case "sign_in_limit": {
      const { window } = failure;
      const message = `Too many attempts to sign in. Retry in ${window.resetSeconds} seconds.`;
      return wireError(429, "RATE_LIMIT_EXCEEDED", message, {
        headers: { "Retry-After": String(window.resetSeconds) },
      });
    }
    case "insufficient_scope": {
      const noun = failure.scopes.length === 1 ? "scope" : "scopes";
      const scopes = failure.scopes.join(", ");
      return wireError(403, "INSUFFICIENT_SCOPE", `This key lacks the ${noun} ${scopes}.`);
    }
    case "key_mismatch": {
      const message = `The key ${preview(failure.keyId)} was not created by this key, directly or indirectly. Use the root key or a key that created it.`;
      return wireError(403, "KEY_MISMATCH", message);
    }
    case "tool_access_denied": {
      const message = `Agent ${preview(failure.agentId)} has no access to tool ${preview(failure.toolId)}; grant access with POST /agents/tools/access.`;
      return wireError(403, "TOOL_ACCESS_DENIED", message);
    }
    case "capability_not_granted": {
      const { agentId, toolId, capability, granted } = failure;
      const message = `Agent ${preview(agentId)} may not use capability ${preview(capability)} of tool ${preview(toolId)}. Granted capabilities: ${granted.join(", ")}.`;
      return wireError(403, "CAPABILITY_NOT_GRANTED", message);
    }
    case "agent_disabled":
    case "agent_paused":
      return toStoppedAgentError(failure);
    case "policy_denied":
    case "policy_exists":
    case "too_many_policies":
      return toPolicyError(failure);
    case "approval_pending":
    case "approval_settled":
    case "approval_outdated":
    case "too_many_approvals":
    case "approval_of_own_call":
    case "not_an_approver":
    case "approval_decided":
    case "task_awaits_approval":
      return toApprovalError(failure);
    case "limit_exceeded":
    case "limit_exists":
    case "too_many_limits":
      return toLimitError(failure);
    case "task_required": {
      const { taskIds } = failure;
      const way =
        taskIds.length === 0
          ? "Claim a task first, or send the taskId of a task that is in progress."
          : `Send the taskId of a claimed task: ${taskIds.slice(0, TASK_IDS_SHOWN_MAX).join(", ")}.`;
      const message = `This agent or key may call tools only under a task. ${way}`;
      return wireError(403, "TASK_REQUIRED", message, { context: { taskIds } });
    }
    case "budget_raise_denied": {
      const message =
        "A key bound to an agent cannot raise the budget of the agent's task. Answer with text to finish without further calls, or raise the limit with another key.";
      return wireError(403, "BUDGET_RAISE_DENIED", message);
    }
    case "agent_mismatch": {
      const message = `This key is bound to ${failure.bound}, so ${failure.path} cannot name another agent or team.`;
      return wireError(403, "AGENT_MISMATCH", message);
    }
    case "claim_by_team": {
      const message = `This key is bound to team ${failure.teamId}, but an agent's tasks can belong to any team. Claim them with a key that is bound to the agent.`;
      return wireError(403, "AGENT_MISMATCH", message);
    }
    case "reassign_by_agent": {
      const advice =
        failure.isUnavailable === true
          ? "The agent cannot take the task at the moment. Enable it, or add it to the task's team."
          : "Retry without reassign.";
      const message = `This key is bound to agent ${failure.agentId} and cannot give the task to another agent. ${advice}`;
      return wireError(403, "AGENT_MISMATCH", message);
    }
    case "not_found":
      return toNotFoundError(failure.what, failure.id);
    case "method_not_allowed": {
      const message = `${failure.method} is not allowed on this path. Allowed methods: ${failure.allow}.`;
      return wireError(405, "METHOD_NOT_ALLOWED", message, { headers: { Allow: failure.allow } });
    }
    case "payload_too_large": {
      const { bytesMax = BODY_BYTES_MAX } = failure;
      return wireError(
        413,
        "PAYLOAD_TOO_LARGE",
        `The body is too large: at most ${bytesMax} bytes are allowed.`,
      );
    }
    case "uri_too_long":
      return wireError(
        414,
        "URI_TOO_LONG",
        `The URL is too long: at most ${URL_BYTES_MAX} bytes are allowed.`,
      );
    case "unsupported_media_type":
      return wireError(415, "UNSUPPORTED_MEDIA_TYPE", failure.reason);
    case "invalid_state": {
      const { action, status, allowed, remedy } = failure;
      const advice = remedy === undefined ? "" : ` ${remedy}`;
      const message = `A task that is ${status} cannot be ${action}; ${formatAllowedActions(allowed)}.${advice}`;
      return wireError(409, "INVALID_STATE", message, { context: { status, allowed } });
    }
    case "task_not_completed": {
      const { action, status, allowed } = failure;
      const message = `A task can be ${action} only after its work is done, but this task is ${status}; ${formatAllowedActions(allowed)}.`;
      return wireError(409, "TASK_NOT_COMPLETED", message, { context: { status, allowed } });
    }
    case "deadline_passed": {
      const { status, allowed } = failure;
      const message = "The task's deadline has passed; set a new one with PATCH, then retry.";
      return wireError(409, "DEADLINE_PASSED", message, { context: { status, allowed } });
    }
    case "no_other_agent": {
      const { status, allowed } = failure;
      const message = "No other agent can take this task; retry it without reassign.";
      return wireError(409, "NO_OTHER_AGENT", message, { context: { status, allowed } });
    }
    case "lease_lost": {
      const { status, allowed } = failure;
      const message = `This lease is not valid for the task, which is ${status}. Stop working on the task.`;
      return wireError(409, "LEASE_LOST", message, { context: { status, allowed } });
    }
    case "task_log_full": {
      const { limit, status, allowed } = failure;
      const message = `The task has reached its limit of ${limit}. Complete, fail or cancel it, and create a new task for further work.`;
      return wireError(409, "TASK_LIMIT_REACHED", message, { context: { status, allowed } });
    }
    case "idempotency_key_reused": {
      const message =
        "This Idempotency-Key was already used for a different request. Use a new key.";
      return wireError(422, "IDEMPOTENCY_KEY_REUSED", message);
    }
    case "idempotency_key_in_use":
      return toKeyInUseError(failure.isLost);
    case "precondition_failed": {
      const { what, etag } = failure;
      const message = `The ${what} has been modified (current ETag: ${etag}). Fetch the latest version and retry.`;
      return wireError(412, "PRECONDITION_FAILED", message, { context: { etag } });
    }
    case "cursor_expired": {
      const { cursor, droppedTo } = failure;
      const message = `Events after this cursor, up to ${droppedTo}, were dropped from the feed. Continue with context.cursor, and check the affected tasks with GET /agents/tasks.`;
      return wireError(410, "CURSOR_EXPIRED", message, { context: { cursor, droppedTo } });
    }
    case "budget_exceeded": {
      const message = `The next call to tool ${preview(failure.toolId)} costs more than the remaining budget.`;
      return wireError(402, "BUDGET_EXCEEDED", message);
    }
    case "rate_limited": {
      const { window, toolId } = failure;
      const message = `The rate limit of tool ${preview(toolId)} has been reached (${formatCount(window.limit, "call")} per ${formatCount(window.windowSeconds, "second")}). Retry in ${formatCount(window.resetSeconds, "second")}.`;
      return rateLimitError(message, window);
    }
    case "share_used": {
      const { window, toolId, agentId } = failure;
      const message = `Agent ${preview(agentId)} has used its share of the ${window.limit} calls that tool ${preview(toolId)} allows per ${formatCount(window.windowSeconds, "second")}. The remaining ${window.remaining} are reserved for other agents. Retry in ${formatCount(window.resetSeconds, "second")}.`;
      return rateLimitError(message, window);
    }
    case "key_limit_reached":
      return toKeyLimitError(failure);
    case "task_budget_exceeded": {
      const message = `The budget of task ${preview(failure.taskId)} does not allow this call. ${failure.question}`;
      return wireError(402, "BUDGET_EXCEEDED", message);
    }
    case "tool_exists": {
      const message = failure.retired
        ? `The tool ${preview(failure.toolId)} was retired, and its id cannot be reused. Choose another id.`
        : `The tool ${preview(failure.toolId)} already exists. Change it with PATCH.`;
      return wireError(409, "TOOL_EXISTS", message);
    }
    case "tool_built_in": {
      const message = `The tool ${preview(failure.toolId)} is built in and cannot be changed. Register your own tool instead.`;
      return wireError(409, "TOOL_BUILT_IN", message);
    }
    case "agent_exists": {
      const message = failure.deleted
        ? formatIdNotReused("agent", failure.agentId)
        : `The agent ${preview(failure.agentId)} already exists. Change it with PATCH.`;
      return wireError(409, "AGENT_EXISTS", message);
    }
    case "team_exists":
      return wireError(409, "TEAM_EXISTS", formatIdNotReused("team", failure.teamId));
    case "too_many_webhooks": {
      const reached = failure.isOfKey
        ? `This key has reached its limit of ${failure.max} webhooks.`
        : `Webhook limit reached (${failure.max}).`;
      const message = `${reached} Delete an unused webhook or broaden an existing filter.`;
      return wireError(409, "WEBHOOK_LIMIT_REACHED", message);
    }
    case "webhook_disabled": {
      const message = `The webhook ${preview(failure.webhookId)} is disabled; enable it with PATCH first.`;
      return wireError(409, "WEBHOOK_DISABLED", message);
    }
    case "credentials_required": {
      const message = `Tool ${preview(failure.toolId)} cannot authenticate: ${failure.reason}`;
      const { details: context } = failure;
      return wireError(424, "TOOL_CREDENTIALS_REQUIRED", message, { context });
    }
    case "tool_failed":
      return toToolError(failure);
    case "tool_timeout": {
      const { toolId, timeoutMs, mayHaveExecuted = false } = failure;
      const message = `Tool ${preview(toolId)} did not respond within ${timeoutMs} ms.${formatUncertaintyNote(mayHaveExecuted)}`;
      return wireError(504, "TOOL_TIMEOUT", message, { retryable: !mayHaveExecuted });
    }
    case "circuit_open": {
      const { toolId, agentId, retryAfterSeconds } = failure;
      const message =
        agentId === null
          ? `Tool ${preview(toolId)} is temporarily unavailable after repeated failures. Retry in ${formatCount(retryAfterSeconds, "second")}.`
          : `Tool ${preview(toolId)} is temporarily unavailable to agent ${preview(agentId)} because its calls failed repeatedly. Retry in ${formatCount(retryAfterSeconds, "second")}.`;
      return unavailableError(message, retryAfterSeconds);
    }
    case "webhook_behind": {
      const message = `The filter of webhook ${preview(failure.webhookId)} cannot be changed yet, because too many deliveries are pending and the current filter still applies to unread events. Retry when fewer deliveries are pending.`;
      return unavailableError(message);
    }
    case "unavailable": {
      const { what, problem = "cannot be reached at the moment" } = failure;
      return unavailableError(`${what} ${problem}. Retry the request.`);
    }
    case "bug": {
      const message = "An internal error occurred. Quote the requestId when you report it.";
      return wireError(500, "INTERNAL_ERROR", message, { retryable: true });
    }
  }
}

function rateLimitError(message: string, window: RateLimitWindow): WireError {
  return wireError(429, "RATE_LIMIT_EXCEEDED", message, {
    retryable: true,
    retryAfterSeconds: window.resetSeconds,
    headers: formatRateLimitHeaders(window),
  });
}

function unavailableError(message: string, retryAfterSeconds: number | null = null): WireError {
  return wireError(503, "SERVICE_UNAVAILABLE", message, { retryable: true, retryAfterSeconds });
}

function formatValidationMessage(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "The request is not valid.";
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  return `${truncatePath(first).path} ${first.message}${more}.`;
}

/** Truncates the path of a problem if it is too long. */
function truncatePath({ path, message }: Problem): Problem {
  const characters = Array.from(path.slice(0, 2 * PROBLEM_PATH_CHARACTERS_MAX));
  if (characters.length <= PROBLEM_PATH_CHARACTERS_MAX) return { path, message };
  return { path: `${characters.slice(0, PROBLEM_PATH_CHARACTERS_MAX).join("")}…`, message };
}

function formatIdNotReused(what: "agent" | "team", id: string): string {
  return `The id ${preview(id)} belonged to a deleted ${what} and cannot be reused, because tasks and keys may still refer to it. Choose another id.`;
}

function formatAllowedActions(allowed: readonly string[]): string {
  return allowed.length === 0 ? "no actions are allowed" : `allowed actions: ${allowed.join(", ")}`;
}
