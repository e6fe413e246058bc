import { defineOperation, respond } from "../../http/operation.ts";
import {
  capabilitiesQuery,
  capabilityListSchema,
  capabilitySchema,
} from "../capability-schemas.ts";
import * as schemas from "../tool-schemas.ts";

export const catalogueOperations = {
  /** GET /agents/tools */
  listTools: defineOperation({
    operationId: "listTools",
    tag: "Tools",
    scope: "tools:read",
    query: schemas.listToolsQuery,
    summary: "List and search tools",
    description: `A page of the catalogue, in order of registration. Filters may be combined; a tool must pass all of them.

A key bound to an agent or a team sees only the tools that its agents were granted.`,
    responses: [respond(200, "The page; empty if nothing matches.", schemas.toolListSchema)],
  }),

  /** GET /agents/tools/:id */
  getTool: defineOperation({
    operationId: "getTool",
    tag: "Tools",
    scope: "tools:read",
    summary: "Read a tool",
    description: `What a tool is for, what it can do and takes, its rate limit and price, and who may use it.

It shows the first hundred capabilities, or as many as two million characters of parameters hold; \`totalCapabilities\` is their number, and \`GET /agents/tools/{id}/capabilities\` pages through all. Only keys with \`tools:manage\` see the tool's address and how its requests are made. Secrets are never shown.

Every tool except built-in ones, which cannot be changed, has an \`ETag\` for \`If-Match\` of a change.`,
    responses: [respond(200, "The tool.", schemas.toolSchema)],
  }),

  /** GET /agents/tools/:id/capabilities */
  listCapabilities: defineOperation({
    operationId: "listCapabilities",
    tag: "Tools",
    scope: "tools:read",
    query: capabilitiesQuery,
    summary: "List and search the capabilities of a tool",
    description:
      "A page of what one tool can do, in the tool's own order. Imported tools may have thousands of capabilities: search for the few that are wanted. A page of very large capabilities ends early, so continue at `nextOffset` until it is null.",
    responses: [respond(200, "The page; empty if nothing matches.", capabilityListSchema)],
  }),

  /** GET /agents/tools/:id/capabilities/:capability */
  getCapability: defineOperation({
    operationId: "getCapability",
    tag: "Tools",
    scope: "tools:read",
    summary: "Read a capability",
    description: "What a capability does, and each of its parameters with its JSON Schema.",
    responses: [respond(200, "The capability.", capabilitySchema)],
  }),

  /** POST /agents/tools */
  registerTool: defineOperation({
    operationId: "registerTool",
    tag: "Tools",
    scope: "tools:manage",
    body: schemas.registerToolBody,
    summary: "Register a tool by hand",
    description: `Adds a new tool to the catalogue: an HTTP API, request by request, or a remote MCP server, tool by tool. An API with an OpenAPI document, or an MCP server, is easier to import.

\`request\` of a capability defines how its parameters become an HTTP request, and which part of the response is the result. The guard checks every address before anything is stored. No agent may use the tool until it is granted; keys that are not bound to an agent or a team may invoke it at once.

The response lists all problems. The ids \`access\` and \`import\` are reserved, and ids of retired tools are not given again.`,
    responses: [
      respond(201, "The tool is in the catalogue, at version 1.", schemas.registeredToolSchema, {
        headers: { Location: "The address of the tool: `/agents/tools/{id}`, as a whole URL." },
      }),
    ],
    errorCodes: ["TOOL_EXISTS"],
  }),

  /** PATCH /agents/tools/:id */
  updateTool: defineOperation({
    operationId: "updateTool",
    tag: "Tools",
    scope: "tools:manage",
    body: schemas.changeToolBody,
    summary: "Change a tool",
    description: `Changes the fields that are given; of \`connector\` what is given of it, \`capabilities\` as a whole. \`version\` rises by one, unless nothing is different.

A tool with a new origin loses its credentials, because they were not meant for it. The circuit breaker closes. A connector of another type requires its capabilities in the same request. Built-in tools follow the release and cannot be changed.

Without \`If-Match\`, a change applies to the current version; with it, only to the version that was read.`,
    responses: [
      respond(200, "The tool as it is now, and what is different.", schemas.changedToolSchema),
    ],
    errorCodes: ["TOOL_BUILT_IN"],
  }),

  /** DELETE /agents/tools/:id */
  retireTool: defineOperation({
    operationId: "retireTool",
    tag: "Tools",
    scope: "tools:manage",
    summary: "Retire a tool",
    description:
      "Removes a tool from the catalogue permanently and deletes its credentials. From then on it returns 404; its usage can still be read, and its id is not reused, because tasks and grants name it.",
    responses: [respond(200, "It is retired.", schemas.retiredToolSchema)],
    errorCodes: ["TOOL_BUILT_IN"],
  }),
};
