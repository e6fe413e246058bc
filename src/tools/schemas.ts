import * as z from "zod";
import { ID_CHARACTERS_MAX, LIST_ITEMS_MAX, SEARCH_CHARACTERS_MAX } from "../kernel/limits.ts";
import { USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from "./limits.ts";
import { CATEGORIES, PROFICIENCIES } from "./model/tool.ts";
import { agentIdentifier, jsonObject } from "../http/schemas.ts";
import { pageQuery, queryInteger } from "../http/query.ts";

const nameSchema = z.string().min(1).max(ID_CHARACTERS_MAX);

/** Query of GET /agents/tools. */
export const listToolsQuery = z.object({
  category: z.enum(CATEGORIES).optional(),
  agentId: nameSchema.optional(),
  search: z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional(),
  ...pageQuery,
});

/** Body of POST /agents/tools/:id/invoke. */
export const invokeBody = z.strictObject({
  capability: nameSchema,
  parameters: jsonObject,
  agentId: nameSchema.optional(),
  /** The task whose budget pays for the call. */
  taskId: nameSchema.optional(),
});

/** Query of GET /agents/tools/:id/capabilities. */
export const capabilitiesQuery = z.object({
  search: z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional(),
  ...pageQuery,
});

/** Query of GET /agents/tools/:id/usage. */
export const usageQuery = z.object({
  days: queryInteger(1, USAGE_DAYS_MAX).default(USAGE_DAYS_DEFAULT),
});

/** Body of POST /agents/tools/access. */
export const grantBody = z.strictObject({
  agentId: agentIdentifier,
  toolId: nameSchema,
  proficiency: z.enum(PROFICIENCIES).default("intermediate"),
  capabilities: z.array(nameSchema).min(1).max(LIST_ITEMS_MAX).optional(),
});
