import type { Hono } from "hono";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { failed } from "../../http/envelope.ts";
import { readQuery } from "../../http/query.ts";
import { originOf } from "../../http/named.ts";
import { CARD_PATH, REST_ROOT, RPC_PATHS } from "./paths.ts";

const CARD_ALLOW = "GET, HEAD, OPTIONS";

/**
 * The door for A2A 1.0: the agent card, and the JSON-RPC and REST bindings. They judge keys, methods and
 * bodies themselves, as their refusals have a form of their own; and they load with the first request.
 */
export function a2aRoutes(app: Hono<AppEnv>): void {
  app.all(CARD_PATH, async (c) => card(c));
  for (const path of RPC_PATHS) {
    app.all(path, async (c) => (await import("./rpc.ts")).answerRpc(c));
  }
  app.all(`${REST_ROOT}/*`, async (c) => (await import("./rest.ts")).answerRest(c));
}

/** Whether a request is for this door, which judges its key itself. */
export function isA2a({ req: { path } }: AppContext): boolean {
  return path === CARD_PATH || RPC_PATHS.includes(path) || path.startsWith(`${REST_ROOT}/`);
}

async function card(c: AppContext): Promise<Response> {
  const { method } = c.req;
  if (method === "OPTIONS") return c.body(null, 204, { Allow: CARD_ALLOW });
  if (method !== "GET" && method !== "HEAD") {
    return failed(c, { kind: "method_not_allowed", method, allow: CARD_ALLOW });
  }
  const { problems } = readQuery(new URL(c.req.url).searchParams, []);
  if (problems.length > 0) return failed(c, { kind: "validation", problems });
  const { publicCard } = await import("./card.ts");
  const { body, headers } = await publicCard(originOf(c));
  if (isNamed(headers.ETag, c.req.header("If-None-Match") ?? "")) return c.body(null, 304, headers);
  return c.body(body, 200, headers);
}

/** Whether `If-None-Match` names a tag, by the weak comparison that RFC 9110 has for it. */
function isNamed(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  // A comma may stand within a tag as well.
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([named]) => named === tag);
}
