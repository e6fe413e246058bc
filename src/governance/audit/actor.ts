import type { AppContext } from "../../http/envelope.ts";
import { USER_AGENT_CHARACTERS_MAX } from "./limits.ts";
import type { Actor } from "../model/audit-entry.ts";

/** Who makes an authenticated request, and from where. */
export function actorOf(c: AppContext): Actor {
  return actorWithKey(c, c.get("key").id, c.get("session")?.id ?? null);
}

/** The actor of a request that something other than its key authorises, such as a sign-in or a link. */
export function actorWithKey(c: AppContext, keyId: string, sessionId: string | null): Actor {
  return {
    keyId,
    sessionId,
    address: c.req.header("CF-Connecting-IP") ?? null,
    userAgent: c.req.header("User-Agent")?.slice(0, USER_AGENT_CHARACTERS_MAX) ?? null,
    requestId: c.get("requestId"),
  };
}
