import type { MiddlewareHandler } from "hono";
import type { Failure } from "../kernel/failure.ts";
import type { Key } from "../keys/model/key.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { sendFailure } from "./envelope.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** Requires a key of every request except those for which `open` returns true. `find` looks up the key. */
export function authenticate({
  open,
  find,
}: {
  open: (c: AppContext) => boolean;
  find: (c: AppContext) => Promise<Result<Key, Failure>>;
}): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (open(c)) return next();
    const key = await find(c);
    if (!key.ok) return sendFailure(c, key.failure);
    c.set("key", key.value);
    return next();
  };
}

/** The key in an Authorization header. */
export function readBearerToken(header: string | undefined): Result<string, Failure> {
  if (header === undefined) {
    const reason = "Send your key in the header: Authorization: Bearer <API_KEY>.";
    return fail({ kind: "unauthenticated", reason });
  }
  const presented = BEARER.exec(header)?.[1];
  if (presented !== undefined) return ok(presented);
  const reason = "The Authorization header must read: Bearer <API_KEY>.";
  return fail({ kind: "unauthenticated", reason });
}

/** Checks the key again after the body: a client decides how long that takes, and the key may end meanwhile. */
export async function recheckKey(c: AppContext): Promise<Failure | null> {
  const recheck = c.get("recheckKey");
  return recheck === undefined ? null : recheck();
}

/** Whether a request presents a key, valid or not. */
export function hasAuthorizationHeader(c: AppContext): boolean {
  return c.req.header("Authorization") !== undefined;
}
