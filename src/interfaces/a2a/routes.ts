import type { Hono } from "hono";
import { type AppContext, type AppEnv, requestOriginOf, sendFailure } from "../../http/envelope.ts";
import { readQuery } from "../../http/validation.ts";
import { AGENT_CARD_PATH, A2A_REST_ROOT, A2A_RPC_PATHS } from "./paths.ts";

const AGENT_CARD_ALLOW = "GET, HEAD, OPTIONS";

/**
 * The A2A agent card, and the JSON-RPC and REST bindings. The bindings check keys, methods and bodies themselves,
 * because their errors have a different format. Each is loaded on its first request.
 */
export function a2aRoutes(app: Hono<AppEnv>): void {
  app.all(AGENT_CARD_PATH, async (c) => serveAgentCard(c));
  for (const path of A2A_RPC_PATHS) {
    app.all(path, async (c) => (await import("./json-rpc.ts")).handleA2aRpc(c));
  }
  app.all(`${A2A_REST_ROOT}/*`, async (c) => (await import("./rest.ts")).handleA2aRest(c));
}

async function serveAgentCard(c: AppContext): Promise<Response> {
  const { method } = c.req;
  if (method === "OPTIONS") return c.body(null, 204, { Allow: AGENT_CARD_ALLOW });
  if (method !== "GET" && method !== "HEAD") {
    return sendFailure(c, { kind: "method_not_allowed", method, allow: AGENT_CARD_ALLOW });
  }
  const { problems } = readQuery(c.req.url, []);
  if (problems.length > 0) return sendFailure(c, { kind: "validation", problems });
  const { buildPublicAgentCard } = await import("./agent-card.ts");
  const { body, headers } = await buildPublicAgentCard(requestOriginOf(c));
  if (matchesEtag(headers.ETag, c.req.header("If-None-Match") ?? ""))
    return c.body(null, 304, headers);
  return c.body(body, 200, headers);
}

/** Whether `If-None-Match` contains the ETag (weak comparison, RFC 9110). */
function matchesEtag(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  // An ETag can contain commas.
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([named]) => named === tag);
}
