import type { Hono } from "hono";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { endedKey } from "../../http/auth.ts";
import { readJson } from "../../http/json.ts";
import { isTooLong } from "../../http/request.ts";
import { failureBehind } from "../../http/unexpected.ts";
import { admitRequest } from "../../keys/key-limits.ts";
import { acceptsJson } from "./accept.ts";
import { roleOf } from "./admit.ts";
import { idOf, refused, refusedFor, RPC } from "./refusal.ts";

const PATH = "/mcp";
/** Some clients append a slash to the configured address. */
const PATHS: readonly string[] = [PATH, `${PATH}/`];
const ALLOW = "POST, OPTIONS";

/** The Model Context Protocol over streamable HTTP, without sessions and in its own forms of refusal. */
export function mcpRoutes(app: Hono<AppEnv>): void {
  for (const path of PATHS) app.all(path, (c) => answer(c));
}

/** Whether a request is for this door, which asks for the key itself. */
export function isMcp(c: AppContext): boolean {
  return PATHS.includes(c.req.path);
}

async function answer(c: AppContext): Promise<Response> {
  try {
    return await judged(c);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    console.error({ event: "request_failed", requestId: c.get("requestId"), path: PATH, error });
    return refusedFor(failureBehind(error));
  }
}

/** First who asks, then what is asked; the SDK judges what the message says. */
async function judged(c: AppContext): Promise<Response> {
  const request = c.req.raw;
  const url = new URL(request.url);
  const origin = request.headers.get("Origin");
  if (origin !== null && origin !== url.origin) {
    const message = "Pages of other origins may not speak to this server.";
    return refused(403, { code: RPC.refused, message });
  }
  const waitUntil = (promise: Promise<unknown>): void => c.executionCtx.waitUntil(promise);
  const key = await admitRequest(c);
  if (!key.ok) return refusedFor(key.failure);
  if (isTooLong(c)) return refusedFor({ kind: "uri_too_long" });
  const { method } = request;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: ALLOW } });
  if (method !== "POST") {
    return refusedFor({ kind: "method_not_allowed", method, allow: ALLOW });
  }
  if (!acceptsJson(request.headers.get("Accept"))) {
    const message = "Answers are application/json, which the Accept header must allow.";
    return refused(406, { code: RPC.refused, message });
  }
  const body = await readJson(request, { required: true });
  if (!body.ok) return refusedFor(body.failure);
  const ended = await endedKey(c);
  if (ended !== null) return refusedFor(ended);
  const { value = null, problems } = body.value;
  if (problems.length > 0) return refusedFor({ kind: "validation", problems }, idOf(value));
  const role = roleOf(url, key.value);
  if (!role.ok) return refusedFor(role.failure, idOf(value));
  // The SDK is large, and no other request needs it.
  const { serve } = await import("./serve.ts");
  const caller = {
    env: c.env,
    key: key.value,
    origin: url.origin,
    requestId: c.get("requestId"),
    ...role.value,
    waitUntil,
  };
  return serve(request, caller, value);
}
