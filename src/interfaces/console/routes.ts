import { Hono } from "hono";
import { answerOtherMethods, defineEndpoint } from "../../http/endpoint.ts";
import { type AppContext, type AppEnv, sendFailure } from "../../http/envelope.ts";
import {
  defineOperation,
  IF_NONE_MATCH_HEADER,
  NOT_MODIFIED_RESPONSE,
} from "../../http/operation.ts";

/** The paths of the console's page. The page itself needs no key, and reads everything else through the API. */
export const CONSOLE_PATHS = /^\/console(?:\/|$)/;

/** Scripts and styles only from this origin and none inline, so that text from an agent, a tool or a server cannot run. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS = {
  "Cache-Control": "no-cache",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
};

const RESPONSES = [
  { status: 200, description: "The page.", content: { "text/html": {} } },
  NOT_MODIFIED_RESPONSE,
] as const;

const consoleOperations = {
  getConsole: defineOperation({
    operationId: "getConsole",
    tag: "Service",
    summary: "Open the console",
    description: "The web page for the people who run the agents. It uses only this API.",
    access: "public",
    // The query states the filters of the view.
    ignoresUnknownQuery: true,
    headers: IF_NONE_MATCH_HEADER,
    responses: RESPONSES,
    errorCodes: ["NOT_FOUND"],
  }),

  getConsoleView: defineOperation({
    operationId: "getConsoleView",
    tag: "Service",
    summary: "Open a view of the console",
    description: "The console's page, which shows the view that the path names.",
    access: "public",
    parameters: { view: "The view, such as `tasks`." },
    ignoresUnknownQuery: true,
    headers: IF_NONE_MATCH_HEADER,
    responses: RESPONSES,
    errorCodes: ["NOT_FOUND"],
  }),

  getConsoleItem: defineOperation({
    operationId: "getConsoleItem",
    tag: "Service",
    summary: "Open one item in the console",
    description: "The console's page, which shows the item that the path names.",
    access: "public",
    parameters: { view: "The view, such as `tasks`.", item: "The id of the item." },
    ignoresUnknownQuery: true,
    headers: IF_NONE_MATCH_HEADER,
    responses: RESPONSES,
    errorCodes: ["NOT_FOUND"],
  }),
};

/** Serves the page for every path, because the page's own router shows the view. Assets that do not exist get 404. */
async function servePage(c: AppContext): Promise<Response> {
  if (c.req.path.startsWith("/console/assets/")) return notFound(c);
  const wanted = c.req.header("If-None-Match");
  const found = await c.env.ASSETS.fetch(new URL("/console/index.html", c.req.url), {
    headers: wanted === undefined ? {} : { "If-None-Match": wanted },
  });
  if (found.status !== 200 && found.status !== 304) return notFound(c);
  const response = new Response(found.body, found);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
  return response;
}

function notFound(c: AppContext): Response {
  return sendFailure(c, { kind: "not_found", what: "route", id: c.req.path });
}

/** The console. `npm run assets` builds its files. */
export const consoleRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/console", ...defineEndpoint(consoleOperations.getConsole, servePage))
    .get("/console/:view", ...defineEndpoint(consoleOperations.getConsoleView, servePage))
    .get("/console/:view/:item", ...defineEndpoint(consoleOperations.getConsoleItem, servePage)),
);
