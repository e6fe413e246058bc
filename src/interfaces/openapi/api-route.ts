import type * as z from "zod";
import { ERROR_SAMPLES } from "./error-samples.ts";
import type { Operation } from "../../http/operation.ts";
import recordedExamples from "./examples.json" with { type: "json" };

/** A route of the app. Parameters in `path` have the form `:id`. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
  readonly example: RecordedExample;
}

/** `protocolErrors` are the errors of another protocol. An operation that has them has no error codes. */
export type ApiOperation = Operation & { readonly protocolErrors?: ProtocolErrors };

interface ProtocolErrors {
  readonly description: string;
  readonly schema: z.ZodType;
  /** All error statuses except 403, which is also used for errors of this API. */
  readonly statuses: readonly number[];
}

/** A recorded request and its responses; `examples.json` has one for each operation. */
interface RecordedExample {
  /** Path and query parameters, by name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The `data` of each success response, by status. */
  readonly responses?: Readonly<Record<string, unknown>>;
  /** The lines of the response if it is a stream of Server-Sent Events. */
  readonly stream?: readonly string[];
}

export const RECORDED_EXAMPLES: Readonly<Record<string, RecordedExample>> = recordedExamples;

export function toApiRoute(method: string, path: string, operation: ApiOperation): ApiRoute {
  return { method, path, operation, example: RECORDED_EXAMPLES[operation.operationId] ?? {} };
}

/** An app's endpoints, excluding middleware and handlers for unsupported methods. */
export function listEndpoints(
  routes: readonly { readonly method: string; readonly path: string; readonly handler: unknown }[],
): ApiRoute[] {
  return routes.flatMap(({ method, path, handler }) =>
    isEndpoint(handler) ? [toApiRoute(method, path, handler.operation)] : [],
  );
}

function isEndpoint(handler: unknown): handler is { readonly operation: Operation } {
  return typeof handler === "function" && "operation" in handler;
}

/** A path in OpenAPI notation: `/agents/tasks/{id}`. */
export function toPathTemplate({ path }: ApiRoute): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

/** For each path, the description of its last parameter, and the error code if the resource does not exist. */
const PATH_RESOURCES: Readonly<Record<string, readonly [description: string, missing?: string]>> = {
  "/agents/:agentId": ["The agent's id.", "AGENT_NOT_FOUND"],
  "/agents/teams/:teamId": ["The team's id.", "TEAM_NOT_FOUND"],
  "/agents/keys/:id": [
    "The key's id: the part between the underscores, `bsn_<id>_…`.",
    "KEY_NOT_FOUND",
  ],
  "/agents/policies/:id": ["The policy's id.", "POLICY_NOT_FOUND"],
  "/agents/approvals/:id": ["The approval's id.", "APPROVAL_NOT_FOUND"],
  "/agents/limits/:id": ["The limit's id.", "LIMIT_NOT_FOUND"],
  "/agents/sessions/:id": ["The session's id.", "SESSION_NOT_FOUND"],
  "/agents/tasks/:id": [
    "The task's id: the 64 hex digits returned when the task was created.",
    "TASK_NOT_FOUND",
  ],
  "/agents/tasks/:id/deliverables/:name": [
    "The file's name, percent-encoded. A name has 1 to 128 characters, contains no slashes or control characters, and is not `.` or `..`.",
    "DELIVERABLE_NOT_FOUND",
  ],
  "/agents/tasks/:id/calls/:callId": [
    "The call's id, as in an event or the list of calls.",
    "CALL_NOT_FOUND",
  ],
  "/agents/tools/:id": ["The tool's id.", "TOOL_NOT_FOUND"],
  "/agents/tools/:id/capabilities/:capability": ["The capability's id.", "CAPABILITY_NOT_FOUND"],
  "/agents/tools/access/:agentId": ["The agent's id."],
  "/agents/tools/access/:agentId/:toolId": ["The tool's id.", "ACCESS_NOT_FOUND"],
  "/agents/webhooks/:id": ["The webhook's id.", "WEBHOOK_NOT_FOUND"],
  "/agents/webhooks/:id/deliveries/:deliveryId": [
    "The delivery's id, as shown in the webhook's log.",
    "DELIVERY_NOT_FOUND",
  ],
};

/**
 * A route's path parameters, each with its description and the error for a missing resource. PUT creates the last
 * resource, so it cannot be missing.
 */
export function listPathParameters({ method, path }: ApiRoute) {
  return [...path.matchAll(/:(\w+)/g)].map(({ 0: { length }, 1: name = "", index }) => {
    const isCreated = method === "PUT" && index + length === path.length;
    const [description, missing] = PATH_RESOURCES[path.slice(0, index + length)] ?? [];
    return { name, description, missing: isCreated ? undefined : missing };
  });
}

/** Whether a route accepts an Idempotency-Key. Every POST that requires a scope does. */
export function acceptsIdempotencyKey({ method, operation }: ApiRoute): boolean {
  return method === "POST" && operation.scope !== undefined;
}

export function acceptsIfMatch({ method, path }: ApiRoute): boolean {
  return method === "PATCH" && ["/agents/tasks/:id", "/agents/tools/:id"].includes(path);
}

/** A route's error codes: those that follow from its inputs, and the operation's own. */
export function listErrorCodes(route: ApiRoute): string[] {
  const { operation } = route;
  if (operation.protocolErrors !== undefined) return [];
  const codes = new Set([
    "HOST_NOT_ALLOWED",
    ...(operation.access === "public"
      ? []
      : ["AUTHENTICATION_FAILED", "CROSS_SITE_REQUEST", "RATE_LIMIT_EXCEEDED"]),
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
    ...listOwnErrorCodes(route),
  ]);
  return [...codes].filter((code) => ERROR_SAMPLES.has(code));
}

/** The operation's own error codes, and those for missing resources in the path. */
export function listOwnErrorCodes(route: ApiRoute): string[] {
  const { scope, errorCodes = [] } = route.operation;
  const named = scope === undefined ? [] : listPathParameters(route);
  return [...named.flatMap(({ missing }) => missing ?? []), ...errorCodes];
}
