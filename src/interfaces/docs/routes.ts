import { Hono } from "hono";
import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import {
  defineOperation,
  IF_NONE_MATCH_HEADER,
  NOT_MODIFIED_RESPONSE,
  respond,
} from "../../http/operation.ts";
import { ok } from "../../kernel/result.ts";
import { type AppContext, type AppEnv, readPathParam, sendFailure } from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";

/** The public paths of the OpenAPI document, the API page and the guides. */
export const DOCS_PATHS = /^\/(?:openapi\.json|docs(?:\/[^/]+|\/guides\/[^/]*)?)$/;

const documentSchema = z.looseObject({
  openapi: schema.text("The OpenAPI version of the document."),
});

const docsSettingsSchema = z
  .object({
    apiKey: z.string().nullable().describe("Always null. Earlier releases returned a key here."),
  })
  .meta({ id: "DocsSettings" });

const FILE_RESPONSE = {
  status: 200,
  description: "The file.",
  content: { "text/html": {} },
  headers: {
    ETag: "Changes whenever the file changes.",
    "Content-Security-Policy": "Allows only resources from this origin, and `data:` images.",
  },
} as const;

const docsOperations = {
  getOpenApi: defineOperation({
    operationId: "getOpenApi",
    tag: "Service",
    summary: "Read this document",
    description:
      "The API in OpenAPI 3.1, generated from the schemas that validate each request. Client generators accept it unchanged.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [
      {
        status: 200,
        description: "The document.",
        content: { "application/json": { schema: documentSchema } },
        headers: { ETag: "Changes whenever the document changes." },
      },
      NOT_MODIFIED_RESPONSE,
    ],
  }),

  getDocs: defineOperation({
    operationId: "getDocs",
    tag: "Service",
    summary: "Browse the API reference",
    description: "This document as a web page that can also send requests.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [FILE_RESPONSE, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  }),

  getDocsSettings: defineOperation({
    operationId: "getDocsSettings",
    tag: "Service",
    summary: "Read the page's settings",
    description:
      "Kept for earlier versions of the page at `/docs`. The current page reads a key from its URL: `/docs#key=<API_KEY>`.",
    access: "public",
    responses: [
      respond(200, "The settings.", docsSettingsSchema, {
        headers: { "Cache-Control": "`no-store`." },
      }),
    ],
  }),

  getGuides: defineOperation({
    operationId: "getGuides",
    tag: "Service",
    summary: "Browse the guides",
    description:
      "The guides and the reference as web pages, which can be searched and read offline.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [FILE_RESPONSE, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  }),

  getGuide: defineOperation({
    operationId: "getGuide",
    tag: "Service",
    summary: "Read a guide",
    description: "One guide as a web page.",
    access: "public",
    parameters: { page: "The name of the page, such as `write-a-worker`." },
    headers: IF_NONE_MATCH_HEADER,
    responses: [FILE_RESPONSE, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  }),

  getDocsFile: defineOperation({
    operationId: "getDocsFile",
    tag: "Service",
    summary: "Read a file used by the page",
    description: "The scripts, styles and images of the page at `/docs`, and their licences.",
    access: "public",
    parameters: { file: "The file's name." },
    headers: IF_NONE_MATCH_HEADER,
    responses: [{ ...FILE_RESPONSE, content: { "*/*": {} } }, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  }),
};

/**
 * Settings for earlier versions of the page. They never contain a key. A client can forge its Host header, so a public
 * response cannot be restricted to this machine.
 */
const settings = defineEndpoint(docsOperations.getDocsSettings, async () =>
  ok({ data: { apiKey: null }, headers: { "Cache-Control": "no-store" } }),
);

/** The page may run only its own scripts and call only its own service, and no other page may frame it. */
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
  if (found.status !== 200 && found.status !== 304) return notFound(c);
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
  // The decoded name must not lead out of the page's folder.
  const name = readPathParam(c, "file");
  return /^\w[\w.-]*$/.test(name) ? serveAsset(c, `/docs/${name}`) : notFound(c);
});

const guide = defineEndpoint(docsOperations.getGuide, async (c) => {
  const page = readPathParam(c, "page");
  return /^[a-z0-9-]+$/.test(page) ? serveAsset(c, `/docs/guides/${page}.html`) : notFound(c);
});

/** The OpenAPI document, the page that shows it, and the guides. `npm run assets` generates the files. */
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
    .get(
      "/docs/guides",
      ...defineEndpoint(docsOperations.getGuides, (c) => serveAsset(c, "/docs/guides/index.html")),
    )
    .get("/docs/guides/:page", ...guide)
    .get("/docs/:file", ...file),
);
