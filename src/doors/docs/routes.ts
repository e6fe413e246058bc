import type { Hono } from "hono";
import { ok } from "../../domain/result.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { endpoint, resource } from "../../http/endpoint.ts";
import { failed } from "../../http/envelope.ts";
import { param } from "../../http/named.ts";

/** The API's document, and the page that shows it. `npm run assets` makes the files. */
export function docsRoutes(app: Hono<AppEnv>): void {
  resource(app, "/openapi.json", { GET: endpoint({}, (c) => file(c, "/openapi.json")) });
  resource(app, "/docs", { GET: endpoint({}, (c) => file(c, "/docs/page.html")) });
  resource(app, "/docs/settings.json", { GET: settings });
  resource(app, "/docs/:file", { GET: endpoint({}, (c) => pageFile(c, param(c, "file"))) });
}

/** Whether a request is for the document or the page, which are for everybody. */
export function isReference(c: AppContext): boolean {
  return /^\/(?:openapi\.json|docs(?:\/[^/]+)?)$/.test(c.req.path);
}

/**
 * Settings for earlier versions of the page. They never contain a key: a request can make a local server
 * misreport its Host, so a public response cannot be restricted to this machine.
 */
const settings = endpoint({}, async () =>
  ok({ data: { apiKey: null }, headers: { "Cache-Control": "no-store" } }),
);

/** The page runs its own scripts, talks to its own service, and is shown inside no other. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The name has been decoded, and must not lead out of the page's folder. */
async function pageFile(c: AppContext, name: string): Promise<Response> {
  return /^\w[\w.-]*$/.test(name) ? file(c, `/docs/${name}`) : nowhere(c);
}

async function file(c: AppContext, path: string): Promise<Response> {
  const wanted = c.req.header("If-None-Match");
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url), {
    headers: wanted === undefined ? {} : { "If-None-Match": wanted },
  });
  if (found.status !== 200 && found.status !== 304) {
    return nowhere(c);
  }
  const response = new Response(found.body, found);
  response.headers.set("Content-Security-Policy", POLICY);
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Referrer-Policy", "no-referrer");
  return response;
}

function nowhere(c: AppContext): Response {
  return failed(c, { kind: "not_found", what: "route", id: c.req.path });
}
