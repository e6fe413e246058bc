import type { Key, Viewer } from "../keys/model/key.ts";
import type { Context } from "hono";
import type { IfMatch } from "../kernel/entity-tag.ts";
import { createFieldFailure, type Failure, type RateLimitWindow } from "../kernel/failure.ts";
import { preview } from "../kernel/problem.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "./limits.ts";

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

const IDEMPOTENCY_KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARACTERS_MAX}}$`);

/** The `Idempotency-Key` of a request, or null. */
export function readIdempotencyKey(headers: Headers): Result<string | null, Failure> {
  const given = headers.get("Idempotency-Key");
  if (given === null || IDEMPOTENCY_KEY.test(given)) return ok(given);
  const rule = `must be 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable ASCII characters without spaces`;
  return fail(createFieldFailure("Idempotency-Key", `${rule}, got ${preview(given)}`));
}

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(String.raw`^${TAG}(?:[ \t]*,[ \t]*${TAG})*$`);

/**
 * The `If-Match` of a request (RFC 9110), null for any version. Weak tags are accepted: proxies that
 * compress a response, Cloudflare's included, weaken its tag.
 */
export function readIfMatch(headers: Headers): Result<IfMatch, Failure> {
  const given = headers.get("If-Match");
  if (given === null || given === "*") return ok(null);
  if (TAGS.test(given)) {
    return ok([...given.matchAll(/"([^"]*)"/g)].map(([, opaque = ""]) => opaque));
  }
  const rule = 'must be * or a list of entity tags with their quotes, such as "7"';
  return fail(createFieldFailure("If-Match", `${rule}, got ${preview(given)}`));
}
