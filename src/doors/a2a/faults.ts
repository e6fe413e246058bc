import type { Failure, Missing } from "../../domain/failure.ts";
import type { Problem } from "../../domain/problem.ts";
import { onTheWire } from "../../http/failure.ts";

/**
 * How a fault goes over each wire. `code`: of JSON-RPC. `status`: of HTTP, in the REST binding, and where
 * `isHttp` in both. `rpc`: of google.rpc. `reason`: of the ErrorInfo; those of A2A as section 5.4 has them.
 */
interface FaultWire {
  readonly code: number;
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 503;
  readonly rpc: string;
  readonly reason: string;
  readonly isHttp?: true;
}

const PRECONDITION = { status: 400, rpc: "FAILED_PRECONDITION" } as const;
const ARGUMENT = { status: 400, rpc: "INVALID_ARGUMENT" } as const;
/** What A2A has no code for has that of JSON-RPC which nobody else has claimed. */
const OURS = -32_000;

export const FAULTS = {
  task_not_found: { code: -32_001, status: 404, rpc: "NOT_FOUND", reason: "TASK_NOT_FOUND" },
  task_not_cancelable: { code: -32_002, ...PRECONDITION, reason: "TASK_NOT_CANCELABLE" },
  unsupported_operation: { code: -32_004, ...PRECONDITION, reason: "UNSUPPORTED_OPERATION" },
  content_type_not_supported: { code: -32_005, ...ARGUMENT, reason: "CONTENT_TYPE_NOT_SUPPORTED" },
  version_not_supported: { code: -32_009, ...PRECONDITION, reason: "VERSION_NOT_SUPPORTED" },
  parse_error: { code: -32_700, ...ARGUMENT, reason: "INVALID_JSON" },
  invalid_request: { code: -32_600, ...ARGUMENT, reason: "INVALID_REQUEST" },
  method_not_found: { code: -32_601, status: 404, rpc: "NOT_FOUND", reason: "METHOD_NOT_FOUND" },
  invalid_params: { code: -32_602, ...ARGUMENT, reason: "INVALID_PARAMS" },
  unauthenticated: {
    code: OURS,
    status: 401,
    rpc: "UNAUTHENTICATED",
    reason: "AUTHENTICATION_FAILED",
    isHttp: true,
  },
  permission_denied: {
    code: OURS,
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
  aborted: { code: OURS, status: 409, rpc: "ABORTED", reason: "ABORTED" },
  exhausted: { code: OURS, status: 429, rpc: "RESOURCE_EXHAUSTED", reason: "RESOURCE_EXHAUSTED" },
  limited: {
    code: OURS,
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
} as const satisfies Record<string, FaultWire>;
export type FaultName = keyof typeof FAULTS;

/** Why a request of A2A was not carried out. */
export interface Fault {
  readonly name: FaultName;
  readonly message: string;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function faultOf(name: FaultName, message: string): Fault {
  return { name, message };
}

/** What is wrong with parameters, each under its path. */
export function invalidParams(problems: readonly Problem[]): Fault {
  return faultOfFailure({ kind: "validation", problems });
}

/** A failure of the service in A2A's terms, in the words of REST. */
export function faultOfFailure(failure: Failure): Fault {
  const { message, details, headers } = onTheWire(failure);
  return {
    name: nameOf(failure),
    message,
    ...(details === undefined ? {} : { problems: details }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function nameOf(failure: Failure): FaultName {
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
      return missing(failure.what);
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
function missing(what: Missing): FaultName {
  if (what === "task") return "task_not_found";
  return what === "route" ? "method_not_found" : "invalid_params";
}
