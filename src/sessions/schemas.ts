import * as z from "zod";
import { SCOPES } from "../keys/model/key.ts";
import { pageQueryOf } from "../http/validation.ts";
import { SECRET_CHARACTERS_MAX } from "../http/limits.ts";
import * as schema from "../http/schemas.ts";

/** Body of POST /agents/sessions. */
export const signInBody = z.strictObject({
  apiKey: z
    .string()
    .min(1)
    .max(SECRET_CHARACTERS_MAX)
    .describe("The API key to sign in with. The session has the rights of this key."),
});

/** Query of GET /agents/sessions. */
export const listSessionsQuery = z.object(pageQueryOf("Sessions"));

/** Query of DELETE /agents/sessions. */
export const endSessionsQuery = z.object({
  keys: z
    .enum(["own", "all"])
    .default("own")
    .describe(
      "Whose sessions to end: `own` for those of the request's own key, `all` also for those of all keys that it created, directly or indirectly. For the root key, `all` means every session.",
    ),
});

const sessionFields = {
  sessionId: schema.text("The session's id: 64 hex digits. It cannot be used to sign in."),
  keyId: schema.text("The id of the key that signed in, `root` for the root key."),
  userAgent: schema.text("The `User-Agent` header of the sign-in; empty if there was none."),
  createdAt: schema.instant("When the person signed in."),
  lastSeenAt: schema.instant("When the session was last used, accurate to ten minutes."),
  expiresAt: schema.instant(
    "When the session ends unless it is used: 12 hours after `lastSeenAt`, and seven days after `createdAt` at the latest.",
  ),
};

const sessionSchema = schema.component("Session", "A browser that is signed in to the console.", {
  ...sessionFields,
  current: schema.flag("Whether it is the session of this request."),
});
export type SessionResponse = schema.ResponseOf<typeof sessionSchema>;

/** GET /agents/sessions. */
export const sessionListSchema = schema.component("Sessions", "One page of sessions.", {
  sessions: schema.list(sessionSchema, "The sessions on the page, most recently used first."),
});

/** GET /agents/sessions/current, and the response to a sign-in. */
export const identitySchema = schema.component("Identity", "The key and session of a request.", {
  session: sessionSchema.optional().describe("Absent if the request has an API key."),
  key: z
    .strictObject({
      id: schema.text("The key's id, `root` for the root key."),
      name: schema.text("The key's name."),
      scopes: z.array(z.enum(SCOPES)).describe("The key's scopes."),
      agentId: schema.optional.text("The agent that the key is bound to, if any."),
      teamId: schema.optional.text("The team that the key is bound to, if any."),
      expiresAt: schema.optional.instant("When the key expires; absent if it does not expire."),
    })
    .describe("The key whose rights the request has."),
});
export type IdentityResponse = schema.ResponseOf<typeof identitySchema>;

/** DELETE /agents/sessions and DELETE /agents/sessions/:id. */
export const endedSessionsSchema = schema.component("EndedSessions", "The sessions that ended.", {
  ended: schema.count("The number of sessions that ended."),
});
export type EndedSessionsResponse = schema.ResponseOf<typeof endedSessionsSchema>;
