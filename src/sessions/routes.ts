import { Hono } from "hono";
import { getDatabase } from "../platform/d1/client.ts";
import { sleep } from "../platform/promises.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok } from "../kernel/result.ts";
import { type AppContext, type AppEnv, readPathParam, requestOriginOf } from "../http/envelope.ts";
import { answerOtherMethods, defineEndpoint } from "../http/endpoint.ts";
import { authenticateKey, hashApiKey } from "../keys/authenticate.ts";
import { RequestCounts } from "../keys/model/request-counters.ts";
import { clearCookie, invalidateSession, startSession } from "./authenticate.ts";
import { SIGN_IN_ADDRESSES_MAX, SIGN_IN_ATTEMPTS_MAX, SIGN_IN_FAILURE_MS } from "./limits.ts";
import { isSameOrigin } from "./model/same-origin.ts";
import { sessionOperations } from "./operations.ts";
import { deleteSession, deleteSessionsOfKey, listSessions } from "./sessions.store.ts";
import { identityView, sessionView } from "./view.ts";

/** Sign-in attempts by IP address in this isolate. */
const attempts = new RequestCounts(SIGN_IN_ADDRESSES_MAX);

/** Whether a request signs in, which needs no key. */
export function isSignIn(c: AppContext): boolean {
  return c.req.method === "POST" && c.req.path === "/agents/sessions";
}

const signIn = defineEndpoint(sessionOperations.signIn, async (c, { body }) => {
  if (isForeignPage(c)) {
    const reason = "it does not come from a page of this origin";
    return fail<Failure>({ kind: "cross_site_request", reason });
  }
  const address = c.req.header("CF-Connecting-IP") ?? "unknown";
  const { isAdmitted, window } = attempts.count(address, SIGN_IN_ATTEMPTS_MAX, Date.now());
  if (!isAdmitted) return fail<Failure>({ kind: "sign_in_limit", window });
  // A failure takes the same time regardless of its cause.
  const failureTime = sleep(SIGN_IN_FAILURE_MS, c.req.raw.signal);
  const found = await authenticateKey(c, body.apiKey);
  if (!found.ok) {
    await failureTime;
    return found;
  }
  const key = found.value;
  const { session, setCookie } = await startSession(c, key.id, hashApiKey(body.apiKey));
  return ok({
    data: identityView(key, session),
    status: 201 as const,
    headers: { "Set-Cookie": setCookie },
  });
});

/** Whether a browser says that the request comes from another origin. Programs send neither header. */
function isForeignPage(c: AppContext): boolean {
  const header = (name: string) => c.req.header(name);
  const isFromBrowser = ["Sec-Fetch-Site", "Origin"].some((name) => header(name) !== undefined);
  return isFromBrowser && !isSameOrigin({ origin: requestOriginOf(c), header });
}

const list = defineEndpoint(sessionOperations.listSessions, async (c, { query }) => {
  const found = await listSessions(getDatabase(c.env.DB), visibleKeyOf(c), query, Date.now());
  const currentId = c.get("session")?.id;
  return ok({ data: { sessions: found.map((one) => sessionView(one, currentId)) } });
});

const current = defineEndpoint(sessionOperations.getIdentity, async (c) =>
  ok({ data: identityView(c.get("key"), c.get("session")) }),
);

const endAll = defineEndpoint(sessionOperations.endSessions, async (c) => {
  const ids = await deleteSessionsOfKey(getDatabase(c.env.DB), c.get("key").id);
  for (const id of ids) invalidateSession(id);
  return ok({ data: { ended: ids.length }, headers: cookieHeaders(c, ids) });
});

const end = defineEndpoint(sessionOperations.endSession, async (c) => {
  const wanted = readPathParam(c, "id");
  const id = wanted === "current" ? c.get("session")?.id : wanted;
  const isEnded =
    id !== undefined && (await deleteSession(getDatabase(c.env.DB), id, visibleKeyOf(c)));
  if (!isEnded) return fail<Failure>({ kind: "not_found", what: "session", id: wanted });
  invalidateSession(id);
  return ok({ data: { ended: 1 }, headers: cookieHeaders(c, [id]) });
});

/** The key whose sessions a request may see; null for all keys. */
function visibleKeyOf(c: AppContext): string | null {
  const { id, scopes, agentId, teamId } = c.get("key");
  const seesAll = scopes.includes("keys:manage") && agentId === null && teamId === null;
  return seesAll ? null : id;
}

/** Removes the browser's cookie if the request's own session has ended. */
function cookieHeaders(c: AppContext, endedIds: readonly string[]): Record<string, string> {
  const session = c.get("session");
  return session !== undefined && endedIds.includes(session.id)
    ? { "Set-Cookie": clearCookie(c) }
    : {};
}

export const sessionRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/sessions", ...list)
    .post("/agents/sessions", ...signIn)
    .delete("/agents/sessions", ...endAll)
    .get("/agents/sessions/current", ...current)
    .delete("/agents/sessions/:id", ...end),
);
