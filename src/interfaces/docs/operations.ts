import {
  defineOperation,
  respond,
  type ApiResponse,
  type Operation,
} from "../../http/operation.ts";
import * as z from "zod";
import * as schema from "../../http/schemas.ts";

/** The header of a conditional GET. */
export const IF_NONE_MATCH_HEADER = {
  "If-None-Match": {
    description: "The ETag of the stored version: the body is sent only if it has changed.",
    example: '"5d41402abc4b2a76b9719d911017c592"',
  },
} satisfies Operation["headers"];

/** The response to a conditional GET if nothing changed. */
export const NOT_MODIFIED_RESPONSE: ApiResponse = {
  status: 304,
  description: "The stored version is current.",
  headers: { ETag: "What you have sent." },
};

const documentSchema = z.looseObject({
  openapi: schema.text("The version of OpenAPI that the document keeps to."),
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
    ETag: "Changes with the file.",
    "Content-Security-Policy": "Own scripts only, and no other origin.",
  },
} as const;

export const docsOperations = {
  /** GET /openapi.json */
  getOpenApi: defineOperation({
    operationId: "getOpenApi",
    tag: "Service",
    summary: "Read this document",
    description:
      "The API in OpenAPI 3.1, made from the schemas that check each request. Generators of clients take it as it is.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [
      {
        status: 200,
        description: "The document.",
        content: { "application/json": { schema: documentSchema } },
        headers: { ETag: "Changes with the document." },
      },
      NOT_MODIFIED_RESPONSE,
    ],
  }),

  /** GET /docs */
  getDocs: defineOperation({
    operationId: "getDocs",
    tag: "Service",
    summary: "Read the API on a page",
    description: "This document as a page to read, from which requests can be sent.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [FILE_RESPONSE, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  }),

  /** GET /docs/settings.json */
  getDocsSettings: defineOperation({
    operationId: "getDocsSettings",
    tag: "Service",
    summary: "Read the page's settings",
    description:
      "Kept for earlier versions of the page at `/docs`. The current page reads a key from its address: `/docs#key=<API_KEY>`.",
    access: "public",
    responses: [
      respond(200, "The settings.", docsSettingsSchema, {
        headers: { "Cache-Control": "`no-store`." },
      }),
    ],
  }),

  /** GET /docs/:file */
  getDocsFile: defineOperation({
    operationId: "getDocsFile",
    tag: "Service",
    summary: "Read a file of the page",
    description: "The scripts, styles and pictures of the page at `/docs`, and their licences.",
    access: "public",
    parameters: { file: "The file's name." },
    headers: IF_NONE_MATCH_HEADER,
    responses: [{ ...FILE_RESPONSE, content: { "*/*": {} } }, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  }),
};
