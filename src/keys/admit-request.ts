import { createKeyLimitFailure } from "./model/key-limits.ts";
import type { Failure } from "../kernel/failure.ts";
import { ROOT_KEY_ID, type Key } from "./model/key.ts";
import { KEY_CACHE_ENTRIES_MAX, KEY_CHECK_AGE_MAX_MS, OPEN_STREAM_LIFE_MS } from "./limits.ts";
import { OpenStreams, RequestCounts } from "./model/request-counters.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { readBearerToken } from "../http/middleware.ts";
import type { AppContext } from "../http/context.ts";
import { authenticateKey, hasKeyEnded } from "./authenticate.ts";
import { KEY_ENDED_FAILURE } from "./key-watch.ts";

/** The fields of a key that limits need. */
export type LimitedKey = Pick<Key, "id" | "limits">;

/** Counts of this isolate only, so both limits are approximate. */
const requestCounts = new RequestCounts(KEY_CACHE_ENTRIES_MAX);
const openStreams = new OpenStreams(OPEN_STREAM_LIFE_MS);

/**
 * Authenticates the key of a REST, MCP or A2A request and counts the request against the key's requests per
 * minute. The middleware `addRateLimitHeaders` writes the window into the response.
 */
export async function admitRequest(c: AppContext): Promise<Result<Key, Failure>> {
  const presented = readBearerToken(c.req.header("Authorization"));
  if (!presented.ok) return presented;
  const waitUntil = (promise: Promise<unknown>): void => c.executionCtx.waitUntil(promise);
  const found = await authenticateKey(c.env, presented.value, waitUntil);
  if (!found.ok) return found;
  const admittedAt = Date.now();
  c.set("recheckKey", () => recheckKeySince(c.env, found.value, admittedAt));
  const { id, limits } = found.value;
  if (limits === null) return found;
  const max = limits.requestsPerMinute;
  const { isAdmitted, window } = requestCounts.count(id, max, Date.now());
  c.set("requestWindow", window);
  if (isAdmitted) return found;
  return fail(createKeyLimitFailure({ id, max }, "requestsPerMinute", window.resetSeconds));
}

/** Checks again that the key is valid, if its last check is older than KEY_CHECK_AGE_MAX_MS. */
async function recheckKeySince(
  env: Pick<Env, "DB">,
  { id, expiresAt }: Key,
  admittedAt: number,
): Promise<Failure | null> {
  const now = Date.now();
  if (id === ROOT_KEY_ID || now - admittedAt < KEY_CHECK_AGE_MAX_MS) return null;
  const isExpired = expiresAt !== null && expiresAt <= now;
  return isExpired || (await hasKeyEnded(env, id)) ? KEY_ENDED_FAILURE : null;
}

/**
 * Counts a stream or a waiting request of a key until `signal` aborts or the returned function is called.
 * One of the two must happen when the stream or request ends.
 */
export function reserveStream(
  { id, limits }: LimitedKey,
  signal: AbortSignal,
): Result<() => void, Failure> {
  if (limits === null) return ok(() => {});
  const max = limits.openStreams;
  const end = openStreams.begin(id, max, Date.now());
  if (end === null) return fail(createKeyLimitFailure({ id, max }, "openStreams"));
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return ok(end);
}
