import { CODES } from "./failures.ts";
import type { Operation } from "./operation.ts";
import type { Route } from "./route.ts";

/** Whether a route takes an Idempotency-Key: each POST with a scope does. */
export function isRepeatable({ method, inputs }: Route): boolean {
  return method === "POST" && inputs.scope !== undefined;
}

/** Whether a route takes If-Match. */
export function isConditional({ method, path }: Route): boolean {
  return method === "PATCH" && ["/agents/tasks/:id", "/agents/tools/:id"].includes(path);
}

export function isPublic(operation: Operation): boolean {
  return operation.access === "public";
}

/** The codes that a route may answer with: those that follow from it, and the operation's own. */
export function codesOf(route: Route, operation: Operation): string[] {
  if (operation.refusals !== undefined) return [];
  const { inputs } = route;
  const scope = inputs.scope ?? operation.scope;
  const codes = new Set([
    "HOST_NOT_ALLOWED",
    ...(isPublic(operation) ? [] : ["AUTHENTICATION_FAILED", "RATE_LIMIT_EXCEEDED"]),
    ...(scope === undefined ? [] : ["INSUFFICIENT_SCOPE"]),
    "VALIDATION_ERROR",
    ...(inputs.body === undefined
      ? []
      : ["INVALID_JSON", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]),
    ...(isRepeatable(route) ? ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_IN_USE"] : []),
    ...(isConditional(route) ? ["PRECONDITION_FAILED"] : []),
    "METHOD_NOT_ALLOWED",
    "URI_TOO_LONG",
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
    ...operation.codes,
  ]);
  return [...codes].filter((code) => CODES.has(code));
}
