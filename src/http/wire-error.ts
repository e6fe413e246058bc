import type { Failure, RateLimitWindow, ResourceKind } from "../kernel/failure.ts";
import { formatCount } from "../kernel/text.ts";
import { preview, type Problem } from "../kernel/result.ts";

const ERROR_STATUSES = [
  400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 414, 415, 422, 424, 429, 500, 502, 503, 504,
] as const;
type ErrorStatus = (typeof ERROR_STATUSES)[number];

/** A failure as clients see it: the response's status, `error` object and headers. */
export interface WireError {
  readonly status: ErrorStatus;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: readonly Problem[];
  readonly context?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The optional fields of an error. By default, an error is not retryable. */
interface WireErrorOptions extends Partial<Pick<WireError, "retryable" | "details" | "headers">> {
  readonly context?: object | undefined;
  readonly retryAfterSeconds?: number | null;
}

export function wireError(
  status: ErrorStatus,
  code: string,
  message: string,
  { retryable = false, details, context, headers, retryAfterSeconds = null }: WireErrorOptions = {},
): WireError {
  const retryAfter = retryAfterSeconds === null ? {} : { "Retry-After": String(retryAfterSeconds) };
  const hasHeaders = headers !== undefined || retryAfterSeconds !== null;
  return {
    status,
    code,
    message,
    retryable,
    ...(details === undefined ? {} : { details }),
    ...(context === undefined ? {} : { context }),
    ...(hasHeaders ? { headers: { ...retryAfter, ...headers } } : {}),
  };
}

/** The error returned if the system behind a tool fails or rejects the call. */
export function toToolError(failure: Failure<"tool_failed">): WireError {
  const { toolId, reason, retryable, retryAfterSeconds, mayHaveExecuted = false } = failure;
  const message = `Tool ${preview(toolId)} failed: ${reason}${formatUncertaintyNote(mayHaveExecuted)}`;
  const context = failure.details ?? undefined;
  return wireError(502, "TOOL_UPSTREAM_ERROR", message, { retryable, context, retryAfterSeconds });
}

/** The error of a call by an agent that is not allowed to work. */
export function toStoppedAgentError({
  kind,
  agentId,
}: Failure<"agent_disabled" | "agent_paused">): WireError {
  const agent = `Agent ${preview(agentId)}`;
  if (kind === "agent_disabled") {
    const message = `${agent} is disabled. Enable it with PATCH /agents/${agentId} and {"enabled": true}.`;
    return wireError(403, "AGENT_DISABLED", message);
  }
  const message = `${agent} is paused. Resume it with POST /agents/${agentId}/resume.`;
  return wireError(403, "AGENT_PAUSED", message);
}

/** Advice for a call that may or may not have been executed. */
export function formatUncertaintyNote(mayHaveExecuted: boolean): string {
  return mayHaveExecuted ? " It may have been executed; check before you retry." : "";
}

/**
 * The `RateLimit` and `RateLimit-Policy` headers (draft-ietf-httpapi-ratelimit-headers) for a tool's or a key's window.
 */
export function formatRateLimitHeaders(
  window: RateLimitWindow,
  policy: "tool" | "key" = "tool",
): Record<string, string> {
  return {
    RateLimit: `"${policy}";r=${window.remaining};t=${window.resetSeconds}`,
    "RateLimit-Policy": `"${policy}";q=${window.limit};w=${window.windowSeconds}`,
  };
}

/**
 * The error returned if the first request with an Idempotency-Key is in progress, or if its response was lost
 * (`isLost`).
 */
export function toKeyInUseError(isLost: boolean): WireError {
  const message = isLost
    ? "The original response was lost. The request may or may not have been applied: check the resource, then retry with a new key if needed."
    : "The first request with this Idempotency-Key is still in progress. Retry in a second.";
  const retry = isLost ? {} : { retryable: true, retryAfterSeconds: 1 };
  return wireError(409, "IDEMPOTENCY_KEY_IN_USE", message, retry);
}

export function toKeyLimitError(failure: Failure<"key_limit_reached">): WireError {
  const { keyId, limit, max, remedy, retryAfterSeconds, withoutWork } = failure;
  const wait =
    retryAfterSeconds === null ? "" : ` Retry in ${formatCount(retryAfterSeconds, "second")}.`;
  const work = withoutWork === true ? " The report would be accepted without `work`." : "";
  const message = `Key ${preview(keyId)} has reached its ${limit} limit (${max}).${wait}${work} ${remedy}, or raise the limit with PATCH /agents/keys/${keyId}.`;
  const context = { keyId, limit, max };
  const options = { retryable: true, context, retryAfterSeconds };
  return wireError(429, "RATE_LIMIT_EXCEEDED", message, options);
}

export function toPolicyError(
  failure: Failure<"policy_denied" | "policy_exists" | "too_many_policies">,
): WireError {
  switch (failure.kind) {
    case "policy_denied": {
      const { policyId, reason, error } = failure;
      const message =
        error === undefined
          ? `Policy ${preview(policyId)} denies this call: ${reason}`
          : `The condition of policy ${preview(policyId)} cannot be evaluated, so the call is denied: ${error} Change the parameters, or have the policy corrected.`;
      return wireError(403, "POLICY_DENIED", message, { context: { policyId } });
    }
    case "policy_exists": {
      const message = `The policy ${preview(failure.policyId)} already exists. Change it with PATCH or replace it with PUT.`;
      return wireError(409, "POLICY_EXISTS", message);
    }
    case "too_many_policies": {
      const message = `Policy limit reached (${failure.max}). Delete an unused policy or combine several.`;
      return wireError(409, "POLICY_LIMIT_REACHED", message);
    }
  }
}

export function toLimitError(
  failure: Failure<"limit_exceeded" | "limit_exists" | "too_many_limits">,
): WireError {
  switch (failure.kind) {
    case "limit_exceeded": {
      const { kind: _, retryAfterSeconds, requested, ...context } = failure;
      const message = formatLimitUse(failure);
      // Waiting does not help if the limit never resets, and nobody should wait automatically to spend more money.
      if (failure.measure === "usd" || retryAfterSeconds === null)
        return wireError(402, "SPENDING_LIMIT_EXCEEDED", message, { context });
      const options = { retryable: true, retryAfterSeconds, context };
      return wireError(429, "USAGE_LIMIT_EXCEEDED", message, options);
    }
    case "limit_exists": {
      const message = `The limit ${preview(failure.limitId)} already exists. Change it with PATCH or replace it with PUT.`;
      return wireError(409, "LIMIT_EXISTS", message);
    }
    case "too_many_limits": {
      const message = `There are already ${failure.max} spending limits, the maximum. Delete an unused limit.`;
      return wireError(409, "TOO_MANY_LIMITS", message);
    }
  }
}

/** Which limit does not allow what, and when it resets. */
function formatLimitUse(failure: Failure<"limit_exceeded">): string {
  const { limitId, measure, per, limit, used, reserved, requested, resetAt } = failure;
  const format = (amount: number) =>
    measure === "usd" ? `$${amount}` : formatCount(amount, measure.slice(0, -1));
  const rule = `Limit ${preview(limitId)} of ${format(limit)} ${per === "total" ? "in total" : `per ${per}`} does not allow this`;
  const use = [
    ...(per === "call" ? [] : [`${format(used)} used`]),
    ...(reserved === 0 ? [] : [`${format(reserved)} reserved by calls in progress`]),
    `up to ${format(requested)} requested`,
  ];
  return `${rule}: ${use.join(", ")}.${resetAt === null ? "" : ` It resets at ${resetAt}.`}`;
}

/** The error returned if a resource does not exist or is not visible to the key. */
export function toNotFoundError(what: ResourceKind, id: string): WireError {
  if (what === "route") return wireError(404, "NOT_FOUND", `No resource exists at ${preview(id)}.`);
  const message =
    what === "credentials"
      ? `Tool ${preview(id)} has no credentials; set them with PUT /agents/tools/${id}/credentials.`
      : `There is no ${what === "access" ? "grant" : what} ${preview(id)}.`;
  return wireError(404, `${what.toUpperCase()}_NOT_FOUND`, message);
}
