import { Hono, type Next } from "hono";
import { getDatabase } from "../platform/d1/client.ts";
import { sleep } from "../platform/promises.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import {
  type AppContext,
  type AppEnv,
  readPathParam,
  requestOriginOf,
  sendFailure,
  type SuccessReply,
} from "../http/envelope.ts";
import { answerOtherMethods, defineEndpoint } from "../http/endpoint.ts";
import { prefersHtml } from "../http/middleware.ts";
import { authenticateKey, hashApiKey } from "../keys/authenticate.ts";
import { ROOT_KEY_ID } from "../keys/model/key.ts";
import { RequestCounts } from "../keys/model/request-counters.ts";
import { actorOf } from "../governance/audit/actor.ts";
import { audited } from "../governance/audit/audited.ts";
import { clearCookie, startSession } from "./authenticate.ts";
import { invalidateSession } from "./find-session.ts";
import { SIGN_IN_ADDRESSES_MAX, SIGN_IN_ATTEMPTS_MAX, SIGN_IN_FAILURE_MS } from "./limits.ts";
import { isSameOrigin } from "./model/same-origin.ts";
import { checkSignInLink, SIGN_IN_LINK_PATH, SIGN_IN_LINK_PROBLEMS } from "./sign-in-link.ts";
import type { EndedSessionsResponse } from "./schemas.ts";
import { sessionOperations } from "./operations.ts";
import {
  deleteSessions,
  listEndedSessions,
  listSessions,
  type EndedSessions,
} from "./sessions.store.ts";
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
  const rootHash = hashApiKey(c.env.ROOT_API_KEY);
  const { id } = c.get("key");
  const found = await listSessions(getDatabase(c.env.DB), id, rootHash, query, Date.now());
  const currentId = c.get("session")?.id;
  return ok({ data: { sessions: found.map((one) => sessionView(one, currentId)) } });
});

const current = defineEndpoint(sessionOperations.getIdentity, async (c) =>
  ok({ data: identityView(c.get("key"), c.get("session")) }),
);

const endAll = defineEndpoint(sessionOperations.endSessions, async (c, { query }) => {
  const which = query.keys === "all" ? "managed" : "own";
  const ids = await endSessions(c, which);
  return ok({ data: { ended: ids.length }, headers: cookieHeaders(c, ids) });
});

const end = defineEndpoint(sessionOperations.endSession, async (c) =>
  endOne(c, readPathParam(c, "id")),
);

const signOut = defineEndpoint(sessionOperations.signOut, async (c) =>
  endOne(c, c.get("session")?.id ?? "current"),
);

async function endOne(
  c: AppContext,
  id: string,
): Promise<Result<SuccessReply<EndedSessionsResponse>, Failure>> {
  if ((await endSessions(c, { id })).length === 0)
    return fail({ kind: "not_found", what: "session", id });
  return ok({ data: { ended: 1 }, headers: cookieHeaders(c, [id]) });
}

/** Ends sessions and records it, and returns their ids. */
async function endSessions(c: AppContext, which: EndedSessions["which"]): Promise<string[]> {
  const db = getDatabase(c.env.DB);
  const ended = { by: c.get("key").id, which };
  const ids = await audited(c.env, actorOf(c), async (record) => {
    const sessions = await listEndedSessions(db, ended);
    const [first] = sessions;
    if (first === undefined) return [];
    const isOne = typeof which === "object";
    const entry = {
      action: "session.ended",
      subjectId: isOne ? first.id : which === "own" ? ended.by : "all",
      before: isOne ? { keyId: first.keyId } : { sessions },
    } as const;
    await deleteSessions(db, ended, record(entry));
    return sessions.map(({ id }) => id);
  });
  for (const id of ids) invalidateSession(id);
  return ids;
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
    .delete("/agents/sessions/current", ...signOut)
    .delete("/agents/sessions/:id", ...end),
);

/**
 * Opens the link that `npm run dev` prints: signs in with the root key of a local service. LOOPBACK_ONLY marks a local
 * service, and `requireLoopback` has already rejected all other host names. A deployed service responds with 404.
 */
export async function signInByLink(c: AppContext, next: Next): Promise<Response | void> {
  if (c.req.path !== SIGN_IN_LINK_PATH) return next();
  const { LOOPBACK_ONLY, ROOT_API_KEY, SIGNING_KEY } = c.env;
  if (LOOPBACK_ONLY !== "true" || ROOT_API_KEY === "")
    return sendFailure(c, { kind: "not_found", what: "route", id: c.req.path });
  if (c.req.method !== "GET")
    return sendFailure(c, { kind: "method_not_allowed", method: c.req.method, allow: "GET" });
  const link = checkSignInLink(SIGNING_KEY, new URL(c.req.url).searchParams, Date.now());
  if (!link.ok) {
    if (prefersHtml(c))
      return c.body(null, 303, { Location: `/console/sign-in?link=${link.failure}` });
    const reason = SIGN_IN_LINK_PROBLEMS[link.failure];
    return sendFailure(c, { kind: "unauthenticated", reason });
  }
  const { setCookie } = await startSession(c, ROOT_KEY_ID, hashApiKey(ROOT_API_KEY));
  return c.body(null, 303, {
    Location: "/console",
    "Set-Cookie": setCookie,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
}
