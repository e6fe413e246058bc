import { type Failure, UnavailableError } from "../kernel/failure.ts";
import type { AppContext } from "./context.ts";
import { fail, type Result } from "../kernel/result.ts";
import { toWireError } from "./to-wire-error.ts";
import type { WireError } from "./wire-error.ts";
import { log } from "../platform/log.ts";

/** A successful response; `data` goes into the envelope of the specification. */
export interface SuccessReply {
  readonly data: object;
  readonly status?: 200 | 201;
  readonly headers?: Readonly<Record<string, string>>;
  /** Warnings about a request that succeeded, in `metadata.warnings`. */
  readonly warnings?: readonly string[];
}

/** The outcome of a request as clients see it, without its metadata. */
export type WireResult = Result<SuccessReply, WireError>;

export function toWireResult(result: Result<SuccessReply, Failure>): WireResult {
  return result.ok ? result : fail(toWireError(result.failure));
}

export function sendResult(c: AppContext, outcome: WireResult): Response {
  if (outcome.ok) {
    const { data, status = 200, headers, warnings = [] } = outcome.value;
    const warned = warnings.length === 0 ? {} : { warnings };
    const body = { success: true, data, metadata: { ...metadata(c), ...warned } };
    return c.json(body, status, { ...headers });
  }
  const { status, headers, ...error } = outcome.failure;
  return c.json({ success: false, error, metadata: metadata(c) }, status, { ...headers });
}

export function sendFailure(c: AppContext, failure: Failure): Response {
  return sendResult(c, fail(toWireError(failure)));
}

function metadata(c: AppContext): { requestId: string; timestamp: string } {
  return { requestId: c.get("requestId"), timestamp: new Date().toISOString() };
}

/** Logs an unexpected error in full, and returns the failure for the client, without SQL or a stack. */
export function logUnexpectedError(
  request: { readonly method: string; readonly path: string },
  thrown: unknown,
): Failure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  log.error("request_failed", { method: request.method, path: request.path, error });
  return toFailure(error);
}

function toFailure(error: Error): Failure {
  if (error instanceof UnavailableError) return { kind: "unavailable", what: error.what };
  return isTransient(error) ? { kind: "unavailable", what: "The store" } : { kind: "bug" };
}

/** Whether a retry may succeed, by the marks of Durable Objects and the messages of D1 and R2. */
function isTransient(error: Error): boolean {
  const marked =
    ("retryable" in error && error.retryable === true) ||
    ("overloaded" in error && error.overloaded === true);
  return marked || TRANSIENT_MESSAGE.test(platformMessageOf(error));
}

/** The platform's message. Drizzle's message contains SQL and parameters and is left out. */
function platformMessageOf(error: Error): string {
  const isDrizzle = error.message.startsWith("Failed query");
  return isDrizzle && error.cause instanceof Error ? error.cause.message : error.message;
}

/** Transient failures of D1, Durable Objects and R2. */
const TRANSIENT_MESSAGE =
  /D1_ERROR: (?!.*(?:constraint|syntax))|D1 DB is overloaded|Network connection lost|storage caused object to be reset|internal error/i;
