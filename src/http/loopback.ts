import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "./context.ts";
import { failed } from "./envelope.ts";

const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A header that names a host other than this machine. */
interface ForeignHeader {
  readonly header: "Host" | "Origin";
  readonly value: string;
}

/**
 * Rejects every request over plain HTTP whose Host or Origin is not a loopback name: any web page can make
 * its own name resolve to this machine (DNS rebinding). `LOOPBACK_ONLY` includes HTTPS, because a local
 * server takes the scheme from `X-Forwarded-Proto`, which such a page can send.
 */
export function requireLoopback(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const foreign = foreignHeader(c);
    return foreign === null ? next() : failed(c, { kind: "host_not_allowed", ...foreign });
  };
}

/** Whether a URL names this machine by a name that DNS cannot change. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

function foreignHeader(c: AppContext): ForeignHeader | null {
  const url = new URL(c.req.url);
  if (url.protocol === "https:" && c.env.LOOPBACK_ONLY !== "true") return null;
  if (!isLoopback(url)) return { header: "Host", value: url.host };
  const host = c.req.header("Host") ?? url.host;
  if (!namesLoopback(`http://${host}`)) return { header: "Host", value: host };
  const origin = c.req.header("Origin");
  return origin === undefined || namesLoopback(origin) ? null : { header: "Origin", value: origin };
}

/** False for an opaque origin, `null`. */
function namesLoopback(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isLoopback(url);
}
