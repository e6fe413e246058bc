import type { ApiOperations } from "../api-operation.ts";
import { CAPABILITY_EXAMPLE, CAPABILITY_LIST_EXAMPLE } from "../examples/harbour.ts";
import { TOOL_EXAMPLE, TOOL_LIST_EXAMPLE } from "../examples/tool.ts";
import { capabilitySchema, capabilityListSchema } from "../schemas/capability.ts";
import { toolSchema, toolListSchema } from "../schemas/tool.ts";

const TOOL_ID_PARAMETER = { description: "The tool's id.", example: "harbour" };

/** Looking at the catalogue. */
export const toolCatalogueOperations: ApiOperations = {
  "GET /agents/tools": {
    operationId: "listTools",
    tag: "Tools",
    summary: "List and search tools",
    description: `A page of the catalogue, in order of registration. Filters may be combined; a tool must pass all of them.

A key bound to an agent or a team sees the tools that its agents were granted, and no other.`,
    parameters: {
      category: { description: "Only tools of this category.", example: "data" },
      agentId: {
        description:
          "Only tools that this agent may use. An agent that nobody knows, or that the key may not see, has none: the page is empty.",
        example: "data-analyst",
      },
      search: {
        description: "Only tools whose name or description holds this text, in whatever case.",
        example: "CSV",
      },
      limit: { description: "Tools on one page.", example: 20 },
      offset: { description: "Tools to skip: those of the pages before.", example: 0 },
    },
    responses: [
      {
        status: 200,
        description: "The page; empty when nothing matches.",
        data: toolListSchema,
        example: TOOL_LIST_EXAMPLE,
      },
    ],
    errorCodes: [],
  },
  "GET /agents/tools/:id": {
    operationId: "getTool",
    tag: "Tools",
    summary: "Look at one tool",
    description: `What a tool is for, what it can do and takes, its rate limit and price, and who may use it.

It shows the first hundred capabilities, or as many as two million characters of parameters hold; \`totalCapabilities\` tells how many there are, and \`GET /agents/tools/{id}/capabilities\` pages through all. Where the tool goes and how its requests are made is shown to keys with \`tools:manage\` alone. Secrets are shown to nobody.

All but built-in tools, which nobody can change, come with an \`ETag\` for \`If-Match\` of a change.`,
    parameters: { id: TOOL_ID_PARAMETER },
    responses: [{ status: 200, description: "The tool.", data: toolSchema, example: TOOL_EXAMPLE }],
    errorCodes: ["TOOL_NOT_FOUND"],
  },
  "GET /agents/tools/:id/capabilities": {
    operationId: "listCapabilities",
    tag: "Tools",
    summary: "List and search the capabilities of a tool",
    description:
      "A page of what one tool can do, in the tool's own order. Imported tools may have thousands of capabilities: search for the few that are wanted. A page of very large ones ends early, so go on at `nextOffset` until it is null.",
    parameters: {
      id: TOOL_ID_PARAMETER,
      search: {
        description:
          "Only capabilities whose id, name or description holds this text, in whatever case.",
        example: "berth",
      },
      limit: { description: "Capabilities on one page, at most.", example: 1 },
      offset: {
        description: "Capabilities to skip: `nextOffset` of the page before.",
        example: 0,
      },
    },
    responses: [
      {
        status: 200,
        description: "The page; empty when nothing matches.",
        data: capabilityListSchema,
        example: CAPABILITY_LIST_EXAMPLE,
      },
    ],
    errorCodes: ["TOOL_NOT_FOUND"],
  },
  "GET /agents/tools/:id/capabilities/:capability": {
    operationId: "getCapability",
    tag: "Tools",
    summary: "Look at one capability",
    description: "What a capability does, and each of its parameters with its JSON Schema.",
    parameters: {
      id: TOOL_ID_PARAMETER,
      capability: { description: "The capability's id.", example: "getTides" },
    },
    responses: [
      {
        status: 200,
        description: "The capability.",
        data: capabilitySchema,
        example: CAPABILITY_EXAMPLE,
      },
    ],
    errorCodes: ["TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND"],
  },
};
