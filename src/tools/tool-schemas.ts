import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { pageQueryOf, searchText } from "../http/validation.ts";
import { proficiencySchema } from "./access-schemas.ts";
import { capabilitiesBody, capabilitySchema } from "./capability-schemas.ts";
import {
  connectorBody,
  connectorChangeBody,
  connectorSchema,
  connectorTypeSchema,
} from "./connectors/schemas.ts";
import { CATEGORIES, DEFAULT_TOOL_TERMS } from "./model/tool.ts";
import {
  authenticationType,
  categorySchema,
  descriptionText,
  nameText,
  termFields,
  toolFields,
  toolFieldSchemas,
  toolIdText,
} from "./tool-field-schemas.ts";

export const listToolsQuery = z.object({
  category: z.enum(CATEGORIES).optional().describe("Only tools in this category."),
  agentId: nameText
    .optional()
    .describe(
      "Only tools that this agent may use. The page is empty for an agent that is unknown or not visible to the key.",
    ),
  credentials: z
    .enum(["missing", "unconnected"])
    .optional()
    .describe(
      "Only tools that cannot authenticate to the system behind them: `missing` for tools that need credentials and have none, `unconnected` for tools whose OAuth grant is missing, expired or revoked. Requires a key with `tools:manage`.",
    ),
  search: searchText.describe(
    "Only tools whose name or description contains this text, ignoring case.",
  ),
  ...pageQueryOf("Tools"),
});

export const registerToolBody = z.strictObject({
  id: toolIdText.describe("The tool's id, which never changes."),
  name: toolFields.name,
  description: descriptionText
    .default("")
    .describe("The tool's purpose. Language models also read it."),
  documentation: toolFields.documentation.default(""),
  authentication: toolFields.authentication.default({ type: "none", scopes: [] }),
  connector: connectorBody.describe("How the tool reaches the system behind it."),
  capabilities: capabilitiesBody.describe(
    "The tool's capabilities. Those of an `http` tool have `request`; those of an `mcp` tool have `tool`.",
  ),
  category: termFields.category.default(DEFAULT_TOOL_TERMS.category),
  rateLimit: termFields.rateLimit.default(DEFAULT_TOOL_TERMS.rateLimit),
  pricing: termFields.pricing.default(DEFAULT_TOOL_TERMS.pricing),
});
export type RegisterToolBody = z.output<typeof registerToolBody>;

/** Body of PATCH /agents/tools/:id. `connector` is merged; `capabilities` are replaced. */
export const changeToolBody = z
  .strictObject({
    name: toolFields.name,
    description: descriptionText.describe("The tool's purpose."),
    documentation: toolFields.documentation,
    authentication: toolFields.authentication,
    connector: connectorChangeBody.describe(
      "The connector fields to change, or the whole connector if its type changes.",
    ),
    capabilities: capabilitiesBody.describe(
      "The complete list of capabilities. Capabilities that are not in it are removed.",
    ),
    ...termFields,
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, { error: "must set at least one field" })
  .meta({ minProperties: 1 });
export type ChangeToolBody = z.output<typeof changeToolBody>;

export const toolSchema = schema.component("Tool", "A tool in the catalogue.", {
  ...toolFieldSchemas,
  connector: z
    .union([connectorSchema, connectorTypeSchema])
    .describe("The complete connector for keys with `tools:manage`, otherwise only its type."),
  capabilities: schema.list(
    capabilitySchema,
    "The first hundred capabilities, or fewer if they are very large. GET …/capabilities pages through all of them.",
  ),
  agents: schema.list(
    schema.component("ToolAgent", "An agent that may use the tool.", {
      agentId: schema.text("The agent's id."),
      proficiency: proficiencySchema,
    }),
    "The agents that may use the tool, sorted by id. A bound key sees only those that it acts for.",
  ),
});
export type ToolResponse = schema.ResponseOf<typeof toolSchema>;

/** The response to POST /agents/tools, which is also part of the response to an import. */
export const registeredToolSchema = toolSchema
  .omit({ agents: true })
  .extend({ connector: connectorSchema })
  .meta({
    id: "RegisteredTool",
    description: "A tool as returned after it is registered or imported.",
  });
export type RegisteredToolResponse = schema.ResponseOf<typeof registeredToolSchema>;

export const toolChangesSchema = schema.component(
  "ToolChanges",
  "The effect of a change or an import on a tool.",
  {
    fields: schema.textList("Names of the tool's own fields that changed; empty for a new tool."),
    added: schema.textList("Ids of new capabilities."),
    changed: schema.textList("Ids of changed capabilities."),
    moved: schema.textList("Ids of unchanged capabilities at another position in the list."),
    removed: schema.textList("Ids of removed capabilities."),
    unchanged: schema.count("The number of unchanged capabilities."),
    newOrigins: schema.textList(
      "New origins that the tool sends requests to. If there are any, the tool's credentials were removed, because they were not meant for these origins.",
    ),
  },
);

const termChangesSchema = toolChangesSchema.pick({ fields: true, newOrigins: true }).meta({
  id: "ToolTermChanges",
  description: "The effect on a tool of a change that does not contain capabilities.",
});

export const changedToolSchema = toolSchema
  .extend({
    connector: connectorSchema,
    changes: z
      .union([toolChangesSchema, termChangesSchema])
      .describe("What changed. Capabilities are listed if the request contains any."),
  })
  .meta({ id: "ChangedTool", description: "A tool after a change, with its changes." });
export type ChangedToolResponse = schema.ResponseOf<typeof changedToolSchema>;

const { id, name, description, documentation } = toolSchema.shape;

export const retiredToolSchema = schema.component("RetiredTool", null, {
  id,
  retired: z.literal(true).describe("The tool was retired."),
});

const listedToolSchema = schema.component("ListedTool", "A tool in a list.", {
  id,
  name,
  category: categorySchema,
  description,
  capabilities: schema.textList("Ids of all of the tool's capabilities, in order."),
  agents: schema.textList(
    "Ids of the agents that may use the tool. A bound key sees only those that it acts for.",
  ),
  authentication: authenticationType,
  documentation,
});

export const toolListSchema = schema.component("ToolList", "One page of the catalogue.", {
  tools: schema.list(listedToolSchema, "The tools on the page, in order of registration."),
  total: z.int().min(0).max(10_000).describe("Number of matches, counted up to 10,000."),
  totalExact: schema.flag("False if there are more matches than `total`, which is at most 10,000."),
  categories: schema.list(
    categorySchema,
    "All six categories, regardless of what the page contains.",
  ),
});
