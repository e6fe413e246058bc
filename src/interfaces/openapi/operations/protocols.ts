import * as z from "zod";
import * as schema from "../schemas/common.ts";
import {
  defineOperations,
  respond,
  type ApiOperation,
  type ApiResponse,
} from "../api-operation.ts";

/** The header of a conditional GET. */
const IF_NONE_MATCH_HEADER = {
  "If-None-Match": {
    description: "The ETag of the stored version: the body is sent only if it has changed.",
    example: '"5d41402abc4b2a76b9719d911017c592"',
  },
} satisfies ApiOperation["headers"];

/** The response to a conditional GET if nothing changed. */
const NOT_MODIFIED_RESPONSE: ApiResponse = {
  status: 304,
  description: "The stored version is current.",
  headers: { ETag: "What you have sent." },
};

const rpcErrorSchema = z
  .looseObject({
    code: schema.integer("A code of JSON-RPC, or of the protocol."),
    message: schema.text("What went wrong and what to do."),
  })
  .describe("What went wrong.");

const rpcIdSchema = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .describe("The id of the request; null where it cannot be known.");

const rpcErrorResponseSchema = z
  .looseObject({ jsonrpc: z.literal("2.0"), id: rpcIdSchema, error: rpcErrorSchema })
  .meta({ id: "RpcRefusal", description: "An error response in JSON-RPC 2.0." });

const rpcResponseSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: rpcIdSchema,
    result: z.unknown().optional().describe("What the method gives."),
    error: rpcErrorSchema.optional(),
  })
  .meta({ id: "RpcAnswer", description: "An answer in JSON-RPC 2.0." });

const agentCardSchema = z
  .looseObject({
    name: schema.text("The name of the service."),
    version: schema.text("Its release."),
  })
  .meta({ id: "AgentCard", description: "An A2A 1.0 agent card." });

const RPC_FIELDS = {
  jsonrpc: "The version of JSON-RPC.",
  id: "What the answer repeats; left out of notifications, which get none.",
  method: "What is to be done.",
  params: "What the method takes.",
};

/** The routes of other protocols. */
export const protocolOperations = defineOperations("Service", {
  "POST /mcp": {
    operationId: "speakMcp",
    summary: "Send a message of the Model Context Protocol",
    description:
      "The [Model Context Protocol](https://modelcontextprotocol.io) over streamable HTTP, without sessions. A key that is bound to an agent has exactly what the agent was granted as tools; the task tools are there as far as the key's scopes allow. `/mcp/` is an alias. Use a client of MCP rather than this operation.",
    access: "key",
    headers: {
      "MCP-Protocol-Version": {
        description: "The revision that the client speaks.",
        example: "2025-11-25",
      },
    },
    fields: RPC_FIELDS,
    responses: [
      {
        status: 200,
        description: "The answer.",
        content: {
          "application/json": { schema: rpcResponseSchema },
          "text/event-stream": { schema: z.string() },
        },
      },
      { status: 202, description: "A notification was accepted." },
    ],
    protocolErrors: {
      description: "An error in the form of MCP.",
      schema: rpcErrorResponseSchema,
      statuses: [400, 401, 404, 405, 406, 413, 414, 415, 429, 500, 503],
    },
  },
  "POST /a2a": {
    operationId: "speakA2a",
    summary: "Send a message of A2A by JSON-RPC",
    description:
      "[A2A](https://a2a-protocol.org) 1.0 in its JSON-RPC binding, over the same tasks. The paths of its REST binding begin with `/a2a/v1`. `/a2a/` is an alias. Use a client of A2A rather than this operation.",
    access: "key",
    headers: {
      "A2A-Version": { description: "The version that the client speaks.", example: "1.0" },
    },
    fields: RPC_FIELDS,
    responses: [
      {
        status: 200,
        description:
          "The answer; of a method that streams, a stream of them. Failures of methods come here too.",
        content: {
          "application/json": { schema: rpcResponseSchema },
          "text/event-stream": { schema: z.string() },
        },
      },
    ],
    protocolErrors: {
      description: "An error in the form of A2A.",
      schema: rpcErrorResponseSchema,
      statuses: [401, 405, 413, 429, 500, 503],
    },
  },
  "GET /.well-known/agent-card.json": {
    operationId: "getAgentCard",
    summary: "Read the agent card of A2A",
    description: "Describes to clients of A2A what this service does, and where its bindings are.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [
      {
        status: 200,
        description: "The card.",
        content: { "application/json": { schema: agentCardSchema } },
        headers: { ETag: "Changes with the card.", "Cache-Control": "How long it may be kept." },
      },
      NOT_MODIFIED_RESPONSE,
    ],
  },
});

const healthSchema = z
  .object({ status: z.literal("ok").describe("The Worker runs.") })
  .meta({ id: "Health" });

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

/** Health, the OpenAPI document and its page. */
export const serviceOperations = defineOperations("Service", {
  "GET /health": {
    operationId: "getHealth",
    summary: "Ask whether the service is up",
    description: "Responds without reading any store, so that a monitor can poll it at any rate.",
    access: "public",
    responses: [respond(200, "It is up.", healthSchema)],
  },
  "GET /openapi.json": {
    operationId: "getOpenApi",
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
  },
  "GET /docs": {
    operationId: "getDocs",
    summary: "Read the API on a page",
    description: "This document as a page to read, from which requests can be sent.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [FILE_RESPONSE, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  },
  "GET /docs/settings.json": {
    operationId: "getDocsSettings",
    summary: "Read the page's settings",
    description:
      "Kept for earlier versions of the page at `/docs`. The current page reads a key from its address: `/docs#key=<API_KEY>`.",
    access: "public",
    responses: [
      respond(200, "The settings.", docsSettingsSchema, {
        headers: { "Cache-Control": "`no-store`." },
      }),
    ],
  },
  "GET /docs/:file": {
    operationId: "getDocsFile",
    summary: "Read a file of the page",
    description: "The scripts, styles and pictures of the page at `/docs`, and their licences.",
    access: "public",
    parameters: { file: "The file's name." },
    headers: IF_NONE_MATCH_HEADER,
    responses: [{ ...FILE_RESPONSE, content: { "*/*": {} } }, NOT_MODIFIED_RESPONSE],
    errorCodes: ["NOT_FOUND"],
  },
});
