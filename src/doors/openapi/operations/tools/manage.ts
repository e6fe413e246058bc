import type { Operations } from "../../operation.ts";
import { CHANGED_TOOL, REGISTERED_TOOL } from "../../examples/tool.ts";
import { changedTool, retiredTool, wholeTool } from "../../schemas/tool.ts";
import {
  AUTHENTICATION_FIELDS,
  CAPABILITY_FIELDS,
  CONNECTOR_FIELDS,
  TERM_FIELDS,
} from "./fields.ts";

/** Registering, changing and retiring tools. */
export const manageOperations: Operations = {
  "POST /agents/tools": {
    operationId: "registerTool",
    tag: "Tools",
    summary: "Register a tool by hand",
    description: `Puts a new tool into the catalogue: an HTTP API, request by request, or a remote MCP server, tool by tool. Whatever has an OpenAPI document or speaks MCP is easier to import.

\`request\` of a capability says how its parameters become an HTTP request, and which part of the answer is the result. Every address is judged by the guard before anything is stored. Nobody may use the tool until it is granted; keys that are not bound to an agent or a team may invoke it at once.

All mistakes are told together. The ids \`access\` and \`import\` are reserved, and ids of retired tools are not given again.`,
    fields: {
      id: "The tool's id: it stays as it is for ever.",
      name: "Its name, for people to read.",
      description: "What it is for. Language models read it, too.",
      documentation: "Where its own documentation lies: a URL, or empty.",
      ...AUTHENTICATION_FIELDS,
      connector: "How the tool reaches the system behind it.",
      ...CONNECTOR_FIELDS,
      capabilities:
        "What it can do. Those of an `http` tool have `request`, those of an `mcp` tool `tool`.",
      ...CAPABILITY_FIELDS,
      ...TERM_FIELDS,
    },
    bodyExample: {
      id: "tides",
      name: "Tides",
      category: "data",
      connector: { type: "http", baseUrl: "https://harbour.example.com" },
      rateLimit: { requests: 60, period: "minute" },
      pricing: { free: 100, overage: 0.01 },
      capabilities: [
        {
          id: "turns",
          parameters: [
            { name: "harbour", type: "string", required: true },
            {
              name: "day",
              type: "string",
              required: true,
              schema: { type: "string", format: "date" },
            },
          ],
          request: {
            method: "GET",
            path: "/harbours/{harbour}/tides",
            query: { date: { parameter: "day" } },
            result: "$.tides[*].at",
          },
        },
      ],
    },
    answers: [
      {
        status: 201,
        description: "The tool is in the catalogue, at version 1.",
        data: wholeTool,
        example: REGISTERED_TOOL,
        headers: { Location: "Where the tool lies: `/agents/tools/{id}`, as a whole URL." },
      },
    ],
    codes: ["TOOL_EXISTS"],
  },
  "PATCH /agents/tools/:id": {
    operationId: "updateTool",
    tag: "Tools",
    summary: "Change a tool",
    description: `Changes the fields that are given; of \`connector\` what is given of it, \`capabilities\` as a whole. \`version\` rises by one, unless nothing is different.

A tool that goes to another origin afterwards loses its credentials, as they were not meant for it. A tool that rested after failures need not rest any longer. A connector of another type wants its capabilities along. Built-in tools follow the release and cannot be changed.

Without \`If-Match\` a change is applied to whatever the one before has left; with it, only to the version that was read.`,
    parameters: { id: { description: "The tool's id.", example: "tides" } },
    fields: {
      name: "Its name, for people to read.",
      description: "What it is for.",
      documentation: "Where its own documentation lies: a URL, or empty.",
      ...AUTHENTICATION_FIELDS,
      connector: "What changes of how it reaches its system; all of it where its type changes.",
      ...CONNECTOR_FIELDS,
      capabilities: "All that it can do from now on: what is not among them is gone.",
      ...CAPABILITY_FIELDS,
      ...TERM_FIELDS,
    },
    bodyExample: {
      description: "Times of high and low water.",
      pricing: { free: 500, overage: 0.01 },
    },
    answers: [
      {
        status: 200,
        description: "The tool as it is now, and what is different.",
        data: changedTool,
        example: CHANGED_TOOL,
      },
    ],
    codes: ["TOOL_NOT_FOUND", "TOOL_BUILT_IN"],
  },
  "DELETE /agents/tools/:id": {
    operationId: "retireTool",
    tag: "Tools",
    summary: "Retire a tool",
    description:
      "Takes a tool out of the catalogue for good, and deletes its credentials. From then on it answers 404; its usage can still be read, and its id is not given again, as tasks and grants name it.",
    parameters: { id: { description: "The tool's id.", example: "tides" } },
    answers: [
      {
        status: 200,
        description: "It is retired.",
        data: retiredTool,
        example: { id: "tides", retired: true },
      },
    ],
    codes: ["TOOL_NOT_FOUND", "TOOL_BUILT_IN"],
  },
};
