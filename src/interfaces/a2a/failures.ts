import type { JsonObject } from "../../kernel/json.ts";
import type { Failure, ResourceKind } from "../../kernel/failure.ts";
import type { Problem } from "../../kernel/problem.ts";
import { toWireError } from "../../http/to-wire-error.ts";

/**
 * How a fault goes over each wire. `code`: of JSON-RPC. `status`: of HTTP, in the REST binding, and where
 * `isHttp` in both. `rpc`: of google.rpc. `reason`: of the ErrorInfo; those of A2A as section 5.4 has them.
 */
interface A2aWireError {
  readonly code: number;
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 503;
  readonly rpc: string;
  readonly reason: string;
  readonly isHttp?: true;
}

const FAILED_PRECONDITION = { status: 400, rpc: "FAILED_PRECONDITION" } as const;
const INVALID_ARGUMENT = { status: 400, rpc: "INVALID_ARGUMENT" } as const;
/** What A2A has no code for has that of JSON-RPC which nobody else has claimed. */
const SERVER_ERROR_CODE = -32_000;

export const A2A_WIRE_ERRORS = {
  task_not_found: { code: -32_001, status: 404, rpc: "NOT_FOUND", reason: "TASK_NOT_FOUND" },
  task_not_cancelable: { code: -32_002, ...FAILED_PRECONDITION, reason: "TASK_NOT_CANCELABLE" },
  unsupported_operation: { code: -32_004, ...FAILED_PRECONDITION, reason: "UNSUPPORTED_OPERATION" },
  content_type_not_supported: {
    code: -32_005,
    ...INVALID_ARGUMENT,
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
  },
  version_not_supported: { code: -32_009, ...FAILED_PRECONDITION, reason: "VERSION_NOT_SUPPORTED" },
  parse_error: { code: -32_700, ...INVALID_ARGUMENT, reason: "INVALID_JSON" },
  invalid_request: { code: -32_600, ...INVALID_ARGUMENT, reason: "INVALID_REQUEST" },
  method_not_found: { code: -32_601, status: 404, rpc: "NOT_FOUND", reason: "METHOD_NOT_FOUND" },
  invalid_params: { code: -32_602, ...INVALID_ARGUMENT, reason: "INVALID_PARAMS" },
  unauthenticated: {
    code: SERVER_ERROR_CODE,
    status: 401,
    rpc: "UNAUTHENTICATED",
    reason: "AUTHENTICATION_FAILED",
    isHttp: true,
  },
  permission_denied: {
    code: SERVER_ERROR_CODE,
    status: 403,
    rpc: "PERMISSION_DENIED",
    reason: "PERMISSION_DENIED",
    isHttp: true,
  },
  method_not_allowed: {
    code: -32_600,
    status: 405,
    rpc: "UNIMPLEMENTED",
    reason: "METHOD_NOT_ALLOWED",
    isHttp: true,
  },
  too_large: {
    code: -32_600,
    status: 413,
    rpc: "OUT_OF_RANGE",
    reason: "PAYLOAD_TOO_LARGE",
    isHttp: true,
  },
  aborted: { code: SERVER_ERROR_CODE, status: 409, rpc: "ABORTED", reason: "ABORTED" },
  exhausted: {
    code: SERVER_ERROR_CODE,
    status: 429,
    rpc: "RESOURCE_EXHAUSTED",
    reason: "RESOURCE_EXHAUSTED",
  },
  limited: {
    code: SERVER_ERROR_CODE,
    status: 429,
    rpc: "RESOURCE_EXHAUSTED",
    reason: "RATE_LIMIT_EXCEEDED",
    isHttp: true,
  },
  unavailable: {
    code: -32_603,
    status: 503,
    rpc: "UNAVAILABLE",
    reason: "SERVICE_UNAVAILABLE",
    isHttp: true,
  },
  internal: {
    code: -32_603,
    status: 500,
    rpc: "INTERNAL",
    reason: "INTERNAL_ERROR",
    isHttp: true,
  },
} as const satisfies Record<string, A2aWireError>;
export type A2aRequestFailureName = keyof typeof A2A_WIRE_ERRORS;

