import type { RateWindow, ToolFailed } from "../domain/failure.ts";
import { shown } from "../domain/problem.ts";
import type { WireFailure } from "./refusal.ts";

/** The system behind a tool failed or said no. */
export function toolFailed(failure: ToolFailed): WireFailure {
  const { toolId, reason, retryable, retryAfterSeconds, details, mayBeDone = false } = failure;
  return {
    status: 502,
    code: "TOOL_UPSTREAM_ERROR",
    message: `Tool ${shown(toolId)} failed: ${reason}${doubt(mayBeDone)}`,
    retryable,
    ...(details === null ? {} : { context: details }),
    ...(retryAfterSeconds === null
      ? {}
      : { headers: { "Retry-After": String(retryAfterSeconds) } }),
  };
}

/** What to do about a call of which nobody knows whether it was carried out. */
export function doubt(mayBeDone: boolean): string {
  return mayBeDone ? " It may have been carried out all the same; look before you repeat it." : "";
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers) for a tool's or a key's window. */
export function rateHeaders(
  window: RateWindow,
  policy: "tool" | "key" = "tool",
): Record<string, string> {
  return {
    RateLimit: `"${policy}";r=${window.remaining};t=${window.resetSeconds}`,
    "RateLimit-Policy": `"${policy}";q=${window.limit};w=${window.windowSeconds}`,
  };
}
