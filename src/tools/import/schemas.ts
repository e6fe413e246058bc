import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { displayName, jsonObject } from "../../http/validation.ts";
import { LIST_ITEMS_MAX, URL_BYTES_MAX } from "../../kernel/limits.ts";
import { baseUrlSchema, constantHeadersSchema } from "../connectors/schemas.ts";
import { credentialBody } from "../credentials/schemas.ts";
import { descriptionText, nameText, termFields, toolIdText } from "../tool-field-schemas.ts";
import { registeredToolSchema, toolChangesSchema } from "../tool-schemas.ts";

const urlText = z.string().min(1).max(URL_BYTES_MAX);
const names = z.array(nameText).min(1).max(LIST_ITEMS_MAX).optional();

const selection = z
  .strictObject({
    tags: names.describe("OpenAPI operation tags. MCP has no tags."),
    names: names.describe("OpenAPI operation ids, MCP tool names or capability ids."),
  })
  .refine(({ tags, names: some }) => tags !== undefined || some !== undefined, {
    error: "must contain tags or names",
  })
  .meta({ minProperties: 1 });

/** The body of POST /agents/tools/import, with either `openapi` or `mcp`. */
export const importToolBody = z
  .strictObject({
    id: toolIdText.describe("The id of a new tool, or of a tool from an earlier import."),
    openapi: z
      .strictObject({
        url: urlText.optional().describe("The document's URL. Set either this or `document`."),
        document: z
          .union([z.string().min(1), jsonObject])
          .optional()
          .describe(
            "The document itself: an object, or a string that contains JSON or YAML. It counts towards the 1 MiB limit on the request body. Set either this or `url`.",
          ),
        baseUrl: baseUrlSchema
          .optional()
          .describe("The API's base URL, if it differs from the document's."),
      })
      .refine(({ url, document }) => (url === undefined) !== (document === undefined), {
        error: "must contain either url or document",
      })
      .optional()
      .describe("An OpenAPI document. Set either this or `mcp`."),
    mcp: z
      .strictObject({
        url: urlText.describe("The URL of the server."),
        headers: constantHeadersSchema
          .default({})
          .describe(
            "Headers sent with every request to the server. Secrets are not allowed here; put them in `credentials`.",
          ),
      })
      .optional()
      .describe("An MCP server (Streamable HTTP). Set either this or `openapi`."),
    credentials: credentialBody
      .optional()
      .describe(
        "An API key for an MCP server that requires one to list its tools. The key is stored with the tool. Set all other credentials with `PUT /agents/tools/{id}/credentials`.",
      ),
    only: z
      .union([z.literal("all"), selection], {
        error: 'must be {"tags": […]}, {"names": […]} or "all"',
      })
      .optional()
      .describe(
        "What to import: operations or MCP tools with any of the given tags or names, or `all`. If omitted, the selection of the previous import is used again; a first import includes everything.",
      ),
    name: displayName.optional().describe("The tool's name. Replaces the name in the source."),
    description: descriptionText
      .optional()
      .describe("The tool's purpose. Replaces the description in the source."),
    ...z.object(termFields).partial().shape,
    dryRun: z
      .boolean()
      .default(false)
      .describe("Whether to return the result without writing anything."),
  })
  .refine(({ openapi, mcp }) => (openapi === undefined) !== (mcp === undefined), {
    path: ["openapi"],
    error: "or mcp is required, but not both",
  })
  .refine(({ mcp, credentials }) => credentials === undefined || mcp !== undefined, {
    path: ["credentials"],
    error: "must be omitted with openapi; set credentials with PUT /agents/tools/:id/credentials",
  })
  .refine(({ credentials }) => credentials === undefined || credentials.type === "api-key", {
    path: ["credentials", "type"],
    error: "must be api-key; set other credentials with PUT /agents/tools/:id/credentials",
  });
export type ImportToolBody = z.output<typeof importToolBody>;

/** The response of POST /agents/tools/import. */
export const importedToolSchema = schema.component(
  "ImportedTool",
  "The result of an import. With `dryRun`, the result that the import would have.",
  {
    dryRun: schema.flag("Whether this was a dry run, which writes nothing."),
    changes: toolChangesSchema,
    notes: schema.textList(
      "What was omitted or interpreted differently, and why. Each note is one sentence.",
    ),
    tool: registeredToolSchema,
  },
);

/** The response as a stream. */
export const importStreamSchema = schema.text(
  `Server-Sent Events. A \`progress\` event is sent after every fifty operations or every page of MCP tools, with the number read so far and the total: \`{"done": …, "total": …}\`. The last event is \`result\` or \`error\`, with the same envelope as the ordinary response.`,
);
