import type { JsonObject } from "../../kernel/json.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Problem } from "../../kernel/result.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import type { WireError } from "../../http/wire-error.ts";

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
const SERVER_ERROR = -32_000;
const INTERNAL_ERROR = -32_603;

type WireErrorFields = [A2aWireError["rpcCode"], A2aWireError["status"], string, string];

/** An error of a method: JSON-RPC responds with status 200. */
function defineError(...[rpcCode, status, grpcStatus, reason]: WireErrorFields): A2aWireError {
  return { rpcCode, status, grpcStatus, reason, isTransport: false };
}

function defineHttpError(...fields: WireErrorFields): A2aWireError {
  return { ...defineError(...fields), isTransport: true };
}

export const A2A_WIRE_ERRORS = {
  task_not_found: defineError(-32_001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
  task_not_cancelable: defineError(-32_002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
  unsupported_operation: defineError(-32_004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
  content_type_not_supported: defineError(
    -32_005,
    400,
    "INVALID_ARGUMENT",
    "CONTENT_TYPE_NOT_SUPPORTED",
  ),
  version_not_supported: defineError(-32_009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
  parse_error: defineError(-32_700, 400, "INVALID_ARGUMENT", "INVALID_JSON"),
  invalid_request: defineError(-32_600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
  method_not_found: defineError(-32_601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
  invalid_params: defineError(-32_602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
  unauthenticated: defineHttpError(SERVER_ERROR, 401, "UNAUTHENTICATED", "AUTHENTICATION_FAILED"),
  permission_denied: defineHttpError(SERVER_ERROR, 403, "PERMISSION_DENIED", "PERMISSION_DENIED"),
  method_not_allowed: defineHttpError(-32_600, 405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"),
  too_large: defineHttpError(-32_600, 413, "OUT_OF_RANGE", "PAYLOAD_TOO_LARGE"),
  aborted: defineError(SERVER_ERROR, 409, "ABORTED", "ABORTED"),
  exhausted: defineError(SERVER_ERROR, 429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"),
  limited: defineHttpError(SERVER_ERROR, 429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
  unavailable: defineHttpError(INTERNAL_ERROR, 503, "UNAVAILABLE", "SERVICE_UNAVAILABLE"),
  internal: defineHttpError(INTERNAL_ERROR, 500, "INTERNAL", "INTERNAL_ERROR"),
} satisfies Record<string, A2aWireError>;
type A2aRequestFailureName = keyof typeof A2A_WIRE_ERRORS;

/** Why an A2A request failed. */
export interface A2aRequestFailure {
  readonly name: A2aRequestFailureName;
  readonly message: string;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function createInvalidParams(problems: readonly Problem[]): A2aRequestFailure {
  return toRequestFailure({ kind: "validation", problems });
}

/** A failure of the service as a failure of A2A, with the message of REST. */
export function toRequestFailure(failure: Failure): A2aRequestFailure {
  const { status, message, details, headers } = toWireError(failure);
  return {
    name: NAMES_BY_KIND.get(failure.kind) ?? notFoundNameOf(failure) ?? NAMES_BY_STATUS[status],
    message,
    ...(details === undefined ? {} : { problems: details }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** Only tasks have ids in A2A; any other missing resource was named in a parameter. */
function notFoundNameOf(failure: Failure): A2aRequestFailureName | null {
  if (failure.kind !== "not_found") return null;
  if (failure.what === "task") return "task_not_found";
  return failure.what === "route" ? "method_not_found" : "invalid_params";
}

const NAMES_BY_STATUS: Readonly<Record<WireError["status"], A2aRequestFailureName>> = {
  400: "invalid_params",
  401: "unauthenticated",
  402: "unsupported_operation",
  403: "permission_denied",
  404: "invalid_params",
  405: "method_not_allowed",
  409: "unsupported_operation",
  410: "invalid_params",
  412: "aborted",
  413: "too_large",
  414: "too_large",
  415: "content_type_not_supported",
  422: "invalid_params",
  424: "unsupported_operation",
  429: "exhausted",
  500: "internal",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** Failures that differ from others of their status. */
const NAMES_BY_KIND: ReadonlyMap<Failure["kind"], A2aRequestFailureName> = new Map([
  ["invalid_json", "parse_error"],
  ["idempotency_key_in_use", "aborted"],
  ["budget_exceeded", "exhausted"],
  ["too_many_webhooks", "exhausted"],
  ["key_limit_reached", "limited"],
]);

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
