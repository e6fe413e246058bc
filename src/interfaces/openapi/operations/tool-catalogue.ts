import { defineOperations, respond } from "../api-operation.ts";
import { capabilitySchema, capabilityListSchema } from "../schemas/capability.ts";
import { toolSchema, toolListSchema } from "../schemas/tool.ts";

/** The operations that read the catalogue. */
export const toolCatalogueOperations = defineOperations("Tools", {
  "GET /agents/tools": {
    operationId: "listTools",
    summary: "List and search tools",
    description: `A page of the catalogue, in order of registration. Filters may be combined; a tool must pass all of them.

A key bound to an agent or a team sees the tools that its agents were granted, and no other.`,
    parameters: {
      category: "Only tools of this category.",
      agentId:
        "Only tools that this agent may use. An agent that is unknown, or that the key may not see, has none: the page is empty.",
      search: "Only tools whose name or description holds this text, in whatever case.",
      limit: "Tools on one page.",
      offset: "Tools to skip: those of the pages before.",
    },
    responses: [respond(200, "The page; empty when nothing matches.", toolListSchema)],
  },
  "GET /agents/tools/:id": {
    operationId: "getTool",
    summary: "Read a tool",
    description: `What a tool is for, what it can do and takes, its rate limit and price, and who may use it.

It shows the first hundred capabilities, or as many as two million characters of parameters hold; \`totalCapabilities\` is their number, and \`GET /agents/tools/{id}/capabilities\` pages through all. Only keys with \`tools:manage\` see the tool's address and how its requests are made. Secrets are never shown.

All but built-in tools, which nobody can change, come with an \`ETag\` for \`If-Match\` of a change.`,
    responses: [respond(200, "The tool.", toolSchema)],
  },
  "GET /agents/tools/:id/capabilities": {
    operationId: "listCapabilities",
    summary: "List and search the capabilities of a tool",
    description:
      "A page of what one tool can do, in the tool's own order. Imported tools may have thousands of capabilities: search for the few that are wanted. A page of very large ones ends early, so go on at `nextOffset` until it is null.",
    parameters: {
      search: "Only capabilities whose id, name or description holds this text, in whatever case.",
      limit: "Capabilities on one page, at most.",
      offset: "Capabilities to skip: `nextOffset` of the page before.",
    },
    responses: [respond(200, "The page; empty when nothing matches.", capabilityListSchema)],
  },
  "GET /agents/tools/:id/capabilities/:capability": {
    operationId: "getCapability",
    summary: "Read a capability",
    description: "What a capability does, and each of its parameters with its JSON Schema.",
    responses: [respond(200, "The capability.", capabilitySchema)],
  },
});
