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
import { noProgressBody, noProgressSchema, pauseSchema } from "./pause-schemas.ts";

/** Query parameters of GET /agents. */
export const listAgentsQuery = z.object({
  teamId: idText.optional().describe("Only members of this team. An unknown team has no members."),
  executor: z.enum(EXECUTOR_TYPES).optional().describe("Only agents with this executor type."),
  enabled: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional()
    .describe("Only enabled agents (`true`) or only disabled agents (`false`)."),
  search: searchText.describe(
    "Only agents whose id, name or description contains this text; case-insensitive.",
  ),
  ...pageQueryOf("Agents"),
});

const NAME_DESCRIPTION = "Display name.";
const description = schema.text("What the agent is good at; can be empty.");
const SKILLS_DESCRIPTION =
  "The agent's skills, such as `counting words`. For a task whose text mentions a skill, agents with that skill are preferred.";
const CONCURRENT_TASKS_DESCRIPTION =
  "Maximum number of concurrent tasks; others wait in the agent's queue. Null means unlimited.";

/** Fields that the request bodies of POST and PATCH share. */
const agentFields = {
  name: displayName.describe(NAME_DESCRIPTION),
  description: description.max(DESCRIPTION_CHARACTERS_MAX),
  skills: schema
    .list(displayName, SKILLS_DESCRIPTION)
    .max(LIST_ITEMS_MAX)
    .transform(removeDuplicates),
  teams: schema
    .list(idText, "Ids of the agent's teams, which must exist.")
    .max(LIST_ITEMS_MAX)
    .transform(removeDuplicates),
  enabled: schema.flag(
    "Whether the agent takes tasks. If false, tasks waiting for the agent return to `pending`, and the agent can make no more calls, claims, steps or turns.",
  ),
  executor: executorBody.describe("How the agent carries out tasks."),
  maxConcurrentTasks: z
    .int()
    .min(1)
    .max(CONCURRENT_TASKS_MAX)
    .nullable()
    .describe(CONCURRENT_TASKS_DESCRIPTION),
  requireReview: schema.flag(
    "Whether a person must approve the agent's work before a task is completed.",
  ),
  requireTask: schema.flag(
    "Whether the agent's tool calls must be made under a task; other calls return 403 `TASK_REQUIRED`. Recommended for workers whose tasks have budgets.",
  ),
  noProgress: noProgressBody,
};

/** Request body of POST /agents. An A2A agent's card supplies an omitted name, description or skills. */
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
  noProgress: agentFields.noProgress.prefault({}),
});
export type RegisterAgentBody = z.output<typeof registerAgentBody>;

/** Request body of PATCH /agents/:agentId. The fields it contains are replaced. */
export const changeAgentBody = z
  .strictObject(agentFields)
  .partial()
  .refine((body) => Object.keys(body).length > 0, { error: "must set at least one field" })
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
  teams: schema.textList("Ids of the agent's teams, in ascending order."),
  enabled: schema.flag("Whether the agent can take tasks, call tools and continue its work."),
  maxConcurrentTasks: z.int().min(1).nullable().describe(CONCURRENT_TASKS_DESCRIPTION),
  requireReview: agentFields.requireReview,
  requireTask: schema.optional.literal(
    true,
    "Present if the agent's tool calls must be made under a task.",
  ),
  noProgress: noProgressSchema,
  paused: pauseSchema,
  executor: executorSchema,
  rating: schema
    .component("Rating", "Ratings of the agent's work; absent if there are none.", {
      mean: z.number().min(1).max(5).describe("Mean rating, 1 to 5."),
      count: z.int().min(1).describe("Number of ratings."),
    })
    .optional(),
  createdAt: schema.instant("When the agent was registered."),
  createdBy: schema.createdBy(
    "registered the agent or last changed its executor (for the root key, only its type, provider or address)",
  ),
});
export type AgentResponse = schema.ResponseOf<typeof agentSchema>;

const presenceFields = {
  lastSeenAt: schema.optional.instant(
    "For worker agents: when a key bound to the agent was last used, for example for a claim, a heartbeat or a report; accurate to ten minutes. When you read a single agent, claims with other keys also count. Absent if unknown, and for other agents.",
  ),
  online: schema.optional.flag(
    "For worker agents: whether `lastSeenAt` is within the last eleven minutes. When you read a single agent, also true while one of its workers holds a task, because a lease ends unless the worker sends heartbeats. Absent for other agents.",
  ),
};

/** An agent in a list. */
const listedAgentSchema = schema.component("ListedAgent", "An agent, as listed.", {
  ...agentSchema.shape,
  ...presenceFields,
});
export type ListedAgentResponse = schema.ResponseOf<typeof listedAgentSchema>;

const workerSchema = schema.component(
  "AgentWorker",
  "A process that claims the agent's tasks, identified by its key and its name.",
  {
    name: schema.optional.text(
      "The name in its claims; absent if the worker has no name, or if an earlier release recorded the claim.",
    ),
    keyId: schema.optional.text(
      "The id of the key that it claims with; absent for the root key and after the key has ended.",
    ),
    lastSeenAt: schema.optional.instant(
      "The time of its last claim; absent if the queue was reloaded since then.",
    ),
    waiting: schema.flag("Whether a claim of the worker is waiting for a task."),
    taskIds: schema.textList(
      "Ids of the tasks that it holds, at most 100. GET of a task shows its lease.",
    ),
  },
);

export const agentDetailSchema = schema.component("AgentDetail", "An agent and its queue.", {
  ...agentSchema.shape,
  lastUsedAt: schema.optional.instant(
    "When the agent's newest task was created; absent if it has none or the directory does not respond within a second.",
  ),
  queue: schema
    .component(
      "QueueStanding",
      "The state of the agent's queue. Present only for worker agents and agents with `maxConcurrentTasks`, and only if the queue responds within a second.",
      {
        waiting: schema.count("Number of tasks waiting for a slot or a worker."),
        running: schema.count("Number of tasks that occupy a slot."),
      },
    )
    .optional(),
  ...presenceFields,
  workers: schema
    .list(
      workerSchema,
      "The workers that the queue knows, most recently seen first, at most 100. Present only for worker agents, and only if the queue responds within a second.",
    )
    .optional(),
});
export type AgentWorkerResponse = schema.ResponseOf<typeof workerSchema>;

export const agentListSchema = schema.component("AgentList", "One page of agents.", {
  agents: schema.list(listedAgentSchema, "The agents on the page, ordered by id."),
  total: z.int().min(0).max(10_000).describe("Number of matches, counted up to 10,000."),
  totalExact: schema.flag("False if there are more matches than `total`, which stops at 10,000."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested offset."),
});

export const deletedAgentSchema = schema.component("DeletedAgent", null, {
  id: schema.text("The agent's id, which cannot be reused."),
  deleted: z.literal(true).describe("The agent was deleted."),
});
