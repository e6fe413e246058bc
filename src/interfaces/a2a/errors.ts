import {
  A2A_ERROR_CODE,
  A2A_ERROR_DOMAIN,
  A2AError,
  ContentTypeNotSupportedError,
  ERROR_INFO_TYPE,
  type ErrorDetail,
  restStatusFor,
  TaskNotFoundError,
  toJsonRpcError,
  toRestErrorBody,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { type AppContext, logUnexpectedError } from "../../http/envelope.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import type { WireError } from "../../http/wire-error.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Problem, Result } from "../../kernel/result.ts";

/** How an error is sent. REST always responds with `status`. JSON-RPC responds with 200 unless `isHttp` is set. */
interface ErrorForm {
  readonly code: number;
  readonly status: number;
  readonly grpcStatus: string;
  readonly isHttp?: boolean;
}

/** The JSON-RPC error code for errors that A2A does not define. */
const SERVER_ERROR = -32_000;
const { PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR } =
  A2A_ERROR_CODE;

/** Errors that the SDK does not define, keyed by the `reason` in their google.rpc.ErrorInfo. */
const SERVICE_ERRORS = {
  INVALID_JSON: form(PARSE_ERROR, 400, "INVALID_ARGUMENT"),
  INVALID_REQUEST: form(INVALID_REQUEST, 400, "INVALID_ARGUMENT"),
  METHOD_NOT_FOUND: form(METHOD_NOT_FOUND, 404, "NOT_FOUND"),
  INVALID_PARAMS: form(INVALID_PARAMS, 400, "INVALID_ARGUMENT"),
  AUTHENTICATION_FAILED: httpForm(SERVER_ERROR, 401, "UNAUTHENTICATED"),
  PERMISSION_DENIED: httpForm(SERVER_ERROR, 403, "PERMISSION_DENIED"),
  METHOD_NOT_ALLOWED: httpForm(INVALID_REQUEST, 405, "UNIMPLEMENTED"),
  PAYLOAD_TOO_LARGE: httpForm(INVALID_REQUEST, 413, "OUT_OF_RANGE"),
  ABORTED: form(SERVER_ERROR, 409, "ABORTED"),
  RESOURCE_EXHAUSTED: form(SERVER_ERROR, 429, "RESOURCE_EXHAUSTED"),
  RATE_LIMIT_EXCEEDED: httpForm(SERVER_ERROR, 429, "RESOURCE_EXHAUSTED"),
  SERVICE_UNAVAILABLE: httpForm(INTERNAL_ERROR, 503, "UNAVAILABLE"),
  INTERNAL_ERROR: httpForm(INTERNAL_ERROR, 500, "INTERNAL"),
} satisfies Record<string, ErrorForm>;

function form(code: number, status: number, grpcStatus: string): ErrorForm {
  return { code, status, grpcStatus };
}

function httpForm(code: number, status: number, grpcStatus: string): ErrorForm {
  return { code, status, grpcStatus, isHttp: true };
}

/** An error that the SDK does not define. `problems` are sent as google.rpc.BadRequest. */
export class ServiceError extends Error {
  readonly reason: keyof typeof SERVICE_ERRORS;
  readonly problems: readonly Problem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    reason: keyof typeof SERVICE_ERRORS,
    message: string,
    { problems = [], headers = {} }: Partial<Pick<ServiceError, "problems" | "headers">> = {},
  ) {
    super(message);
    this.reason = reason;
    this.problems = problems;
    this.headers = headers;
  }
}

/** An error whose message may be shown to clients. */
export type RequestError = A2AError | ServiceError;

export function invalidParams(problems: readonly Problem[]): ServiceError {
  const { message } = toWireError({ kind: "validation", problems });
  return new ServiceError("INVALID_PARAMS", message, { problems });
}

export function invalidParam(path: string, message: string): ServiceError {
  return invalidParams([{ path, message }]);
}

/**
 * Returns the value, or throws the failure as an error, because the SDK's request handlers report errors only by
 * throwing.
 */
export function orThrow<Value>(result: Result<Value, Failure>): Value {
  if (result.ok) return result.value;
  throw toRequestError(result.failure);
}

