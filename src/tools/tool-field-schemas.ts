import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { displayName, identifier } from "../http/validation.ts";
import { DESCRIPTION_CHARACTERS_MAX, ID_CHARACTERS_MAX, LIST_ITEMS_MAX } from "../kernel/limits.ts";
import { CATEGORIES, type ImportSource, RATE_PERIODS, RESERVED_TOOL_IDS } from "./model/tool.ts";

export const nameText = z.string().min(1).max(ID_CHARACTERS_MAX);
export const descriptionText = z.string().max(DESCRIPTION_CHARACTERS_MAX);
export const toolIdText = identifier.refine((id) => !RESERVED_TOOL_IDS.includes(id), {
  error: `must not be one of the reserved words ${RESERVED_TOOL_IDS.join(", ")}`,
});

/** Descriptions of fields that are in both requests and responses. */
const MEANINGS = {
  name: "Display name.",
  documentation: "The URL of the tool's documentation, or empty.",
  category: "The category, by which lists can be filtered.",
  scopes: "The OAuth scopes that the tool needs; empty unless `type` is `oauth`.",
  requests: "The maximum number of calls in one window.",
  pricing: "The price of calls. Failed and rejected calls cost nothing.",
  free: "The number of free calls in each calendar month (UTC), for all agents together.",
  overage: "The price of each additional call, in US dollars.",
};
export const authenticationType = z
  .enum(["none", "oauth", "api-key"])
  .describe("How the tool itself authenticates to the system behind it.");
const ratePeriod = z
  .enum(RATE_PERIODS)
  .describe("Length of the window, which opens with the first call.");
const pricingModel = z.literal("usage").describe("Pricing per call, which is the only model.");

/** A tool's fields in request bodies. */
export const toolFields = {
  name: displayName.describe(MEANINGS.name),
  documentation: z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })], {
      error: "must be an http or https URL, or empty",
    })
    .describe(MEANINGS.documentation),
  authentication: z
    .strictObject({
      type: authenticationType,
      scopes: z.array(nameText).max(LIST_ITEMS_MAX).default([]).describe(MEANINGS.scopes),
    })
    .refine(({ type, scopes }) => type === "oauth" || scopes.length === 0, {
      path: ["scopes"],
      error: "must be empty, because only oauth has scopes",
    })
    .describe(
      "The authentication that the system behind the tool requires. Unless it is `none`, calls are rejected until the tool has credentials, except for `anonymous` requests.",
    ),
};

/** A tool's category, rate limit and pricing in request bodies. */
export const termFields = {
  category: z.enum(CATEGORIES).describe(MEANINGS.category),
  rateLimit: z
    .strictObject({
      requests: z.int().min(1).max(1e9).describe(MEANINGS.requests),
      period: ratePeriod,
    })
    .describe("The rate limit for all agents together."),
  pricing: z
    .strictObject({
      model: pricingModel.default("usage"),
      free: z.int().min(0).max(1e12).describe(MEANINGS.free),
      overage: z.number().min(0).max(1e6).describe(MEANINGS.overage),
    })
    .describe(MEANINGS.pricing),
};

export const categorySchema = z.enum(CATEGORIES).meta({
  id: "ToolCategory",
  description: "One of the six categories of the catalogue.",
});

const importSourceSchema = schema.component(
  "ImportSource",
  "Where a tool was imported from. Importing the same source again updates the tool.",
  {
    type: z.enum(["openapi", "mcp"]).describe("The kind of source."),
    url: z
      .string()
      .nullable()
      .describe("The URL of the source; null if the document was part of the request."),
    only: z
      .strictObject({
        tags: schema.optional.textList("Operations with any of these tags were imported."),
        names: schema.optional.textList(
          "Operations or MCP tools with any of these names were imported.",
        ),
      })
      .optional()
      .describe("The part that was imported; absent if everything was imported."),
    baseUrl: schema.optional.text("The API's base URL, if it differs from the document's."),
  } satisfies Record<keyof ImportSource, z.ZodType>,
);

/** The fields in every view of a complete tool. */
export const toolFieldSchemas = {
  id: schema.text("The tool's id.", "table-analyst"),
  name: schema.text(MEANINGS.name),
  category: categorySchema.describe(MEANINGS.category),
  description: schema.text("The tool's purpose; may be empty."),
  documentation: schema.text(MEANINGS.documentation),
  authentication: schema.component(
    "ToolAuthentication",
    "The authentication that the system behind the tool requires.",
    { type: authenticationType, scopes: schema.textList(MEANINGS.scopes) },
  ),
  rateLimit: schema.component(
    "RateLimit",
    "Counted exactly, for all agents together, in fixed windows that open with the first call. Failed and rejected calls do not count.",
    { requests: z.int().min(1).describe(MEANINGS.requests), period: ratePeriod },
  ),
  pricing: schema.component("Pricing", MEANINGS.pricing, {
    model: pricingModel,
    free: schema.count(MEANINGS.free),
    overage: z.number().min(0).describe(MEANINGS.overage),
  }),
  version: z.int().min(1).describe("Increases by one with each change to the tool."),
  source: importSourceSchema
    .optional()
    .describe(
      "The source of an imported tool; absent for other tools and for keys without `tools:manage`.",
    ),
  createdBy: schema.optional.text(
    "Id of the key that registered the tool or last changed its connector, origins or credentials (unless the root key changed only the credentials), or `root` for the root key; absent for older and built-in tools, and for keys without `tools:manage`.",
  ),
  totalCapabilities: schema.count("Total number of capabilities."),
};
