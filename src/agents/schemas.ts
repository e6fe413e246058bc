import * as z from "zod";
import { CONCURRENT_TASKS_MAX } from "./limits.ts";
import { DESCRIPTION_CHARACTERS_MAX, LIST_ITEMS_MAX } from "../kernel/limits.ts";
import {
  pageQueryOf,
  agentIdentifier,
  displayName,
  idText,
  searchText,
} from "../http/validation.ts";
import * as schema from "../http/schemas.ts";
import { EXECUTOR_TYPES } from "./model/agent.ts";
import { executorBody, executorSchema } from "./executor-schemas.ts";

/** Query of GET /agents. */
export const listAgentsQuery = z.object({
  teamId: idText.optional().describe("Only members of this team; none for an unknown team."),
  executor: z.enum(EXECUTOR_TYPES).optional().describe("Only agents that work in this way."),
  enabled: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional()
    .describe("Only agents that take tasks, or that do not."),
  search: searchText.describe(
    "Only agents whose id, name or description contains this text; case-insensitive.",
  ),
  ...pageQueryOf("Agents"),
});

const NAME_DESCRIPTION = "Its name, for people to read.";
const description = schema.text("What it is good at; may be empty.");
const SKILLS_DESCRIPTION =
  "Words for what it can do, such as `counting words`; tasks that name them are given to it first.";
const CONCURRENT_TASKS_DESCRIPTION =
  "Tasks that it works on at once, the others wait in its queue; null: unlimited.";

/** The fields of both bodies. */
const agentFields = {
  name: displayName.describe(NAME_DESCRIPTION),
  description: description.max(DESCRIPTION_CHARACTERS_MAX),
  skills: schema
    .list(displayName, SKILLS_DESCRIPTION)
    .max(LIST_ITEMS_MAX)
    .transform(removeDuplicates),
  teams: schema
    .list(idText, "Ids of the teams that it belongs to; they must exist.")
    .max(LIST_ITEMS_MAX)
    .transform(removeDuplicates),
  enabled: schema.flag(
    "Whether it takes tasks. If it is disabled, tasks that wait for it return to `pending`, and it makes no further call, claim, step or turn.",
  ),
  executor: executorBody.describe("How it carries out tasks."),
  maxConcurrentTasks: z
    .int()
    .min(1)
    .max(CONCURRENT_TASKS_MAX)
    .nullable()
    .describe(CONCURRENT_TASKS_DESCRIPTION),
  requireReview: schema.flag("Whether people approve its work before a task is completed."),
  requireTask: schema.flag(
    "Whether its tool calls must be made under a task; other calls get 403 `TASK_REQUIRED`. Recommended for workers whose tasks have budgets.",
  ),
};

/** Body of POST /agents. An A2A agent's card provides omitted names, descriptions and skills. */
export const registerAgentBody = z.strictObject({
  id: agentIdentifier.describe("The agent's id, which never changes."),
  name: agentFields.name.optional(),
  description: agentFields.description.optional(),
  skills: agentFields.skills.optional(),
  teams: agentFields.teams.default([]),
  enabled: agentFields.enabled.default(true),
  executor: agentFields.executor.default({ type: "builtin" }),
  maxConcurrentTasks: agentFields.maxConcurrentTasks.default(null),
  requireReview: agentFields.requireReview.default(false),
  requireTask: agentFields.requireTask.default(false),
});
export type RegisterAgentBody = z.output<typeof registerAgentBody>;

/** Body of PATCH /agents/:agentId: given fields are replaced. */
export const changeAgentBody = z
  .strictObject(agentFields)
  .partial()
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ChangeAgentBody = z.output<typeof changeAgentBody>;

function removeDuplicates(list: readonly string[]): string[] {
  return [...new Set(list)];
}

export const agentSchema = schema.component("Agent", "An agent that carries out tasks.", {
  id: schema.text("The agent's id.", "word-counter"),
  name: schema.text(NAME_DESCRIPTION),
  description,
  skills: schema.textList(SKILLS_DESCRIPTION),
  teams: schema.textList("Ids of its teams, in order."),
  enabled: schema.flag("Whether it takes tasks, calls tools and continues its work."),
  maxConcurrentTasks: z.int().min(1).nullable().describe(CONCURRENT_TASKS_DESCRIPTION),
  requireReview: agentFields.requireReview,
  requireTask: schema.optional.literal(
    true,
    "Its tool calls must be made under a task; absent otherwise.",
  ),
  executor: executorSchema,
  rating: schema
    .component("Rating", "The ratings of its work; absent if there are none.", {
      mean: z.number().min(1).max(5).describe("Mean of all ratings, 1 to 5."),
      count: z.int().min(1).describe("How many there are."),
    })
    .optional(),
  createdAt: schema.instant("When it entered the registry."),
  createdBy: schema.createdBy(
    "registered it or last changed its executor (the root key: only its type or address)",
  ),
});
export type AgentResponse = schema.ResponseOf<typeof agentSchema>;

export const agentDetailSchema = schema.component("AgentDetail", "An agent, with its queue.", {
  ...agentSchema.shape,
  lastUsedAt: schema.optional.instant("When its newest task was created; absent if it has none."),
  queue: schema
    .component(
      "QueueStanding",
      "The state of its queue; only of workers and agents with `maxConcurrentTasks`, and absent when the queue does not answer within a second.",
      {
        waiting: schema.count("Tasks that wait for a slot or a worker."),
        running: schema.count("Tasks that have one of its slots."),
      },
    )
    .optional(),
});

export const agentListSchema = schema.component("AgentList", "One page of the registry.", {
  agents: schema.list(agentSchema, "The page, by id."),
  total: z.int().min(0).max(10_000).describe("How many match, counted to 10,000."),
  totalExact: schema.flag("False if there are more than `total`, which stops at 10,000."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested number of skipped items."),
});

export const deletedAgentSchema = schema.component("DeletedAgent", null, {
  id: schema.text("The agent's id, which is not reused."),
  deleted: z.literal(true).describe("The agent was removed from the registry."),
});
