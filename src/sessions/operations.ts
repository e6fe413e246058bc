import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";

export const sessionOperations = {
  /** POST /agents/sessions */
  signIn: defineOperation({
    operationId: "signIn",
    tag: "Sessions",
    access: "public",
    body: schemas.signInBody,
    summary: "Sign in to the console",
    description: `Starts a session for a browser and stores it in a cookie that scripts cannot read. The session has the rights of the key on every request, and ends within ten seconds if the key is revoked, expires or is replaced. It also ends after 12 hours without a request, and after seven days at the latest. A session that the browser already has is replaced.

Requests with the cookie must come from a page of the service's own origin. Requests that change anything must also be JSON and have the header \`X-Bosun-Console: 1\`. The cookie is ignored if a request has an \`Authorization\` header.`,
    responses: [
      respond(201, "The session and its key.", schemas.identitySchema, {
        headers: {
          "Set-Cookie":
            "The session's cookie, `__Host-bosun` (on loopback over plain HTTP, `bosun-<port>`).",
        },
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
      "The sessions of the request's own key and of all keys that it created, directly or indirectly. The root key sees every session. Sessions of revoked and expired keys have ended and are not listed.",
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

  /** DELETE /agents/sessions/current */
  signOut: defineOperation({
    operationId: "signOut",
    tag: "Sessions",
    access: "key",
    summary: "Sign out",
    description:
      "Ends the request's own session and removes its cookie. A request with a key has no session and gets 404.",
    responses: [
      respond(200, "The number of sessions that ended: 1.", schemas.endedSessionsSchema, {
        headers: { "Set-Cookie": "Removes the session's cookie." },
      }),
    ],
    errorCodes: ["SESSION_NOT_FOUND"],
  }),

  /** DELETE /agents/sessions */
  endSessions: defineOperation({
    operationId: "endSessions",
    tag: "Sessions",
    access: "key",
    query: schemas.endSessionsQuery,
    summary: "Sign out everywhere",
    description:
      "Ends all sessions of the request's own key, including the request's own session, whose cookie the response removes. Open streams end, and other isolates reject the sessions, within ten seconds.",
    responses: [respond(200, "The number of sessions that ended.", schemas.endedSessionsSchema)],
  }),

  /** DELETE /agents/sessions/:id */
  endSession: defineOperation({
    operationId: "endSession",
    tag: "Sessions",
    access: "key",
    summary: "End a session",
    description:
      "Ends one of the sessions that List sessions shows. Its open streams end, and other isolates reject it, within ten seconds. If it is the request's own session, the response removes its cookie.",
    responses: [respond(200, "The number of sessions that ended: 1.", schemas.endedSessionsSchema)],
    errorCodes: ["SESSION_NOT_FOUND"],
  }),
};
