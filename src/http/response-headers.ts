import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./context.ts";
import { isLoopback } from "./loopback.ts";

/** Two years, as browsers' preload lists require. */
const HSTS = "max-age=63072000";
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/;

/**
 * Headers that keep responses out of caches and tell browsers not to guess types or fall back to HTTP.
 * A public document keeps its own caching headers. HSTS on loopback names would block other local servers.
 */
export function protectResponses(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    c.header("X-Content-Type-Options", "nosniff");
    const isJson = JSON_TYPE.test(headers.get("Content-Type") ?? "");
    if (isJson && !headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
    const url = new URL(c.req.url);
    if (url.protocol === "https:" && !isLoopback(url)) c.header("Strict-Transport-Security", HSTS);
  };
}
