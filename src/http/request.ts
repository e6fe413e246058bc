import type { MiddlewareHandler } from "hono";
import { URL_BYTES_MAX } from "../domain/limits.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { failed } from "./envelope.ts";
import { rateHeaders } from "./tool-failure.ts";

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives each request its id, the client's own when it is a good one, and echoes it. */
export function identify(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const given = c.req.header("X-Request-Id");
    const id = given !== undefined && CLIENT_REQUEST_ID.test(given) ? given : crypto.randomUUID();
    c.set("requestId", id);
    await next();
    c.header("X-Request-Id", id);
  };
}

/** Adds the key's request window to every response. A tool's window may be present already. */
export function stateRequestLimit(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const window = c.get("requestWindow");
    if (window === undefined) return;
    for (const [name, value] of Object.entries(rateHeaders(window, "key"))) {
      c.header(name, value, { append: true });
    }
  };
}

/** Refuses URLs that are too long, but for those of `judgedElsewhere`, whose refusals have another form. */
export function boundUrl({
  judgedElsewhere,
}: {
  readonly judgedElsewhere: (c: AppContext) => boolean;
}): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (isTooLong(c) && !judgedElsewhere(c)) return failed(c, { kind: "uri_too_long" });
    return next();
  };
}

/** Whether a request's URL is longer than every hop can be trusted to carry. */
export function isTooLong(c: AppContext): boolean {
  return c.req.url.length > URL_BYTES_MAX;
}
