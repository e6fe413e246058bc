import type { JsonObject } from "../../kernel/json.ts";
import type { Failure, ResourceKind } from "../../kernel/failure.ts";
import type { Problem } from "../../kernel/problem.ts";
import { toWireError } from "../../http/to-wire-error.ts";

/** How a failure is sent. `reason`: of google.rpc.ErrorInfo; those of A2A are from section 5.4. */
interface A2aWireError {
  readonly rpcCode: number;
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 503;
  readonly grpcStatus: string;
  readonly reason: string;
  /** Whether the JSON-RPC binding also responds with `status` instead of 200. */
  readonly isTransport: boolean;
}

/** JSON-RPC's own code for failures that A2A does not define. */
const SERVER_ERROR_CODE = -32_000;
const INTERNAL_ERROR_CODE = -32_603;

function defineWireError(
  rpcCode: number,
  status: A2aWireError["status"],
  grpcStatus: string,
  reason: string,
): A2aWireError {
  return { rpcCode, status, grpcStatus, reason, isTransport: false };
}

function defineTransportError(...definition: Parameters<typeof defineWireError>): A2aWireError {
  return { ...defineWireError(...definition), isTransport: true };
}

export const A2A_WIRE_ERRORS = {
  task_not_found: defineWireError(-32_001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
  task_not_cancelable: defineWireError(-32_002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
  unsupported_operation: defineWireError(
    -32_004,
    400,
    "FAILED_PRECONDITION",
    "UNSUPPORTED_OPERATION",
  ),
  content_type_not_supported: defineWireError(
    -32_005,
    400,
    "INVALID_ARGUMENT",
    "CONTENT_TYPE_NOT_SUPPORTED",
  ),
  version_not_supported: defineWireError(
    -32_009,
    400,
    "FAILED_PRECONDITION",
    "VERSION_NOT_SUPPORTED",
  ),
  parse_error: defineWireError(-32_700, 400, "INVALID_ARGUMENT", "INVALID_JSON"),
  invalid_request: defineWireError(-32_600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
  method_not_found: defineWireError(-32_601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
  invalid_params: defineWireError(-32_602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
  unauthenticated: defineTransportError(
    SERVER_ERROR_CODE,
    401,
    "UNAUTHENTICATED",
    "AUTHENTICATION_FAILED",
  ),
  permission_denied: defineTransportError(
    SERVER_ERROR_CODE,
    403,
    "PERMISSION_DENIED",
    "PERMISSION_DENIED",
  ),
  method_not_allowed: defineTransportError(-32_600, 405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"),
  too_large: defineTransportError(-32_600, 413, "OUT_OF_RANGE", "PAYLOAD_TOO_LARGE"),
  aborted: defineWireError(SERVER_ERROR_CODE, 409, "ABORTED", "ABORTED"),
  exhausted: defineWireError(SERVER_ERROR_CODE, 429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"),
  limited: defineTransportError(
    SERVER_ERROR_CODE,
    429,
    "RESOURCE_EXHAUSTED",
    "RATE_LIMIT_EXCEEDED",
  ),
  unavailable: defineTransportError(INTERNAL_ERROR_CODE, 503, "UNAVAILABLE", "SERVICE_UNAVAILABLE"),
  internal: defineTransportError(INTERNAL_ERROR_CODE, 500, "INTERNAL", "INTERNAL_ERROR"),
} satisfies Record<string, A2aWireError>;
export type A2aRequestFailureName = keyof typeof A2A_WIRE_ERRORS;

/** Why an A2A request failed. */
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

/** Invalid parameters. */
export function createInvalidParams(problems: readonly Problem[]): A2aRequestFailure {
  return toRequestFailure({ kind: "validation", problems });
}

/** A failure of the service as a failure of A2A, with the message of REST. */
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
  return failure.kind === "not_found" ? notFoundNameOf(failure.what) : FAILURE_NAMES[failure.kind];
}

const FAILURE_NAMES: Readonly<
  Record<Exclude<Failure["kind"], "not_found">, A2aRequestFailureName>
> = {
  validation: "invalid_params",
  idempotency_key_reused: "invalid_params",
  cursor_expired: "invalid_params",
  invalid_json: "parse_error",
  unauthenticated: "unauthenticated",
  host_not_allowed: "permission_denied",
  insufficient_scope: "permission_denied",
  key_mismatch: "permission_denied",
  agent_disabled: "permission_denied",
  task_required: "permission_denied",
  budget_raise_denied: "permission_denied",
  agent_mismatch: "permission_denied",
  claim_by_team: "permission_denied",
  reassign_by_agent: "permission_denied",
  tool_access_denied: "permission_denied",
  capability_not_granted: "permission_denied",
  method_not_allowed: "method_not_allowed",
  payload_too_large: "too_large",
  uri_too_long: "too_large",
  unsupported_media_type: "content_type_not_supported",
  invalid_state: "unsupported_operation",
  task_not_completed: "unsupported_operation",
  deadline_passed: "unsupported_operation",
  no_other_agent: "unsupported_operation",
  lease_lost: "unsupported_operation",
  task_log_full: "unsupported_operation",
  task_budget_exceeded: "unsupported_operation",
  tool_exists: "unsupported_operation",
  tool_built_in: "unsupported_operation",
  agent_exists: "unsupported_operation",
  team_exists: "unsupported_operation",
  webhook_disabled: "unsupported_operation",
  credentials_required: "unsupported_operation",
  idempotency_key_in_use: "aborted",
  precondition_failed: "aborted",
  rate_limited: "exhausted",
  share_used: "exhausted",
  budget_exceeded: "exhausted",
  too_many_webhooks: "exhausted",
  key_limit_reached: "limited",
  tool_failed: "unavailable",
  tool_timeout: "unavailable",
  circuit_open: "unavailable",
  webhook_behind: "unavailable",
  unavailable: "unavailable",
  bug: "internal",
};

/** Only tasks have ids in A2A; any other missing resource was named in a parameter. */
function notFoundNameOf(what: ResourceKind): A2aRequestFailureName {
  if (what === "task") return "task_not_found";
  return what === "route" ? "method_not_found" : "invalid_params";
}

const ERROR_DOMAIN = "a2a-protocol.org";
const TYPE_URL_PREFIX = "type.googleapis.com/google.rpc.";

/** The `error` of a JSON-RPC response (section 9.5). */
export function toA2aRpcError(failure: A2aRequestFailure): JsonObject {
  return {
    code: A2A_WIRE_ERRORS[failure.name].rpcCode,
    message: failure.message,
    data: errorDetails(failure),
  };
}

/** The body of a REST response: a google.rpc.Status (section 11.6). */
export function toA2aRestError(failure: A2aRequestFailure): JsonObject {
  const { status, grpcStatus } = A2A_WIRE_ERRORS[failure.name];
  const { message } = failure;
  return { error: { code: status, status: grpcStatus, message, details: errorDetails(failure) } };
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
