import type { Key } from "../keys/model/key.ts";
import { toIsoTime } from "../kernel/text.ts";
import { sessionEndOf, type Session } from "./model/session.ts";
import type { IdentityResponse, SessionResponse } from "./schemas.ts";

/** A session as clients see it. `currentId`: the session of the request, if it has one. */
export function sessionView(session: Session, currentId: string | undefined): SessionResponse {
  return {
    sessionId: session.id,
    keyId: session.keyId,
    userAgent: session.userAgent,
    createdAt: toIsoTime(session.createdAt),
    lastSeenAt: toIsoTime(session.lastSeenAt),
    expiresAt: toIsoTime(sessionEndOf(session)),
    current: session.id === currentId,
  };
}

export function identityView(key: Key, session: Session | undefined): IdentityResponse {
  return {
    session: session && sessionView(session, session.id),
    key: {
      id: key.id,
      name: key.name,
      scopes: [...key.scopes],
      agentId: key.agentId ?? undefined,
      teamId: key.teamId ?? undefined,
      expiresAt: toIsoTime(key.expiresAt) ?? undefined,
    },
  };
}
