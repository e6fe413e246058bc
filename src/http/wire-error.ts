import type { Failure, RateLimitWindow, ResourceKind, ToolFailure } from "../kernel/failure.ts";
import { preview, type Problem } from "../kernel/problem.ts";

type ErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 409
  | 410
  | 412
  | 413
  | 414
  | 415
  | 422
  | 424
  | 429
  | 500
  | 502
  | 503
  | 504;

/** A failure as clients meet it: the status, the `error` object and headers of the answer. */
export interface WireError {
  readonly status: ErrorStatus;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: readonly Problem[];
  readonly context?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that the same request will meet again. */
export function wireError(status: ErrorStatus, code: string, message: string): WireError {
  return { status, code, message, retryable: false };
}

/** The system behind a tool failed or said no. */
export function toToolError(failure: ToolFailure): WireError {
  const { toolId, reason, retryable, retryAfterSeconds, details, mayBeDone = false } = failure;
  return {
    status: 502,
    code: "TOOL_UPSTREAM_ERROR",
    message: `Tool ${preview(toolId)} failed: ${reason}${formatUncertaintyNote(mayBeDone)}`,
    retryable,
    ...(details === null ? {} : { context: details }),
    ...(retryAfterSeconds === null
      ? {}
      : { headers: { "Retry-After": String(retryAfterSeconds) } }),
  };
}

/** What to do about a call of which nobody knows whether it was carried out. */
export function formatUncertaintyNote(mayBeDone: boolean): string {
  return mayBeDone ? " It may have been carried out all the same; look before you repeat it." : "";
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers) for a tool's or a key's window. */
export function formatRateLimitHeaders(
  window: RateLimitWindow,
  policy: "tool" | "key" = "tool",
): Record<string, string> {
  return {
    RateLimit: `"${policy}";r=${window.remaining};t=${window.resetSeconds}`,
    "RateLimit-Policy": `"${policy}";q=${window.limit};w=${window.windowSeconds}`,
  };
}

const KEY_IN_USE_CODE = "IDEMPOTENCY_KEY_IN_USE";

/** An Idempotency-Key whose first request has no answer: not yet, or never, when it `isLost`. */
export function toKeyInUseError(isLost: boolean): WireError {
  return isLost ? responseLostError() : inProgressError();
}

function inProgressError(): WireError {
  const message =
    "The first request with this Idempotency-Key is still being carried out; wait a second.";
  const headers = { "Retry-After": "1" };
  return { ...wireError(409, KEY_IN_USE_CODE, message), retryable: true, headers };
}

function responseLostError(): WireError {
  const message =
    "The answer to the first request with this Idempotency-Key is lost, and it may have been carried out or not: look, and where it was not, repeat it with a new key.";
  return wireError(409, KEY_IN_USE_CODE, message);
}

/** A key has reached one of its limits. */
export function toKeyLimitError({
  keyId,
  limit,
  max,
  remedy,
  retryAfterSeconds,
  withoutWork,
}: Extract<Failure, { kind: "key_limit_reached" }>): WireError {
  const wait = retryAfterSeconds === null ? "" : ` Retry in ${retryAfterSeconds} seconds.`;
  const work = withoutWork === true ? " The same report is accepted without `work`." : "";
  const message = `Key ${preview(keyId)} has reached its limit ${limit} (${max}).${wait}${work} ${remedy}, or raise the limit with PATCH /agents/keys/${keyId}.`;
  return {
    status: 429,
    code: "RATE_LIMIT_EXCEEDED",
    message,
    retryable: true,
    context: { keyId, limit, max },
    ...(retryAfterSeconds === null
      ? {}
      : { headers: { "Retry-After": String(retryAfterSeconds) } }),
  };
}

/** What was named is not there, or not for this key to see. */
export function toNotFoundError(what: ResourceKind, id: string): WireError {
  return wireError(404, NOT_FOUND_CODES[what], formatNotFoundMessage(what, id));
}

const NOT_FOUND_CODES: Readonly<Record<ResourceKind, string>> = {
  route: "NOT_FOUND",
  tool: "TOOL_NOT_FOUND",
  capability: "CAPABILITY_NOT_FOUND",
  agent: "AGENT_NOT_FOUND",
  team: "TEAM_NOT_FOUND",
  task: "TASK_NOT_FOUND",
  access: "ACCESS_NOT_FOUND",
  deliverable: "DELIVERABLE_NOT_FOUND",
  key: "KEY_NOT_FOUND",
  result: "RESULT_NOT_FOUND",
  credentials: "CREDENTIALS_NOT_FOUND",
  webhook: "WEBHOOK_NOT_FOUND",
  delivery: "DELIVERY_NOT_FOUND",
};

function formatNotFoundMessage(what: ResourceKind, id: string): string {
  if (what === "route") return `There is nothing at ${preview(id)}.`;
  if (what === "credentials") {
    return `Tool ${preview(id)} has no credentials; give it some with PUT /agents/tools/${id}/credentials.`;
  }
  return `There is no ${what} ${preview(id)}.`;
}
