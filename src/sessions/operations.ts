import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";

const SET_COOKIE = {
  "Set-Cookie": "Removes the session's cookie if the request's own session ended.",
};

export const sessionOperations = {
  /** POST /agents/sessions */
  signIn: defineOperation({
    operationId: "signIn",
    tag: "Sessions",
    access: "public",
    body: schemas.signInBody,
    summary: "Sign in to the console",
    description: `Starts a session for a browser and stores it in a cookie that scripts cannot read. The session has the rights of the key on every request, and ends within ten seconds if the key is revoked or expires. It also ends after 12 hours without a request, and after seven days at the latest.

Requests with the cookie must come from a page of the service's own origin. Requests that change anything must also be JSON and have the header \`X-Bosun-Console: 1\`. The cookie is ignored if a request has an \`Authorization\` header.`,
    responses: [
      respond(201, "The session and its key.", schemas.identitySchema, {
        headers: { "Set-Cookie": "The session's cookie, `__Host-bosun` (`bosun` on loopback)." },
      }),
    ],
    errorCodes: ["AUTHENTICATION_FAILED", "CROSS_SITE_REQUEST", "RATE_LIMIT_EXCEEDED"],
  }),

  /** GET /agents/sessions */
  listSessions: defineOperation({
    operationId: "listSessions",
    tag: "Sessions",
    access: "key",
    query: schemas.listSessionsQuery,
    summary: "List sessions",
    description:
      "The sessions of all keys for a key with the scope `keys:manage` that is not bound to an agent or a team, and otherwise the sessions of the request's own key.",
    responses: [
      respond(200, "The page, which is empty after the last session.", schemas.sessionListSchema),
    ],
  }),

  /** GET /agents/sessions/current */
  getIdentity: defineOperation({
    operationId: "getIdentity",
    tag: "Sessions",
    access: "key",
    summary: "Read the current session",
    description: "The key whose rights the request has, and the session if the request has one.",
    responses: [respond(200, "The key and the session.", schemas.identitySchema)],
  }),

  /** DELETE /agents/sessions */
  endSessions: defineOperation({
    operationId: "endSessions",
    tag: "Sessions",
    access: "key",
    summary: "Sign out everywhere",
    description:
      "Ends all sessions of the request's own key, including the request's own session. Other isolates may accept the sessions for up to ten seconds.",
    responses: [
      respond(200, "The number of sessions that ended.", schemas.endedSessionsSchema, {
        headers: SET_COOKIE,
      }),
    ],
  }),

  /** DELETE /agents/sessions/:id */
  endSession: defineOperation({
    operationId: "endSession",
    tag: "Sessions",
    access: "key",
    summary: "End a session",
    description:
      "Ends a session: `current` for the request's own, or one that List sessions shows. Other isolates may accept the session for up to ten seconds.",
    parameters: { id: "The session's id, or `current` for the request's own session." },
    responses: [
      respond(200, "The number of sessions that ended: 1.", schemas.endedSessionsSchema, {
        headers: SET_COOKIE,
      }),
    ],
    errorCodes: ["SESSION_NOT_FOUND"],
  }),
};
