import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../import/schemas.ts";

export const importOperations = {
  /** POST /agents/tools/import */
  importTool: defineOperation({
    operationId: "importTool",
    tag: "Tools",
    scope: "tools:manage",
    body: schemas.importToolBody,
    streamsProgress: true,
    summary: "Import an OpenAPI document or an MCP server",
    description: `Makes one tool of an API or an MCP server; each operation, or remote tool, becomes a capability with its parameters and their JSON Schemas. Give \`openapi\` or \`mcp\`. OpenAPI may be 3.0, 3.1 or 3.2, in JSON or YAML.

**Again** with the same id and kind of source, it updates the tool. Name, description, authentication and capabilities follow the source, unless the request gives them; category, rate limit, price, headers, timeout and grants keep their values, and so do \`only\` and \`openapi.baseUrl\` unless the request sets them. \`version\` increases with each change. A tool with new origins loses its credentials.

**All or nothing**: the source is validated first and then written in one transaction. Unsupported parts, such as XML bodies, are omitted and listed in \`notes\`; invalid input is rejected. The guard checks every address. A document at a URL may have 16 MiB and is fetched within 30 seconds.

**As a stream**: with \`Accept: text/event-stream\` the answer is 200 at once, and its progress comes as events. Its last event is the result: the response without a stream, including errors.`,
    headers: {
      Accept: {
        description: "`text/event-stream` for the answer as a stream of its progress.",
        example: "text/event-stream",
      },
    },
    responses: [
      respond(
        200,
        "The tool was updated or already up to date; with `dryRun`, what would change. Also every streamed response.",
        schemas.importedToolSchema,
        { content: { "text/event-stream": { schema: schemas.importStreamSchema } } },
      ),
      respond(201, "A new tool is in the catalogue, at version 1.", schemas.importedToolSchema, {
        headers: { Location: "The URL of the tool: `/agents/tools/{id}`." },
      }),
    ],
    errorCodes: [
      "TOOL_EXISTS",
      "TOOL_BUILT_IN",
      "TOOL_CREDENTIALS_REQUIRED",
      "TOOL_UPSTREAM_ERROR",
      "TOOL_TIMEOUT",
    ],
  }),
};
