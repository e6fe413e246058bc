import type { Next } from "hono";
import { type AppContext, sendFailure } from "./envelope.ts";
import { selectMediaType } from "../kernel/accept.ts";
import type { Failure } from "../kernel/failure.ts";
import { URL_BYTES_MAX } from "../kernel/limits.ts";
import { formatRateLimitHeaders } from "./wire-error.ts";
import { runWithRequestId } from "../platform/request-id.ts";

/** Matches the common forms of loopback URLs, so that they need not be parsed. */
const LOOPBACK_URL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:\/|$)/;
const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Rejects plain HTTP requests whose Host or Origin is not a loopback name, because any web page can make its own host
 * name resolve to this machine (DNS rebinding). `LOOPBACK_ONLY` extends the check to HTTPS, because a local server
 * takes the scheme from `X-Forwarded-Proto`, which such a page can send.
 */
export async function requireLoopback(c: AppContext, next: Next): Promise<Response | void> {
  const foreign = findForeignHeader(c);
  return foreign === null ? next() : sendFailure(c, { kind: "host_not_allowed", ...foreign });
}

/** The header that names another host, or null if there is none. */
function findForeignHeader(c: AppContext): Omit<Failure<"host_not_allowed">, "kind"> | null {
  const { url } = c.req;
  if (url.startsWith("https:") && c.env.LOOPBACK_ONLY !== "true") return null;
  if (!isLoopbackUrl(url)) return { header: "Host", value: new URL(url).host };
  const host = c.req.header("Host");
  if (host !== undefined && !isLoopbackUrl(`http://${host}`))
    return { header: "Host", value: host };
  const origin = c.req.header("Origin");
  return origin === undefined || isLoopbackUrl(origin) ? null : { header: "Origin", value: origin };
}

/** Whether a URL points to this machine by a name that DNS cannot change. False for an opaque origin (`null`). */
function isLoopbackUrl(text: string): boolean {
  if (LOOPBACK_URL.test(text)) return true;
  const url = URL.parse(text);
  return url !== null && LOOPBACK.test(url.hostname);
}

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Assigns each request an id (the client's own if it is valid) and returns it in `X-Request-Id`. */
export async function assignRequestId(c: AppContext, next: Next): Promise<void> {
  const given = c.req.header("X-Request-Id");
  const id = given !== undefined && CLIENT_REQUEST_ID.test(given) ? given : crypto.randomUUID();
  c.set("requestId", id);
  await runWithRequestId(id, next);
  c.res.headers.set("X-Request-Id", id);
}

/** Adds the key's rate limit window, if there is one, to the response, which may already contain a tool's window. */
export async function addRateLimitHeaders(c: AppContext, next: Next): Promise<void> {
  await next();
  const window = c.get("requestWindow");
  if (window === undefined) return;
  for (const [name, value] of Object.entries(formatRateLimitHeaders(window, "key"))) {
    c.res.headers.append(name, value);
  }
}

/** Whether a request's URL is longer than proxies reliably accept. */
export function isUrlTooLong(c: AppContext): boolean {
  return c.req.url.length > URL_BYTES_MAX;
}

/** Two years, as hstspreload.org recommends. */
const HSTS = "max-age=63072000";
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/;

/** Whether a response's media type is JSON or ends in `+json`. */
export function hasJsonBody({ headers }: Response): boolean {
  return JSON_TYPE.test(headers.get("Content-Type") ?? "");
}

/**
 * Adds headers that keep JSON responses out of caches and tell browsers not to guess types or fall back to HTTP. A
 * public document keeps its own caching headers. HSTS is not sent for loopback names, where it would block other local
 * servers.
 */
export async function addSecurityHeaders(c: AppContext, next: Next): Promise<void> {
  await next();
  const { headers } = c.res;
  headers.set("X-Content-Type-Options", "nosniff");
  if (hasJsonBody(c.res) && !headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (c.req.url.startsWith("https:") && !isLoopbackUrl(c.req.url))
    headers.set("Strict-Transport-Security", HSTS);
}

/** Checks the key again after the body has been read, because a key can end while a slow client is still sending. */
export async function recheckKey(c: AppContext): Promise<Failure | null> {
  const recheck = c.get("recheckKey");
  return recheck === undefined ? null : recheck();
}

/** Whether the request is from a browser that opens a page. API clients accept JSON or any type. */
export function prefersHtml(c: AppContext): boolean {
  const accepted = selectMediaType(c.req.header("Accept"), ["application/json", "text/html"]);
  return accepted === "text/html";
}

/** Whether a request has an Authorization header, valid or not. */
export function hasAuthorizationHeader(c: AppContext): boolean {
  return c.req.header("Authorization") !== undefined;
}