/** Why a request of A2A was not carried out. */
export interface A2aRequestFailure {
  readonly name: A2aRequestFailureName;
  readonly message: string;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function createRequestFailure(
  name: A2aRequestFailureName,
  message: string,
): A2aRequestFailure {
  return { name, message };
}

/** What is wrong with parameters, each under its path. */
export function createInvalidParams(problems: readonly Problem[]): A2aRequestFailure {
  return toRequestFailure({ kind: "validation", problems });
}

/** A failure of the service in A2A's terms, in the words of REST. */
export function toRequestFailure(failure: Failure): A2aRequestFailure {
  const { message, details, headers } = toWireError(failure);
  return {
    name: failureNameOf(failure),
    message,
    ...(details === undefined ? {} : { problems: details }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function failureNameOf(failure: Failure): A2aRequestFailureName {
  switch (failure.kind) {
    case "validation":
    case "idempotency_key_reused":
    case "cursor_expired":
      return "invalid_params";
    case "invalid_json":
      return "parse_error";
    case "unauthenticated":
      return "unauthenticated";
    case "host_not_allowed":
    case "insufficient_scope":
    case "key_mismatch":
    case "agent_disabled":
    case "task_required":
    case "budget_raise_denied":
    case "agent_mismatch":
    case "claim_by_team":
    case "reassign_by_agent":
    case "tool_access_denied":
    case "capability_not_granted":
      return "permission_denied";
    case "not_found":
      return notFoundNameOf(failure.what);
    case "method_not_allowed":
      return "method_not_allowed";
    case "payload_too_large":
    case "uri_too_long":
      return "too_large";
    case "unsupported_media_type":
      return "content_type_not_supported";
    case "invalid_state":
    case "task_not_completed":
    case "deadline_passed":
    case "no_other_agent":
    case "lease_lost":
    case "task_log_full":
    case "task_budget_exceeded":
    case "tool_exists":
    case "tool_built_in":
    case "agent_exists":
    case "team_exists":
    case "webhook_disabled":
    case "credentials_required":
      return "unsupported_operation";
    case "idempotency_key_in_use":
    case "precondition_failed":
      return "aborted";
    case "rate_limited":
    case "share_used":
    case "budget_exceeded":
    case "too_many_webhooks":
      return "exhausted";
    case "key_limit_reached":
      return "limited";
    case "tool_failed":
    case "tool_timeout":
    case "tool_resting":
    case "webhook_behind":
    case "unavailable":
      return "unavailable";
    case "bug":
      return "internal";
  }
}

/** Only tasks are addressed; whatever else is not found was named in a parameter. */
function notFoundNameOf(what: ResourceKind): A2aRequestFailureName {
  if (what === "task") return "task_not_found";
  return what === "route" ? "method_not_found" : "invalid_params";
}

const ERROR_DOMAIN = "a2a-protocol.org";
const TYPE_URL_PREFIX = "type.googleapis.com/google.rpc.";

/** The `error` of a JSON-RPC answer (section 9.5). */
export function toA2aRpcError(failure: A2aRequestFailure): JsonObject {
  return {
    code: A2A_WIRE_ERRORS[failure.name].code,
    message: failure.message,
    data: errorDetails(failure),
  };
}

/** The body of a REST answer: a google.rpc.Status (section 11.6). */
export function toA2aRestError(failure: A2aRequestFailure): JsonObject {
  const { status, rpc } = A2A_WIRE_ERRORS[failure.name];
  const { message } = failure;
  return { error: { code: status, status: rpc, message, details: errorDetails(failure) } };
}

function errorDetails({ name, problems = [] }: A2aRequestFailure): JsonObject[] {
  const info = {
    "@type": `${TYPE_URL_PREFIX}ErrorInfo`,
    reason: A2A_WIRE_ERRORS[name].reason,
    domain: ERROR_DOMAIN,
  };
  if (problems.length === 0) return [info];
  const fieldViolations = problems.map(({ path, message }) => ({
    field: path,
    description: message,
  }));
  return [info, { "@type": `${TYPE_URL_PREFIX}BadRequest`, fieldViolations }];
}
