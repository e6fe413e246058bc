import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { IF_NONE_MATCH_HEADER, NOT_MODIFIED_RESPONSE } from "../../http/operation.ts";
import { type ApiRoute, toApiRoute } from "./api-route.ts";

const rpcErrorSchema = z
  .looseObject({
    code: schema.integer("A JSON-RPC or protocol error code."),
    message: schema.text("The problem and how to fix it."),
  })
  .describe("The error.");

const rpcIdSchema = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .describe("The id of the request; null if it is unknown.");

const rpcErrorResponseSchema = z
  .looseObject({ jsonrpc: z.literal("2.0"), id: rpcIdSchema, error: rpcErrorSchema })
  .meta({ id: "RpcRefusal", description: "A JSON-RPC 2.0 error response." });

const rpcResponseSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: rpcIdSchema,
    result: z.unknown().optional().describe("The result of the method."),
    error: rpcErrorSchema.optional(),
  })
  .meta({ id: "RpcAnswer", description: "A JSON-RPC 2.0 response." });

const RPC_CONTENT = {
  "application/json": { schema: rpcResponseSchema },
  "text/event-stream": { schema: z.string() },
};

const agentCardSchema = z
  .looseObject({
    name: schema.text("The name of the service."),
    version: schema.text("The version of the service."),
  })
  .meta({ id: "AgentCard", description: "An agent card with the fields of A2A 1.0 and 0.3." });

const rpcRequestSchema = z.looseObject({
  jsonrpc: z.literal("2.0").describe("The JSON-RPC version."),
  id: z
    .union([z.string(), z.number()])
    .optional()
    .describe("The id of the request, which the response repeats. Absent in notifications."),
  method: z.string().min(1).describe("The name of the method."),
  params: z.looseObject({}).optional().describe("The parameters of the method."),
});

/** The routes of other protocols. They are not endpoints, because they validate requests themselves. */
export const PROTOCOL_ROUTES: readonly ApiRoute[] = [
  toApiRoute("POST", "/mcp", {
    operationId: "speakMcp",
    tag: "Service",
    summary: "Send a Model Context Protocol message",
    description:
      "The [Model Context Protocol](https://modelcontextprotocol.io) over Streamable HTTP, without sessions. A key bound to an agent can use exactly the tools granted to that agent; the key's scopes determine which task tools are available. `/mcp/` is an alias. Use an MCP client instead of this operation.",
    access: "key",
    headers: {
      "MCP-Protocol-Version": {
        description: "The protocol version of the client.",
        example: "2025-11-25",
      },
    },
    body: rpcRequestSchema,
    responses: [
      { status: 200, description: "The response.", content: RPC_CONTENT },
      { status: 202, description: "A notification was accepted." },
    ],
    protocolErrors: {
      description: "An MCP error.",
      schema: rpcErrorResponseSchema,
      statuses: [400, 401, 404, 405, 406, 413, 414, 415, 429, 500, 503],
    },
  }),
  toApiRoute("POST", "/a2a", {
    operationId: "speakA2a",
    tag: "Service",
    summary: "Send an A2A message over JSON-RPC",
    description:
      "The JSON-RPC binding of [A2A](https://a2a-protocol.org) 1.0 and 0.3, for the same tasks as the REST API. A request without `A2A-Version` uses version 0.3. The paths of the 1.0 REST binding begin with `/a2a/v1`. `/a2a/` is an alias. Use an A2A client instead of this operation.",
    access: "key",
    headers: {
      "A2A-Version": { description: "The protocol version of the client.", example: "1.0" },
    },
    body: rpcRequestSchema,
    responses: [
      {
        status: 200,
        description:
          "The response, or a stream of responses for a streaming method. Method errors also have this status.",
        content: RPC_CONTENT,
      },
    ],
    protocolErrors: {
      description: "An A2A error.",
      schema: rpcErrorResponseSchema,
      statuses: [401, 405, 413, 429, 500, 503],
    },
  }),
  toApiRoute("GET", "/.well-known/agent-card.json", {
    operationId: "getAgentCard",
    tag: "Service",
    summary: "Read the A2A agent card",
    description: "Describes the service to A2A clients, including the URLs of its bindings.",
    access: "public",
    headers: IF_NONE_MATCH_HEADER,
    responses: [
      {
        status: 200,
        description: "The card.",
        content: { "application/json": { schema: agentCardSchema } },
        headers: {
          ETag: "Changes whenever the card changes.",
          "Cache-Control": "How long the card may be cached.",
        },
      },
      NOT_MODIFIED_RESPONSE,
    ],
  }),
];
