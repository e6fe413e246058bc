import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { IF_NONE_MATCH_HEADER, NOT_MODIFIED_RESPONSE } from "../../http/operation.ts";
import { type ApiRoute, toApiRoute } from "./api-route.ts";

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

const RPC_CONTENT = {
  "application/json": { schema: rpcResponseSchema },
  "text/event-stream": { schema: z.string() },
};

const agentCardSchema = z
  .looseObject({
    name: schema.text("The name of the service."),
    version: schema.text("Its release."),
  })
  .meta({ id: "AgentCard", description: "An agent card with the fields of A2A 1.0 and 0.3." });

const rpcRequestSchema = z.looseObject({
  jsonrpc: z.literal("2.0").describe("The version of JSON-RPC."),
  id: z
    .union([z.string(), z.number()])
    .optional()
    .describe("What the answer repeats; left out of notifications, which get none."),
  method: z.string().min(1).describe("What is to be done."),
  params: z.looseObject({}).optional().describe("What the method takes."),
});

/** The routes of other protocols. They are not endpoints, because they check their requests themselves. */
export const PROTOCOL_ROUTES: readonly ApiRoute[] = [
  toApiRoute("POST", "/mcp", {
    operationId: "speakMcp",
    tag: "Service",
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
    body: rpcRequestSchema,
    responses: [
      { status: 200, description: "The answer.", content: RPC_CONTENT },
      { status: 202, description: "A notification was accepted." },
    ],
    protocolErrors: {
      description: "An error in the form of MCP.",
      schema: rpcErrorResponseSchema,
      statuses: [400, 401, 404, 405, 406, 413, 414, 415, 429, 500, 503],
    },
  }),
  toApiRoute("POST", "/a2a", {
    operationId: "speakA2a",
    tag: "Service",
    summary: "Send a message of A2A by JSON-RPC",
    description:
      "[A2A](https://a2a-protocol.org) 1.0 and 0.3 in the JSON-RPC binding, over the same tasks. A request without `A2A-Version` is one of 0.3. The paths of the REST binding of 1.0 begin with `/a2a/v1`. `/a2a/` is an alias. Use a client of A2A rather than this operation.",
    access: "key",
    headers: {
      "A2A-Version": { description: "The version that the client speaks.", example: "1.0" },
    },
    body: rpcRequestSchema,
    responses: [
      {
        status: 200,
        description:
          "The answer; of a method that streams, a stream of them. Failures of methods come here too.",
        content: RPC_CONTENT,
      },
    ],
    protocolErrors: {
      description: "An error in the form of A2A.",
      schema: rpcErrorResponseSchema,
      statuses: [401, 405, 413, 429, 500, 503],
    },
  }),
  toApiRoute("GET", "/.well-known/agent-card.json", {
    operationId: "getAgentCard",
    tag: "Service",
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
  }),
];
