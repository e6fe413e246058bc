import * as z from "zod";
import { EXECUTOR_TYPES } from "../domain/agent.ts";
import {
  CONCURRENT_TASKS_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  ID_CHARACTERS_MAX,
  LIST_ITEMS_MAX,
  SEARCH_CHARACTERS_MAX,
} from "../domain/limits.ts";
import { displayName } from "../http/body.ts";
import { agentIdentifier } from "../http/identifier.ts";
import { pageQuery } from "../http/query.ts";
import { executorBody } from "./executor-wire.ts";

const named = z.string().min(1).max(ID_CHARACTERS_MAX);
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX);
const skills = z.array(displayName).max(LIST_ITEMS_MAX).transform(withoutRepeats);
const teams = z.array(named).max(LIST_ITEMS_MAX).transform(withoutRepeats);
const maxConcurrentTasks = z.int().min(1).max(CONCURRENT_TASKS_MAX).nullable();

/** Query of GET /agents. */
export const listAgentsQuery = z.object({
  teamId: named.optional(),
  executor: z.enum(EXECUTOR_TYPES).optional(),
  enabled: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
  search: z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional(),
  ...pageQuery,
});

/** Body of POST /agents. What is left open of name, description and skills, an A2A agent's card says. */
export const registerBody = z.strictObject({
  id: agentIdentifier,
  name: displayName.optional(),
  description: description.optional(),
  skills: skills.optional(),
  teams: teams.default([]),
  enabled: z.boolean().default(true),
  executor: executorBody.default({ type: "builtin" }),
  maxConcurrentTasks: maxConcurrentTasks.default(null),
  requireReview: z.boolean().default(false),
  requireTask: z.boolean().default(false),
});
export type RegisterBody = z.output<typeof registerBody>;

/** Body of PATCH /agents/:agentId: each field that is given is replaced. */
export const changeBody = z
  .strictObject({
    name: displayName.optional(),
    description: description.optional(),
    skills: skills.optional(),
    teams: teams.optional(),
    enabled: z.boolean().optional(),
    executor: executorBody.optional(),
    maxConcurrentTasks: maxConcurrentTasks.optional(),
    requireReview: z.boolean().optional(),
    requireTask: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ChangeBody = z.output<typeof changeBody>;

function withoutRepeats(list: readonly string[]): string[] {
  return [...new Set(list)];
}
