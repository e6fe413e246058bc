import { Hono } from "hono";
import { docsOperations } from "./operations.ts";
import { ok } from "../../kernel/result.ts";
import { type AppContext, type AppEnv, readPathParam, sendFailure } from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";

/** The paths of the document and the page, which are public. */
export const DOCS_PATHS = /^\/(?:openapi\.json|docs(?:\/[^/]+)?)$/;

/**
 * Settings for earlier versions of the page. They never contain a key: a request can make a local server
 * misreport its Host, so a public response cannot be restricted to this machine.
 */
const settings = defineEndpoint(docsOperations.getDocsSettings, async () =>
  ok({ data: { apiKey: null }, headers: { "Cache-Control": "no-store" } }),
);

/** The page runs its own scripts, talks to its own service, and is shown inside no other. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

async function serveAsset(c: AppContext, path: string): Promise<Response> {
  const wanted = c.req.header("If-None-Match");
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url), {
    headers: wanted === undefined ? {} : { "If-None-Match": wanted },
  });
  if (found.status !== 200 && found.status !== 304) {
    return notFound(c);
  }
  const response = new Response(found.body, found);
  response.headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Referrer-Policy", "no-referrer");
  return response;
}

function notFound(c: AppContext): Response {
  return sendFailure(c, { kind: "not_found", what: "route", id: c.req.path });
}

const file = defineEndpoint(docsOperations.getDocsFile, async (c) => {
  // The name has been decoded, and must not lead out of the page's folder.
  const name = readPathParam(c, "file");
  return /^\w[\w.-]*$/.test(name) ? serveAsset(c, `/docs/${name}`) : notFound(c);
});

/** The API's document, and the page that shows it. `npm run assets` makes the files. */
export const docsRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get(
      "/openapi.json",
      ...defineEndpoint(docsOperations.getOpenApi, (c) => serveAsset(c, "/openapi.json")),
    )
    .get(
      "/docs",
      ...defineEndpoint(docsOperations.getDocs, (c) => serveAsset(c, "/docs/page.html")),
    )
    .get("/docs/settings.json", ...settings)
    .get("/docs/:file", ...file),
);
