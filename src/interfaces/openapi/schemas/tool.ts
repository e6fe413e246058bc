import * as z from "zod";
import { PROFICIENCIES, RATE_PERIODS } from "../../../tools/model/tool.ts";
import { capabilitySchema } from "./capability.ts";
import {
  toolCategorySchema,
  connectorTypeSchema,
  importSourceSchema,
  connectorResponseSchema,
} from "./connector.ts";

const id = z.string().meta({ description: "The tool's id.", examples: ["table-analyst"] });
const name = z.string().meta({ description: "Its name, for people to read." });
const description = z.string().meta({ description: "What it is for; may be empty." });
const documentation = z
  .string()
  .meta({ description: "Where its own documentation lies: a URL, or empty." });
const authType = z.enum(["none", "oauth", "api-key"]).meta({
  description: "How the tool itself authenticates to the system behind it.",
});

export const proficiencySchema = z.enum(PROFICIENCIES).meta({
  id: "Proficiency",
  description: "How well an agent knows a tool, as whoever granted it says. It restricts nothing.",
});

/** What is the same wherever a whole tool is shown. */
const toolFieldSchemas = {
  id,
  name,
  category: toolCategorySchema.meta({ description: "The category that lists can be cut to." }),
  description,
  documentation,
  authentication: z
    .strictObject({
      type: authType,
      scopes: z
        .array(z.string())
        .meta({ description: "The OAuth scopes that it needs; empty for all else." }),
    })
    .meta({ id: "ToolAuthentication", description: "What the system behind the tool asks for." }),
  rateLimit: z
    .strictObject({
      requests: z.int().min(1).meta({ description: "Calls that one window has room for." }),
      period: z.enum(RATE_PERIODS).meta({ description: "Length of the window." }),
    })
    .meta({
      id: "RateLimit",
      description:
        "Counted exactly, for all agents together, in fixed windows that open with the first call. Failed and refused calls take no place.",
    }),
  pricing: z
    .strictObject({
      model: z.literal("usage").meta({ description: "Priced by the call." }),
      free: z.int().min(0).meta({
        description: "Calls without charge in each calendar month (UTC), all agents together.",
      }),
      overage: z
        .number()
        .min(0)
        .meta({ description: "Price of each further call, in US dollars." }),
    })
    .meta({ id: "Pricing", description: "What calls cost. Failed and refused ones cost nothing." }),
  version: z.int().min(1).meta({ description: "Rises by one with each change of the tool." }),
  source: importSourceSchema
    .meta({
      description:
        "What it was imported from; absent for tools registered by hand, built-in ones, and keys without `tools:manage`.",
    })
    .optional(),
  createdBy: z
    .string()
    .meta({
      description:
        "Id of the key that registered the tool or last changed its connector or credentials (unless the root key changed only the credentials), `root` for the root key; absent for older and built-in tools, and for keys without `tools:manage`.",
    })
    .optional(),
  totalCapabilities: z.int().min(0).meta({ description: "How many capabilities it has in all." }),
};

const firstCapabilities = z.array(capabilitySchema).meta({
  description:
    "The first hundred capabilities, fewer where they are very large. GET …/capabilities pages through all.",
});

const toolDetailFieldSchemas = {
  ...toolFieldSchemas,
  connector: z.union([connectorResponseSchema, connectorTypeSchema]).meta({
    description: "How it works: the whole for keys with `tools:manage`, else its type alone.",
  }),
  capabilities: firstCapabilities,
  agents: z
    .array(
      z
        .strictObject({
          agentId: z.string().meta({ description: "The agent's id." }),
          proficiency: proficiencySchema,
        })
        .meta({ id: "ToolAgent", description: "An agent that may use the tool." }),
    )
    .meta({
      description: "The agents that may use it, by id; a bound key sees only those it acts for.",
    }),
};

/** GET /agents/tools/:id. */
export const toolSchema = z
  .strictObject(toolDetailFieldSchemas)
  .meta({ id: "Tool", description: "A tool of the catalogue." });

/** Answer of POST /agents/tools, and part of that of an import. */
export const registeredToolSchema = z
  .strictObject({
    ...toolFieldSchemas,
    connector: connectorResponseSchema,
    capabilities: firstCapabilities,
  })
  .meta({ id: "RegisteredTool", description: "A tool as whoever has just registered it sees it." });

const ids = (text: string) => z.array(z.string()).meta({ description: text });

const changes = {
  fields: ids("Names of the tool's own fields that changed; empty for a new tool."),
  added: ids("Ids of capabilities that are new."),
  changed: ids("Ids of capabilities that are no longer the same."),
  moved: ids("Ids of capabilities that are the same at another place in the list."),
  removed: ids("Ids of capabilities that are gone."),
  unchanged: z.int().min(0).meta({ description: "How many capabilities stayed as they were." }),
  newOrigins: ids(
    "Origins that the tool goes to now and did not go to before. Where there is any, its credentials have been removed: they were not meant for it.",
  ),
};

const toolChanges = z
  .strictObject(changes)
  .meta({ id: "ToolChanges", description: "What a change or an import has made of a tool." });

const { fields, newOrigins } = changes;
const termChanges = z.strictObject({ fields, newOrigins }).meta({
  id: "ToolTermChanges",
  description: "What a change that gives no capabilities has made of a tool.",
});

/** Answer of PATCH /agents/tools/:id. */
export const changedToolSchema = z
  .strictObject({
    ...toolDetailFieldSchemas,
    connector: connectorResponseSchema,
    changes: z.union([toolChanges, termChanges]).meta({
      description: "What is different now. Capabilities are told of where the request gives any.",
    }),
  })
  .meta({ id: "ChangedTool", description: "A tool after a change, with what has changed." });

/** Answer of POST /agents/tools/import. */
export const importedToolSchema = z
  .strictObject({
    dryRun: z.boolean().meta({ description: "Whether nothing was written." }),
    changes: toolChanges,
    notes: z.array(z.string()).meta({
      description: "What was left out or understood in another way, and why: a sentence each.",
    }),
    tool: registeredToolSchema,
  })
  .meta({ id: "ImportedTool", description: "What an import made, or with `dryRun` would make." });

/** DELETE /agents/tools/:id. */
export const retiredToolSchema = z
  .strictObject({
    id,
    retired: z.literal(true).meta({ description: "It is out of the catalogue." }),
  })
  .meta({ id: "RetiredTool" });

const listedTool = z
  .strictObject({
    id,
    name,
    category: toolCategorySchema,
    description,
    capabilities: ids("Ids of all its capabilities, in order."),
    agents: ids("Ids of the agents that may use it; a bound key sees only those it acts for."),
    authentication: authType,
    documentation,
  })
  .meta({ id: "ListedTool", description: "A tool as lists show it." });

/** GET /agents/tools. */
export const toolListSchema = z
  .strictObject({
    tools: z.array(listedTool).meta({ description: "The page, in order of registration." }),
    total: z.int().min(0).max(10_000).meta({ description: "How many match, counted to 10,000." }),
    totalExact: z
      .boolean()
      .meta({ description: "False when there are more than `total` says: counting has an end." }),
    categories: z
      .array(toolCategorySchema)
      .meta({ description: "All six categories, whatever the page holds." }),
  })
  .meta({ id: "ToolList", description: "One page of the catalogue." });
