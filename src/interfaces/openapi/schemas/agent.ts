import * as z from "zod";
import { MODEL_PROVIDERS } from "../../../agents/model/agent.ts";
import { createdBySchema, instantSchema } from "./common.ts";

const id = z.string().meta({ description: "The team's id.", examples: ["night-shift"] });
const name = z.string().meta({ description: "Its name, for people to read." });

export const teamSchema = z
  .strictObject({
    id,
    name,
    agents: z.array(z.string()).meta({ description: "Ids of its members, in order." }),
  })
  .meta({ id: "Team", description: "Agents that tasks can be given to together." });

/** GET /agents/teams. */
export const teamListSchema = z
  .strictObject({
    teams: z
      .array(
        z
          .strictObject({
            id,
            name,
            totalAgents: z.int().min(0).meta({ description: "How many members it has." }),
          })
          .meta({ id: "ListedTeam", description: "A team as lists show it." }),
      )
      .meta({ description: "The page, by id." }),
    total: z.int().min(0).meta({ description: "How many teams there are." }),
    limit: z.int().min(1).meta({ description: "The page's size, as asked for." }),
    offset: z.int().min(0).meta({ description: "How many were skipped, as asked for." }),
  })
  .meta({ id: "TeamList", description: "One page of the teams." });

/** DELETE /agents/teams/:teamId. */
export const deletedTeamSchema = z
  .strictObject({
    id,
    deleted: z.literal(true).meta({ description: "It is gone; its agents stay." }),
  })
  .meta({ id: "DeletedTeam" });

const hasApiKey = z
  .boolean()
  .meta({ description: "Whether a secret is kept for it. The secret is never shown." });

const price = (what: string) =>
  z
    .number()
    .min(0)
    .meta({ description: `US dollars for a million tokens that the model ${what}.` });

const model = z
  .strictObject({
    type: z.literal("model").meta({ description: "A language model." }),
    provider: z.enum(MODEL_PROVIDERS).meta({
      description:
        "The endpoint's protocol: OpenAI's chat completions, Anthropic's Messages API, Google's Gemini API, or Cloudflare's Workers AI.",
    }),
    model: z.string().meta({ description: "The model, as its provider names it." }),
    baseUrl: z
      .string()
      .meta({ description: "Where the endpoint's paths begin; absent for Workers AI." })
      .optional(),
    headerNames: z
      .array(z.string())
      .meta({
        description: "Names of the extra headers of each request. Their values are never shown.",
      })
      .optional(),
    instructions: z
      .string()
      .meta({ description: "What the model is told beside each task; absent when nothing." })
      .optional(),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .meta({ description: "Sampling temperature; absent to leave it to the model." })
      .optional(),
    prices: z
      .strictObject({ inputPerMillion: price("reads"), outputPerMillion: price("writes") })
      .meta({ id: "TokenPrices", description: "What its tokens cost." }),
    maxTurns: z
      .int()
      .min(1)
      .meta({ description: "Turns of one attempt; one that needs more fails." }),
    maxOutputTokens: z.int().min(1).meta({ description: "Tokens that it may write in one turn." }),
    hasApiKey,
  })
  .meta({
    id: "ModelExecutor",
    description: "A language model that works with its granted tools.",
  });

const a2a = z
  .strictObject({
    type: z.literal("a2a").meta({ description: "An agent elsewhere that speaks A2A 1.0." }),
    cardUrl: z.string().meta({ description: "Where its agent card lies." }),
    hasApiKey,
  })
  .meta({ id: "A2aExecutor", description: "An agent elsewhere." });

const builtin = z
  .strictObject({ type: z.literal("builtin").meta({ description: "The service itself." }) })
  .meta({ id: "BuiltinExecutor", description: "Works inside the service, without a model." });

const worker = z
  .strictObject({ type: z.literal("worker").meta({ description: "Processes of your own." }) })
  .meta({ id: "WorkerExecutor", description: "Processes that claim tasks over this API." });

const agentFieldSchemas = {
  id: z.string().meta({ description: "The agent's id.", examples: ["word-counter"] }),
  name: z.string().meta({ description: "Its name, for people to read." }),
  description: z.string().meta({ description: "What it is good at; may be empty." }),
  skills: z
    .array(z.string())
    .meta({ description: "Words for what it can do; tasks that name them are given to it first." }),
  teams: z.array(z.string()).meta({ description: "Ids of its teams, in order." }),
  enabled: z
    .boolean()
    .meta({ description: "Whether it takes tasks, calls tools and continues its work." }),
  maxConcurrentTasks: z.int().min(1).nullable().meta({
    description:
      "Tasks that it works on at once, the others wait in its queue; null for any number.",
  }),
  requireReview: z.boolean().meta({
    description: "Whether people approve its work before a task is completed.",
  }),
  requireTask: z
    .literal(true)
    .meta({ description: "Its tool calls must be made under a task; absent otherwise." })
    .optional(),
  executor: z
    .discriminatedUnion("type", [builtin, model, a2a, worker])
    .meta({ id: "Executor", description: "How an agent carries out tasks." }),
  rating: z
    .strictObject({
      mean: z.number().min(1).max(5).meta({ description: "Mean of all ratings, 1 to 5." }),
      count: z.int().min(1).meta({ description: "How many there are." }),
    })
    .meta({ id: "Rating", description: "What people said of its work; absent before anybody did." })
    .optional(),
  createdAt: instantSchema("When it entered the registry."),
  createdBy: createdBySchema(
    "registered it or last changed its executor (the root key: only its type or address)",
  ),
};

/** POST and PATCH, and items of lists. */
export const agentSchema = z
  .strictObject(agentFieldSchemas)
  .meta({ id: "Agent", description: "Somebody who carries out tasks." });

/** GET /agents/:agentId. */
export const agentDetailSchema = z
  .strictObject({
    ...agentFieldSchemas,
    lastUsedAt: instantSchema(
      "When its newest task was created; absent if it has none.",
    ).optional(),
    queue: z
      .strictObject({
        waiting: z.int().min(0).meta({ description: "Tasks that wait for a place or a worker." }),
        running: z.int().min(0).meta({ description: "Tasks that hold one of its places." }),
      })
      .meta({
        id: "QueueStanding",
        description:
          "How its queue stands; only of workers and agents with `maxConcurrentTasks`, and absent when the queue does not answer within a second.",
      })
      .optional(),
  })
  .meta({ id: "AgentDetail", description: "An agent, with its queue." });

/** GET /agents. */
export const agentListSchema = z
  .strictObject({
    agents: z.array(agentSchema).meta({ description: "The page, by id." }),
    total: z.int().min(0).max(10_000).meta({ description: "How many match, counted to 10,000." }),
    totalExact: z
      .boolean()
      .meta({ description: "False when there are more than `total` says: counting has an end." }),
    limit: z.int().min(1).meta({ description: "The page's size, as asked for." }),
    offset: z.int().min(0).meta({ description: "How many were skipped, as asked for." }),
  })
  .meta({ id: "AgentList", description: "One page of the registry." });

/** DELETE /agents/:agentId. */
export const deletedAgentSchema = z
  .strictObject({
    id: z.string().meta({ description: "The agent's id, which is free again." }),
    deleted: z.literal(true).meta({ description: "It is out of the registry." }),
  })
  .meta({ id: "DeletedAgent" });
