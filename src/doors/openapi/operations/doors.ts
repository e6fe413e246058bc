import * as z from "zod";
import type { Operations } from "../operation.ts";
import { IF_NONE_MATCH, UNCHANGED } from "../unchanged.ts";

const rpcError = z
  .looseObject({
    code: z.int().meta({ description: "A code of JSON-RPC, or of the protocol." }),
    message: z.string().meta({ description: "What went wrong and what to do." }),
  })
  .meta({ description: "What went wrong." });

const id = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .meta({ description: "The id of the request; null where it cannot be known." });

const rpcRefusal = z
  .looseObject({ jsonrpc: z.literal("2.0"), id, error: rpcError })
  .meta({ id: "RpcRefusal", description: "A refusal in JSON-RPC 2.0." });

const rpcAnswer = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id,
    result: z.unknown().optional().meta({ description: "What the method gives." }),
    error: rpcError.optional(),
  })
  .meta({ id: "RpcAnswer", description: "An answer in JSON-RPC 2.0." });

const agentCard = z
  .looseObject({
    name: z.string().meta({ description: "The name of the service." }),
    version: z.string().meta({ description: "Its release." }),
  })
  .meta({ id: "AgentCard", description: "An agent card as A2A 1.0 has it." });

const FIELDS = {
  jsonrpc: "The version of JSON-RPC.",
  id: "What the answer repeats; left out of notifications, which get none.",
  method: "What is to be done.",
  params: "What the method takes.",
};

/** The ways in that speak another protocol; the protocol's own documents say the rest. */
export const doorOperations: Operations = {
  "POST /mcp": {
    operationId: "speakMcp",
    tag: "Service",
    summary: "Speak the Model Context Protocol",
    description:
      "The [Model Context Protocol](https://modelcontextprotocol.io) over streamable HTTP, without sessions. A key that is bound to an agent has exactly what the agent was granted as tools; the task tools are there as far as the key's scopes allow. `/mcp/` is an alias. Use a client of MCP rather than this operation.",
    access: "key",
    headers: {
      "MCP-Protocol-Version": {
        description: "The revision that the client speaks.",
        example: "2025-11-25",
      },
    },
    fields: FIELDS,
    bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    answers: [
      {
        status: 200,
        description: "The answer.",
        content: {
          "application/json": { schema: rpcAnswer },
          "text/event-stream": { schema: z.string() },
        },
      },
      { status: 202, description: "A notification was taken." },
    ],
    codes: [],
    refusals: { description: "A refusal, in the form of MCP.", schema: rpcRefusal },
  },
  "POST /a2a": {
    operationId: "speakA2a",
    tag: "Service",
    summary: "Speak A2A by JSON-RPC",
    description:
      "[A2A](https://a2a-protocol.org) 1.0 in its JSON-RPC binding, over the same tasks. Its REST binding lies below `/a2a/v1`. `/a2a/` is an alias. Use a client of A2A rather than this operation.",
    access: "key",
    headers: {
      "A2A-Version": { description: "The version that the client speaks.", example: "1.0" },
    },
    fields: FIELDS,
    bodyExample: { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} },
    answers: [
      {
        status: 200,
        description:
          "The answer; of a method that streams, a stream of them. Failures of methods come here too.",
        content: {
          "application/json": { schema: rpcAnswer },
          "text/event-stream": { schema: z.string() },
        },
      },
    ],
    codes: [],
    refusals: { description: "A refusal, in the form of A2A.", schema: rpcRefusal },
  },
  "GET /.well-known/agent-card.json": {
    operationId: "getAgentCard",
    tag: "Service",
    summary: "Read the agent card of A2A",
    description: "Says to clients of A2A what this service does, and where its bindings are.",
    access: "public",
    headers: IF_NONE_MATCH,
    answers: [
      {
        status: 200,
        description: "The card.",
        content: { "application/json": { schema: agentCard } },
        headers: { ETag: "Changes with the card.", "Cache-Control": "How long it may be kept." },
      },
      UNCHANGED,
    ],
    codes: [],
  },
};
