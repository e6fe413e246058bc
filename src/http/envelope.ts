import type { Key, Viewer } from "../keys/model/key.ts";
import type { Context } from "hono";
import type { Session } from "../sessions/model/session.ts";
import type { IfMatch } from "../kernel/entity-tag.ts";
import {
  createFieldFailure,
  type Failure,
  type RateLimitWindow,
  UnavailableError,
} from "../kernel/failure.ts";
import { preview, fail, ok, type Result } from "../kernel/result.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "./limits.ts";
import type { StrictBody } from "./json-body.ts";
import { toWireError } from "./to-wire-error.ts";
import type { WireError } from "./wire-error.ts";
import { redactDatabaseError } from "../platform/d1/client.ts";
import { log } from "../platform/log.ts";

/** The bindings, and the variables that middleware sets for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    key: Key;
    /** The console session that authenticated the request; absent if a key did. */
    session?: Session;
    /** Checks the key again. Returns a failure if the key has ended since the request arrived, otherwise null. */
    recheckKey?: () => Promise<Failure | null>;
    /** The key's rate limit window, if the key has limits. */
    requestWindow?: RateLimitWindow;
    /** The parsed body before schema validation, used to report all problems at once. */
    jsonBody?: StrictBody;
  };
}

export type AppContext = Context<AppEnv>;

/** The value of a path parameter that the route's pattern contains. */
export function readPathParam(c: AppContext, name: string): string {
  return c.req.param(name) ?? "";
}

/** The origin of the request's URL, which is the base of links in responses. */
export function requestOriginOf(c: AppContext): string {
  return new URL(c.req.url).origin;
}

export function viewerOfRequest(c: AppContext): Viewer {
  const { agentId, teamId } = c.get("key");
  return { agentId, teamId };
}

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARACTERS_MAX}}$`);

/** The request's `Idempotency-Key`, or null if there is none. */
export function readIdempotencyKey(headers: Headers): Result<string | null, Failure> {
  const given = headers.get("Idempotency-Key");
  if (given === null || IDEMPOTENCY_KEY.test(given)) return ok(given);
  const rule = `must be 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable ASCII characters without spaces`;
  return fail(createFieldFailure("Idempotency-Key", `${rule}, got ${preview(given)}`));
}

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(String.raw`^${TAG}(?:[ \t]*,[ \t]*${TAG})*$`);

/**
 * Reads `If-Match` (RFC 9110); null means any version. Weak tags are accepted because proxies weaken tags when they
 * compress responses.
 */
export function readIfMatch(headers: Headers): Result<IfMatch, Failure> {
  const given = headers.get("If-Match");
  if (given === null || given === "*") return ok(null);
  if (TAGS.test(given)) {
    return ok([...given.matchAll(/"([^"]*)"/g)].map(([, opaque = ""]) => opaque));
  }
  const rule = 'must be * or a list of quoted entity tags, such as "7"';
  return fail(createFieldFailure("If-Match", `${rule}, got ${preview(given)}`));
}

/** A successful response. `data` is sent in the envelope. */
export interface SuccessReply<Data = unknown> {
  readonly data: Data;
  readonly status?: 200 | 201 | 202;
  readonly headers?: Readonly<Record<string, string>>;
  /** Warnings about a successful request, sent in `metadata.warnings`. */
  readonly warnings?: readonly string[];
}

/** The outcome of a request as clients see it, without the metadata. */
export type WireResult = Result<SuccessReply, WireError>;

export function toWireResult(result: Result<SuccessReply, Failure>): WireResult {
  return result.ok ? result : fail(toWireError(result.failure));
}

export interface SuccessBody<Data> {
  readonly success: true;
  readonly data: Data;
  readonly metadata: Metadata & { readonly warnings?: readonly string[] };
}

export interface ErrorBody {
  readonly success: false;
  readonly error: Omit<WireError, "status" | "headers">;
  readonly metadata: Metadata;
}

interface Metadata {
  readonly requestId: string;
  readonly timestamp: string;
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

function metadata(c: AppContext): Metadata {
  return { requestId: c.get("requestId"), timestamp: new Date().toISOString() };
}

/** Logs an unexpected error without SQL or values, and returns the failure to send to the client. */
export function logUnexpectedError(
  request: { readonly method: string; readonly path: string },
  thrown: unknown,
): Failure {
  const error = redactDatabaseError(thrown);
  log.error("request_failed", { method: request.method, path: request.path, error });
  if (error instanceof UnavailableError) return { kind: "unavailable", what: error.what };
  return isTransient(error) ? { kind: "unavailable", what: "The store" } : { kind: "bug" };
}

/** Whether a retry might succeed. Durable Objects flag such errors; D1 and R2 only say so in the message. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return TRANSIENT_MESSAGE.test(String(error));
  const marked =
    ("retryable" in error && error.retryable === true) ||
    ("overloaded" in error && error.overloaded === true);
  return marked || TRANSIENT_MESSAGE.test(error.message);
}

/** Matches the messages of transient errors from D1, Durable Objects and R2. */
const TRANSIENT_MESSAGE =
  /D1_ERROR: (?!.*(?:constraint|syntax))|D1 DB is overloaded|Network connection lost|storage caused object to be reset|internal error/i;
