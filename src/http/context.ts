import type { Key, Viewer } from "../keys/model/key.ts";
import type { Context } from "hono";
import type { Failure, RateLimitWindow } from "../kernel/failure.ts";

/** What middleware provides to the handlers of a request. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    key: Key;
    /** Why the key may no longer be used, although it was valid when the request came; null if it may. */
    recheckKey?: () => Promise<Failure | null>;
    /** The key's request window, if the key has limits. */
    requestWindow?: RateLimitWindow;
  };
}

export type AppContext = Context<AppEnv>;

/** A parameter of the path, which the route's pattern contains. */
export function readPathParam(c: AppContext, name: string): string {
  return c.req.param(name) ?? "";
}

/** The origin of the request, with which links in responses begin. */
export function requestOriginOf(c: AppContext): string {
  return new URL(c.req.url).origin;
}

/** The viewer of the request's key. */
export function viewerOfRequest(c: AppContext): Viewer {
  const { agentId, teamId } = c.get("key");
  return { agentId, teamId };
}
