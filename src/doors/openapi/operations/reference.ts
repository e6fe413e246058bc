import * as z from "zod";
import type { Operations } from "../operation.ts";
import { IF_NONE_MATCH, UNCHANGED } from "../unchanged.ts";

const health = z
  .object({ status: z.literal("ok").meta({ description: "The Worker runs." }) })
  .meta({ id: "Health" });

const document = z.looseObject({
  openapi: z.string().meta({ description: "The version of OpenAPI that the document keeps to." }),
});

const settings = z
  .object({
    apiKey: z.string().nullable().meta({
      description: "Always null. Earlier releases returned a key here.",
    }),
  })
  .meta({ id: "DocsSettings" });

const page = {
  status: 200,
  description: "The file.",
  content: { "text/html": {} },
  headers: {
    ETag: "Changes with the file.",
    "Content-Security-Policy": "Own scripts only, and no other origin.",
  },
} as const;

/** What the service says of itself. */
export const serviceOperations: Operations = {
  "GET /health": {
    operationId: "getHealth",
    tag: "Service",
    summary: "Ask whether the service is up",
    description:
      "Answers without touching any store, so that a monitor may ask as often as it likes.",
    access: "public",
    answers: [{ status: 200, description: "It is up.", data: health, example: { status: "ok" } }],
    codes: [],
  },
  "GET /openapi.json": {
    operationId: "getOpenApi",
    tag: "Service",
    summary: "Read this document",
    description:
      "The API in OpenAPI 3.1, made from the schemas that check each request. Generators of clients take it as it is.",
    access: "public",
    headers: IF_NONE_MATCH,
    answers: [
      {
        status: 200,
        description: "The document.",
        content: { "application/json": { schema: document } },
        headers: { ETag: "Changes with the document." },
      },
      UNCHANGED,
    ],
    codes: [],
  },
  "GET /docs": {
    operationId: "getDocs",
    tag: "Service",
    summary: "Read the API on a page",
    description: "This document as a page to read, from which requests can be sent.",
    access: "public",
    headers: IF_NONE_MATCH,
    answers: [page, UNCHANGED],
    codes: ["NOT_FOUND"],
  },
  "GET /docs/settings.json": {
    operationId: "getDocsSettings",
    tag: "Service",
    summary: "Read the page's settings",
    description:
      "Kept for earlier versions of the page at `/docs`. The current page reads a key from its address: `/docs#key=<API_KEY>`.",
    access: "public",
    answers: [
      {
        status: 200,
        description: "The settings.",
        data: settings,
        example: { apiKey: null },
        headers: { "Cache-Control": "`no-store`." },
      },
    ],
    codes: [],
  },
  "GET /docs/:file": {
    operationId: "getDocsFile",
    tag: "Service",
    summary: "Read a file of the page",
    description: "The scripts, styles and pictures of the page at `/docs`, and their licences.",
    access: "public",
    parameters: { file: { description: "The file's name.", example: "start.js" } },
    headers: IF_NONE_MATCH,
    answers: [{ ...page, content: { "*/*": {} } }, UNCHANGED],
    codes: ["NOT_FOUND"],
  },
};
