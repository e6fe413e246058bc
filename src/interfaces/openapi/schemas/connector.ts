import * as z from "zod";
import * as schema from "./common.ts";
import { CATEGORIES, type ImportSource } from "../../../tools/model/tool.ts";

export const toolCategorySchema = z.enum(CATEGORIES).meta({
  id: "ToolCategory",
  description: "The six categories of the catalogue.",
});

const credentialPlace = schema.component(
  "CredentialPlace",
  "Where the system behind a tool expects its credential. The secret is stored separately.",
  {
    in: z.enum(["header", "query"]).describe("The part of the request it goes into."),
    name: schema.text("Name of the header or the query parameter.", "X-Api-Key"),
    prefix: schema.text(
      "The text before the secret, with its space, such as `Bearer `; often empty.",
    ),
  },
);

const remote = {
  headers: z
    .record(z.string(), z.string())
    .describe(
      "Headers that are sent with every request. No secrets: set them with `PUT …/credentials`.",
    ),
  timeoutMs: z
    .int()
    .min(1)
    .describe("How long one call may take, in milliseconds: redirects and further tries included."),
  credential: credentialPlace
    .nullable()
    .describe("Where the credential goes; null if not specified."),
};

const builtinConnector = schema.component(
  "BuiltinConnector",
  "A tool that comes with the service.",
  { type: z.literal("builtin").describe("Runs inside the service.") },
);

const httpConnector = schema.component("HttpConnector", "A tool behind an HTTP API.", {
  type: z.literal("http").describe("Works by HTTP requests."),
  baseUrl: schema.text("Where the API is: paths are resolved below it."),
  ...remote,
});

const mcpConnector = schema.component("McpConnector", "A tool behind an MCP server.", {
  type: z.literal("mcp").describe("Works through a remote MCP server."),
  url: schema.text("Address of the MCP server (streamable HTTP)."),
  ...remote,
});

/** The connector for keys with `tools:manage`. */
export const connectorResponseSchema = z
  .discriminatedUnion("type", [builtinConnector, httpConnector, mcpConnector])
  .meta({ id: "Connector", description: "How a tool reaches the system behind it." });

/** The connector for all other keys. */
export const connectorTypeSchema = schema.component(
  "ConnectorType",
  "How a tool works, for keys that do not manage tools: nothing but its kind.",
  {
    type: z
      .enum(["builtin", "http", "mcp"])
      .describe("Whether the tool runs inside the service, behind an HTTP API or an MCP server."),
  },
);

const names = (description: string) => schema.textList(description).optional();

export const importSourceSchema = schema.component(
  "ImportSource",
  "What a tool was imported from; the same import again brings it up to date.",
  {
    type: z.enum(["openapi", "mcp"]).describe("What was imported."),
    url: z
      .string()
      .nullable()
      .describe("Where it was read; null for a document that came in the request itself."),
    only: z
      .strictObject({
        tags: names("Operations with any of these tags were taken."),
        names: names("Operations with any of these names were taken."),
      })
      .describe("The part that was taken; absent when it was the whole.")
      .optional(),
    baseUrl: schema.optional.text("Where the API is, if its document states another address."),
  } satisfies Record<keyof ImportSource, z.ZodType>,
);