/** Converts a failure to an A2A error with the same message as in REST. */
export function toRequestError(failure: Failure): RequestError {
  const error = toWireError(failure);
  const { message } = error;
  const reason = REASONS_BY_KIND.get(failure.kind) ?? REASONS_BY_STATUS[error.status];
  if (failure.kind === "not_found") {
    // A2A defines "not found" only for tasks. Any other missing resource was named in a parameter.
    if (failure.what === "task") return new TaskNotFoundError(message);
    if (failure.what === "route") return new ServiceError("METHOD_NOT_FOUND", message);
  }
  if (reason === "UNSUPPORTED_OPERATION") return new UnsupportedOperationError(message);
  if (reason === "CONTENT_TYPE_NOT_SUPPORTED") return new ContentTypeNotSupportedError(message);
  const { details: problems = [], headers = {} } = error;
  return new ServiceError(reason, message, { problems, headers });
}

type Reason = keyof typeof SERVICE_ERRORS | "UNSUPPORTED_OPERATION" | "CONTENT_TYPE_NOT_SUPPORTED";

const REASONS_BY_STATUS: Readonly<Record<WireError["status"], Reason>> = {
  400: "INVALID_PARAMS",
  401: "AUTHENTICATION_FAILED",
  402: "UNSUPPORTED_OPERATION",
  403: "PERMISSION_DENIED",
  404: "INVALID_PARAMS",
  405: "METHOD_NOT_ALLOWED",
  409: "UNSUPPORTED_OPERATION",
  410: "INVALID_PARAMS",
  412: "ABORTED",
  413: "PAYLOAD_TOO_LARGE",
  414: "PAYLOAD_TOO_LARGE",
  415: "CONTENT_TYPE_NOT_SUPPORTED",
  422: "INVALID_PARAMS",
  424: "UNSUPPORTED_OPERATION",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL_ERROR",
  502: "SERVICE_UNAVAILABLE",
  503: "SERVICE_UNAVAILABLE",
  504: "SERVICE_UNAVAILABLE",
};

/** Failures whose reason differs from the default for their status. */
const REASONS_BY_KIND: ReadonlyMap<Failure["kind"], Reason> = new Map([
  ["invalid_json", "INVALID_JSON"],
  ["idempotency_key_in_use", "ABORTED"],
  ["budget_exceeded", "RESOURCE_EXHAUSTED"],
  ["limit_exceeded", "RESOURCE_EXHAUSTED"],
  ["too_many_webhooks", "RESOURCE_EXHAUSTED"],
  ["key_limit_reached", "RATE_LIMIT_EXCEEDED"],
]);

/** Converts any error to one that may be shown to clients, and logs unexpected errors. */
export function readableError(c: AppContext, thrown: unknown): RequestError {
  if (thrown instanceof ServiceError || thrown instanceof A2AError) return thrown;
  return toRequestError(logUnexpectedError(c.req, thrown));
}

export function errorFormOf(error: RequestError): ErrorForm {
  if (error instanceof ServiceError) return SERVICE_ERRORS[error.reason];
  const status = restStatusFor(error);
  const grpcStatus = toRestErrorBody(error, status).error.status;
  return { code: toJsonRpcError(error).code, status, grpcStatus };
}

/** The `error` object of a JSON-RPC response (section 9.5). */
export function toRpcErrorObject(error: RequestError) {
  const { code } = errorFormOf(error);
  return { code, message: error.message, data: errorDetailsOf(error) };
}

/** The body of a REST error response: a google.rpc.Status (section 11.6). */
export function toRestErrorObject(error: RequestError) {
  const { status: code, grpcStatus: status } = errorFormOf(error);
  return { error: { code, status, message: error.message, details: errorDetailsOf(error) } };
}

function errorDetailsOf(error: RequestError): ErrorDetail[] {
  if (!(error instanceof ServiceError)) return [error.toErrorInfo()];
  const { reason, problems } = error;
  const info = { "@type": ERROR_INFO_TYPE, reason, domain: A2A_ERROR_DOMAIN };
  if (problems.length === 0) return [info];
  const fieldViolations = problems.map(({ path, message }) => ({
    field: path,
    description: message,
  }));
  return [info, { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
}
