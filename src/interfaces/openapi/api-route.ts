import { ERROR_SAMPLES } from "./error-samples.ts";
import { type ApiOperation, toApiOperation } from "./api-operation.ts";
import type { Operation } from "../../http/operation.ts";

/** A route of the app: `path` with parameters as `:id`. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** The endpoints among an app's routes, without their middleware and the handlers of other methods. */
export function listEndpoints(
  routes: readonly { readonly method: string; readonly path: string; readonly handler: unknown }[],
): ApiRoute[] {
  return routes.flatMap(({ method, path, handler }) =>
    isEndpoint(handler)
      ? [{ method, path, operation: toApiOperation(`${method} ${path}`, handler.operation) }]
      : [],
  );
}

export function routeKeyOf({ method, path }: ApiRoute): string {
  return `${method} ${path}`;
}

export function listPathParameters({ path }: ApiRoute): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** A path in OpenAPI notation: `/agents/tasks/{id}`. */
export function toPathTemplate({ path }: ApiRoute): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function isEndpoint(handler: unknown): handler is { readonly operation: Operation } {
  return typeof handler === "function" && "operation" in handler;
}

/** Whether a route takes an Idempotency-Key: each POST with a scope does. */
export function acceptsIdempotencyKey({ method, operation }: ApiRoute): boolean {
  return method === "POST" && operation.scope !== undefined;
}

export function acceptsIfMatch({ method, path }: ApiRoute): boolean {
  return method === "PATCH" && ["/agents/tasks/:id", "/agents/tools/:id"].includes(path);
}

/** The error codes of a route: those that follow from its inputs, and those of the operation. */
export function listErrorCodes(route: ApiRoute): string[] {
  const { operation } = route;
  if (operation.protocolErrors !== undefined) return [];
  const codes = new Set([
    "HOST_NOT_ALLOWED",
    ...(operation.access === "public" ? [] : ["AUTHENTICATION_FAILED", "RATE_LIMIT_EXCEEDED"]),
    ...(operation.scope === undefined ? [] : ["INSUFFICIENT_SCOPE"]),
    "VALIDATION_ERROR",
    ...(operation.body === undefined
      ? []
      : ["INVALID_JSON", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]),
    ...(acceptsIdempotencyKey(route) ? ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_IN_USE"] : []),
    ...(acceptsIfMatch(route) ? ["PRECONDITION_FAILED"] : []),
    "METHOD_NOT_ALLOWED",
    "URI_TOO_LONG",
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
    ...operation.errorCodes,
  ]);
  return [...codes].filter((code) => ERROR_SAMPLES.has(code));
}
