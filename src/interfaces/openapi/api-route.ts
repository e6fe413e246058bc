import { ERROR_SAMPLES } from "./error-samples.ts";
import type { ApiOperation } from "./api-operation.ts";
import * as z from "zod";
import type { Endpoint, EndpointInputs } from "../../http/endpoint.ts";

/** A route of the app: `path` with parameters as `:id`. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly inputs: EndpointInputs<z.ZodObject, z.ZodType>;
}

/** The endpoints among an app's routes, without the handlers of OPTIONS and of wrong methods. */
export function listEndpoints(
  routes: readonly { readonly method: string; readonly path: string; readonly handler: unknown }[],
): ApiRoute[] {
  return routes.flatMap(({ method, path, handler }) =>
    isEndpoint(handler) ? [{ method, path, inputs: handler.inputs }] : [],
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

function isEndpoint(handler: unknown): handler is Endpoint {
  return typeof handler === "function" && "inputs" in handler;
}

const rpcRequestSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().min(1),
  params: z.looseObject({}).optional(),
});

/** The routes of other protocols. They are not endpoints, because they check their requests themselves. */
export const PROTOCOL_ROUTES: readonly ApiRoute[] = [
  { method: "POST", path: "/mcp", inputs: { body: rpcRequestSchema } },
  { method: "POST", path: "/a2a", inputs: { body: rpcRequestSchema } },
  { method: "GET", path: "/.well-known/agent-card.json", inputs: {} },
];

/** Whether a route takes an Idempotency-Key: each POST with a scope does. */
export function acceptsIdempotencyKey({ method, inputs }: ApiRoute): boolean {
  return method === "POST" && inputs.scope !== undefined;
}

export function acceptsIfMatch({ method, path }: ApiRoute): boolean {
  return method === "PATCH" && ["/agents/tasks/:id", "/agents/tools/:id"].includes(path);
}

/** The error codes of a route: those that follow from its inputs, and those of the operation. */
export function listErrorCodes(route: ApiRoute, operation: ApiOperation): string[] {
  if (operation.protocolErrors !== undefined) return [];
  const { inputs } = route;
  const scope = inputs.scope ?? operation.scope;
  const codes = new Set([
    "HOST_NOT_ALLOWED",
    ...(operation.access === "public" ? [] : ["AUTHENTICATION_FAILED", "RATE_LIMIT_EXCEEDED"]),
    ...(scope === undefined ? [] : ["INSUFFICIENT_SCOPE"]),
    "VALIDATION_ERROR",
    ...(inputs.body === undefined
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
