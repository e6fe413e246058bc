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
    tags: names.describe("Tags of operations in OpenAPI. MCP has none."),
    names: names.describe("Ids of operations in OpenAPI, names of tools in MCP."),
  })
  .refine(({ tags, names: some }) => tags !== undefined || some !== undefined, {
    error: "must contain tags or names",
  })
  .meta({ minProperties: 1 });

/** Body of POST /agents/tools/import: exactly one of `openapi` and `mcp`. */
export const importToolBody = z
  .strictObject({
    id: toolIdText.describe("The id of a new tool, or of a tool from an earlier import."),
    openapi: z
      .strictObject({
        url: urlText.optional().describe("The URL of the document. Give this or `document`."),
        document: z
          .union([z.string().min(1), jsonObject])
          .optional()
          .describe(
            "The document itself: an object, or JSON or YAML as text, within the 1 MiB of a body. Give this or `url`.",
          ),
        baseUrl: baseUrlSchema
          .optional()
          .describe("The API's base URL, if it differs from the document's."),
      })
      .refine(({ url, document }) => (url === undefined) !== (document === undefined), {
        error: "must contain either url or document",
      })
      .optional()
      .describe("An OpenAPI document. Give this or `mcp`."),
    mcp: z
      .strictObject({
        url: urlText.describe("The URL of the server."),
        headers: constantHeadersSchema
          .default({})
          .describe(
            "Headers of every request to the server. Secrets are not allowed: put them into `credentials`.",
          ),
      })
      .optional()
      .describe("An MCP server (streamable HTTP). Give this or `openapi`."),
    credentials: credentialBody
      .optional()
      .describe(
        "An API key for an MCP server that lists its tools only with a key; stored with the tool. Set all other credentials with `PUT /agents/tools/{id}/credentials`.",
      ),
    only: z
      .union([z.literal("all"), selection], {
        error: 'must be {"tags": […]}, {"names": […]}, or "all" to import everything again',
      })
      .optional()
      .describe(
        "The part to import: operations with any of these tags or names. `all` imports everything again.",
      ),
    name: displayName.optional().describe("The tool's name, instead of the name in the source."),
    description: descriptionText
      .optional()
      .describe("The tool's purpose, instead of the description in the source."),
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
    error: "must be omitted with openapi; set them with PUT /agents/tools/:id/credentials",
  })
  .refine(({ credentials }) => credentials === undefined || credentials.type === "api-key", {
    path: ["credentials", "type"],
    error: "must be api-key; set others with PUT /agents/tools/:id/credentials",
  });
export type ImportToolBody = z.output<typeof importToolBody>;

/** The response of POST /agents/tools/import. */
export const importedToolSchema = schema.component(
  "ImportedTool",
  "The result of an import, or with `dryRun` the result that it would have.",
  {
    dryRun: schema.flag("Whether nothing was written."),
    changes: toolChangesSchema,
    notes: schema.textList(
      "What was omitted or interpreted differently, and why: one sentence each.",
    ),
    tool: registeredToolSchema,
  },
);

/** The response as a stream. */
export const importStreamSchema = schema.text(
  `Server-Sent Events. \`progress\` has \`{"done": …, "total": …}\`, the operations read so far and in total, after every fifty; the last event is \`result\` or \`error\`, with the same envelope as without a stream.`,
);
