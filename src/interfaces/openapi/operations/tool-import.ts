import { defineOperations, respond } from "../api-operation.ts";
import * as schema from "../schemas/common.ts";
import { importedToolSchema } from "../schemas/tool.ts";
import { CREDENTIAL_FIELDS } from "./credentials.ts";
import { TERM_FIELDS } from "./tool-management.ts";

const importStreamSchema = schema.text(
  `Server-Sent Events. \`progress\` has \`{"done": …, "total": …}\`, the operations read so far and in all, every fifty of them; the last event is \`result\` or \`error\`, whose data is the very envelope that is answered without a stream.`,
);

/** The import of tools. */
export const toolImportOperations = defineOperations("Tools", {
  "POST /agents/tools/import": {
    operationId: "importTool",
    summary: "Import an OpenAPI document or an MCP server",
    description: `Makes one tool of an API or an MCP server; each operation, or remote tool, becomes a capability with its parameters and their JSON Schemas. Give \`openapi\` or \`mcp\`. OpenAPI may be 3.0, 3.1 or 3.2, in JSON or YAML.

**Again** with the same id and kind of source, it brings the tool up to date. Name, description, authentication and capabilities follow the source, unless the request gives them; category, rate limit, price, headers, timeout and grants stay as they were set, and so do \`only\` and \`openapi.baseUrl\` until others are given. \`version\` rises when anything is different. A tool that goes to new origins loses its credentials.

**All or nothing**: what is read is judged first and then written in one transaction. What the service cannot do, such as XML bodies, is left out and listed in \`notes\`; invalid input is rejected. Every address is judged by the guard. A document at a URL may have 16 MiB and is fetched within 30 seconds.

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
      "openapi.url": "Where it lies. Give this or `document`.",
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
      only: "The part that is taken: operations with any of these tags or names. `all` takes everything again.",
      "only.tags": "Tags of operations in OpenAPI. MCP has none.",
      "only.names": "Ids of operations in OpenAPI, names of tools in MCP.",
      name: "The tool's name, instead of the name in the source.",
      description: "What it is for, instead of the description in the source.",
      ...TERM_FIELDS,
      dryRun: "Whether to show what would be made, and write nothing.",
    },
    fieldsLike: { "": "RegisteredTool" },
    responses: [
      respond(
        200,
        "The tool was brought up to date, or was up to date already; or, with `dryRun`, what would be made. Also every answer that is a stream.",
        importedToolSchema,
        { content: { "text/event-stream": { schema: importStreamSchema } } },
      ),
      respond(201, "A new tool is in the catalogue, at version 1.", importedToolSchema, {
        headers: { Location: "Where the tool lies: `/agents/tools/{id}`, as a whole URL." },
      }),
    ],
    errorCodes: [
      "TOOL_EXISTS",
      "TOOL_BUILT_IN",
      "TOOL_CREDENTIALS_REQUIRED",
      "TOOL_UPSTREAM_ERROR",
      "TOOL_TIMEOUT",
    ],
  },
});
