import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../schemas.ts";
import * as schema from "../../http/schemas.ts";
import { importedToolSchema } from "../tool-schemas.ts";
import { CREDENTIAL_FIELDS } from "../credentials/operations.ts";
import { TERM_FIELDS } from "./catalogue.ts";

const importStreamSchema = schema.text(
  `Server-Sent Events. \`progress\` has \`{"done": …, "total": …}\`, the operations read so far and in all, every fifty of them; the last event is \`result\` or \`error\`, whose data is the same envelope as without a stream.`,
);

/** POST /agents/tools/import */
export const importTool = defineOperation({
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
  fields: {
    id: "The tool's id: of a new one, or of one that an earlier import made.",
    openapi: "An OpenAPI document. Give this or `mcp`.",
    "openapi.url": "Its URL. Give this or `document`.",
    "openapi.document":
      "The document itself: an object, or JSON or YAML as text, within the 1 MiB of a body. Give this or `url`.",
    "openapi.baseUrl": "Where the API is, if the document states another address.",
    mcp: "An MCP server that speaks streamable HTTP. Give this or `openapi`.",
    "mcp.url": "Its address.",
    "mcp.headers": "Headers for every request to it. No secrets: they go into `credentials`.",
    credentials:
      "An API key for an MCP server that lists its tools only with a key; stored with the tool. All other credentials are put with `PUT /agents/tools/{id}/credentials`.",
    ...Object.fromEntries(
      Object.entries(CREDENTIAL_FIELDS).map(([path, text]) => [`credentials.${path}`, text]),
    ),
    only: "The part to import: operations with any of these tags or names. `all` imports everything again.",
    "only.tags": "Tags of operations in OpenAPI. MCP has none.",
    "only.names": "Ids of operations in OpenAPI, names of tools in MCP.",
    name: "The tool's name, instead of the name in the source.",
    description: "What it is for, instead of the description in the source.",
    ...TERM_FIELDS,
    dryRun: "Whether to return the result without writing anything.",
  },
  fieldsLike: { "": "RegisteredTool" },
  responses: [
    respond(
      200,
      "The tool was updated or already up to date; with `dryRun`, what would change. Also every streamed response.",
      importedToolSchema,
      { content: { "text/event-stream": { schema: importStreamSchema } } },
    ),
    respond(201, "A new tool is in the catalogue, at version 1.", importedToolSchema, {
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
});
