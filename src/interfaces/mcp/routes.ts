import type { Hono } from "hono";
import { actorWithKey } from "../../governance/audit/actor.ts";
import { parseAccept } from "hono/utils/accept";
import {
  type AppContext,
  type AppEnv,
  logUnexpectedError,
  requestOriginOf,
} from "../../http/envelope.ts";
import { recheckKey, isUrlTooLong } from "../../http/middleware.ts";
import { readJsonBody } from "../../http/json-body.ts";
import { authenticateRequest } from "../../keys/authenticate.ts";
import { resolveMcpActor } from "./call-context.ts";
import {
  readMcpRequestId,
  buildRpcErrorResponse,
  buildRpcFailureResponse,
  MCP_RPC_CODES,
} from "./json-rpc.ts";

/** Some clients append a slash to the URL. */
export const MCP_PATHS = /^\/mcp\/?$/;
const ALLOW = "POST, OPTIONS";

/** The Model Context Protocol over Streamable HTTP, without sessions. Errors are JSON-RPC errors. */
export function mcpRoutes(app: Hono<AppEnv>): void {
  for (const path of ["/mcp", "/mcp/"]) {
    app.all(path, (c) =>
      handleMcpRequest(c).catch((thrown: unknown) =>
        buildRpcFailureResponse(logUnexpectedError(c.req, thrown)),
      ),
    );
  }
}

/** Authenticates the request, then reads it. The SDK validates the message. */
async function handleMcpRequest(c: AppContext): Promise<Response> {
  const request = c.req.raw;
  const origin = requestOriginOf(c);
  const pageOrigin = request.headers.get("Origin");
  if (pageOrigin !== null && pageOrigin !== origin) {
    const message =
      "The Origin header names another origin. Only pages from this server's origin may send requests.";
    return buildRpcErrorResponse(403, { code: MCP_RPC_CODES.serverError, message });
  }
  const key = await authenticateRequest(c);
  if (!key.ok) return buildRpcFailureResponse(key.failure);
  if (isUrlTooLong(c)) return buildRpcFailureResponse({ kind: "uri_too_long" });
  const { method } = request;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: ALLOW } });
  if (method !== "POST") {
    return buildRpcFailureResponse({ kind: "method_not_allowed", method, allow: ALLOW });
  }
  if (!acceptsJson(request.headers.get("Accept"))) {
    const message = "The Accept header must allow application/json, the format of all responses.";
    return buildRpcErrorResponse(406, { code: MCP_RPC_CODES.serverError, message });
  }
  const body = await readJsonBody(request, { required: true });
  if (!body.ok) return buildRpcFailureResponse(body.failure);
  const ended = await recheckKey(c);
  if (ended !== null) return buildRpcFailureResponse(ended);
  const { value = null, problems } = body.value;
  if (problems.length > 0)
    return buildRpcFailureResponse({ kind: "validation", problems }, readMcpRequestId(value));
  const role = resolveMcpActor(c.req.url, key.value);
  if (!role.ok) return buildRpcFailureResponse(role.failure, readMcpRequestId(value));
  // Load the SDK only here, because it is large and no other request needs it.
  const { serveMcpMessage } = await import("./transport.ts");
  const waitUntil = (promise: Promise<unknown>): void => c.executionCtx.waitUntil(promise);
  const actor = actorWithKey(c, key.value.id, null);
  const call = { env: c.env, key: key.value, actor, origin, ...role.value, waitUntil };
  return serveMcpMessage(request, call, value);
}

const JSON_MEDIA_RANGES: ReadonlySet<string> = new Set([
  "*/*",
  "application/*",
  "application/json",
]);

/** Whether an `Accept` header allows JSON. A missing header allows everything. */
function acceptsJson(accept: string | null): boolean {
  const ranges = accept === null ? null : parseAccept(accept);
  return ranges?.some(({ type, q }) => q > 0 && JSON_MEDIA_RANGES.has(type.toLowerCase())) ?? true;
}
