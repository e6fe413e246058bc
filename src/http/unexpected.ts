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
  return failed(c, isOutage(error) ? { kind: "unavailable", what: "The store" } : { kind: "bug" });
}

/** D1 and Durable Objects mark what a later try may mend. */
function isOutage(error: Error): boolean {
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return (
    ("retryable" in error && error.retryable === true) ||
    ("overloaded" in error && error.overloaded === true) ||
    /D1_ERROR|D1 DB is overloaded|Network connection lost|storage caused object to be reset/.test(
      `${error.message} ${cause}`,
    )
  );
}
