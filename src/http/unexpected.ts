import type { Failure } from "../domain/failure.ts";
import { Outage } from "../domain/outage.ts";
import type { AppContext } from "./context.ts";
import { failed } from "./envelope.ts";

/**
 * The answer to what nobody foresaw: a bug, or a binding out of reach. The log has the whole error
 * under the request's id; the client gets neither SQL nor a stack.
 */
export function unexpected(c: AppContext, error: Error): Response {
  const requestId = c.get("requestId");
  const path = c.req.path;
  console.error({ event: "request_failed", requestId, method: c.req.method, path, error });
  return failed(c, failureBehind(error));
}

/** What clients of any door are told of an error that nobody foresaw. */
export function failureBehind(error: Error): Failure {
  if (error instanceof Outage) return { kind: "unavailable", what: error.what };
  return isOutage(error) ? { kind: "unavailable", what: "The store" } : { kind: "bug" };
}

/** What a later try may mend, as Durable Objects mark it and as D1 and R2 word it. */
function isOutage(error: Error): boolean {
  const marked =
    ("retryable" in error && error.retryable === true) ||
    ("overloaded" in error && error.overloaded === true);
  return marked || TRANSIENT.test(wordsOf(error));
}

/** What the platform said. Drizzle's own words are left out: they hold SQL and parameters. */
function wordsOf(error: Error): string {
  const isDrizzle = error.message.startsWith("Failed query");
  return isDrizzle && error.cause instanceof Error ? error.cause.message : error.message;
}

/** Failures of D1 that are not of our own making, and what Durable Objects and R2 say in passing. */
const TRANSIENT =
  /D1_ERROR: (?!.*(?:constraint|syntax))|D1 DB is overloaded|Network connection lost|storage caused object to be reset|internal error/i;
