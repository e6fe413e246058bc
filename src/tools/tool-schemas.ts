import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { CATEGORIES, type ImportSource, PROFICIENCIES, RATE_PERIODS } from "./model/tool.ts";
import { capabilitySchema } from "./capability-schemas.ts";

const toolCategorySchema = z.enum(CATEGORIES).meta({
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
const connectorResponseSchema = z
  .discriminatedUnion("type", [builtinConnector, httpConnector, mcpConnector])
  .meta({ id: "Connector", description: "How a tool reaches the system behind it." });

/** The connector for all other keys. */
const connectorTypeSchema = schema.component(
  "ConnectorType",
  "How a tool works, for keys that do not manage tools: only its type.",
  {
    type: z
      .enum(["builtin", "http", "mcp"])
      .describe("Whether the tool runs inside the service, behind an HTTP API or an MCP server."),
  },
);

const importSourceSchema = schema.component(
  "ImportSource",
  "What a tool was imported from; repeating the import updates it.",
  {
    type: z.enum(["openapi", "mcp"]).describe("What was imported."),
    url: z
      .string()
      .nullable()
      .describe("The URL it was read from; null for a document in the request itself."),
    only: z
      .strictObject({
        tags: schema.optional.textList("Operations with any of these tags were imported."),
        names: schema.optional.textList("Operations with any of these names were imported."),
      })
      .describe("The imported part; absent if everything was imported.")
      .optional(),
    baseUrl: schema.optional.text("Where the API is, if its document states another address."),
  } satisfies Record<keyof ImportSource, z.ZodType>,
);

const id = schema.text("The tool's id.", "table-analyst");
const name = schema.text("Its name, for people to read.");
const description = schema.text("What it is for; may be empty.");
const documentation = schema.text("The URL of its own documentation, or empty.");
const authType = z
  .enum(["none", "oauth", "api-key"])
  .describe("How the tool itself authenticates to the system behind it.");

export const proficiencySchema = z.enum(PROFICIENCIES).meta({
  id: "Proficiency",
  description: "How well an agent knows a tool, as stated in the grant. It restricts nothing.",
});

/** The fields that all views of a whole tool have. */
const toolFieldSchemas = {
  id,
  name,
  category: toolCategorySchema.describe("The category, by which lists can be filtered."),
  description,
  documentation,
  authentication: schema.component(
    "ToolAuthentication",
    "What the system behind the tool asks for.",
    {
      type: authType,
      scopes: schema.textList("The OAuth scopes that it needs; empty unless `type` is `oauth`."),
    },
  ),
  rateLimit: schema.component(
    "RateLimit",
    "Counted exactly, for all agents together, in fixed windows that open with the first call. Failed and rejected calls do not count.",
    {
      requests: z.int().min(1).describe("The maximum number of calls in one window."),
      period: z
        .enum(RATE_PERIODS)
        .describe("Length of the window, which opens with the first call."),
    },
  ),
  pricing: schema.component("Pricing", "What calls cost. Failed and rejected calls cost nothing.", {
    model: z.literal("usage").describe("Priced by the call; there is no other model."),
    free: schema.count("Calls without charge in each calendar month (UTC), all agents together."),
    overage: z.number().min(0).describe("Price of each further call, in US dollars."),
  }),
  version: z.int().min(1).describe("Rises by one with each change of the tool."),
  source: importSourceSchema
    .describe(
      "What it was imported from; absent for tools registered by hand, built-in ones, and keys without `tools:manage`.",
    )
    .optional(),
  createdBy: schema.optional.text(
    "Id of the key that registered the tool or last changed its connector or credentials (unless the root key changed only the credentials), `root` for the root key; absent for older and built-in tools, and for keys without `tools:manage`.",
  ),
  totalCapabilities: schema.count("How many capabilities it has in all."),
};

const firstCapabilities = schema.list(
  capabilitySchema,
  "The first hundred capabilities, fewer where they are very large. GET …/capabilities pages through all.",
);

const toolDetailFieldSchemas = {
  ...toolFieldSchemas,
  connector: z
    .union([connectorResponseSchema, connectorTypeSchema])
    .describe(
      "How it works: the complete connector for keys with `tools:manage`, otherwise only its type.",
    ),
  capabilities: firstCapabilities,
  agents: schema.list(
    schema.component("ToolAgent", "An agent that may use the tool.", {
      agentId: schema.text("The agent's id."),
      proficiency: proficiencySchema,
    }),
    "The agents that may use it, by id; a bound key sees only those it acts for.",
  ),
};

/** GET /agents/tools/:id. */
export const toolSchema = schema.component(
  "Tool",
  "A tool of the catalogue.",
  toolDetailFieldSchemas,
);

/** The response of POST /agents/tools, and a part of the response of an import. */
export const registeredToolSchema = schema.component(
  "RegisteredTool",
  "A tool as shown to the key that registered it.",
  { ...toolFieldSchemas, connector: connectorResponseSchema, capabilities: firstCapabilities },
);

const changes = {
  fields: schema.textList("Names of the tool's own fields that changed; empty for a new tool."),
  added: schema.textList("Ids of new capabilities."),
  changed: schema.textList("Ids of changed capabilities."),
  moved: schema.textList("Ids of unchanged capabilities at another position in the list."),
  removed: schema.textList("Ids of removed capabilities."),
  unchanged: schema.count("The number of unchanged capabilities."),
  newOrigins: schema.textList(
    "New origins of the tool. If there are any, its credentials were removed, because they were not meant for these origins.",
  ),
};

const toolChanges = schema.component(
  "ToolChanges",
  "What a change or an import has made of a tool.",
  changes,
);

const { fields, newOrigins } = changes;
const termChanges = schema.component(
  "ToolTermChanges",
  "What a change that gives no capabilities has made of a tool.",
  { fields, newOrigins },
);

/** The response of PATCH /agents/tools/:id. */
export const changedToolSchema = schema.component(
  "ChangedTool",
  "A tool after a change, with what has changed.",
  {
    ...toolDetailFieldSchemas,
    connector: connectorResponseSchema,
    changes: z
      .union([toolChanges, termChanges])
      .describe("What has changed. Capabilities are listed if the request contains any."),
  },
);

/** The response of POST /agents/tools/import. */
export const importedToolSchema = schema.component(
  "ImportedTool",
  "What an import made, or with `dryRun` would make.",
  {
    dryRun: schema.flag("Whether nothing was written."),
    changes: toolChanges,
    notes: schema.textList(
      "What was omitted or interpreted differently, and why: one sentence each.",
    ),
    tool: registeredToolSchema,
  },
);

/** DELETE /agents/tools/:id. */
export const retiredToolSchema = schema.component("RetiredTool", null, {
  id,
  retired: z.literal(true).describe("The tool was removed from the catalogue."),
});

const listedTool = schema.component("ListedTool", "A tool as lists show it.", {
  id,
  name,
  category: toolCategorySchema,
  description,
  capabilities: schema.textList("Ids of all its capabilities, in order."),
  agents: schema.textList(
    "Ids of the agents that may use it; a bound key sees only those it acts for.",
  ),
  authentication: authType,
  documentation,
});

/** GET /agents/tools. */
export const toolListSchema = schema.component("ToolList", "One page of the catalogue.", {
  tools: schema.list(listedTool, "The page, in order of registration."),
  total: z.int().min(0).max(10_000).describe("How many match, counted to 10,000."),
  totalExact: schema.flag("False if there are more than `total`, which stops at 10,000."),
  categories: schema.list(toolCategorySchema, "All six categories, regardless of the page."),
});
