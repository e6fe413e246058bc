import * as z from "zod";
import { MODEL_PROVIDERS } from "../../../agents/model/agent.ts";
import {
  componentSchema,
  countSchema,
  createdBySchema,
  flagSchema,
  instantSchema,
  listSchema,
  textListSchema,
  textSchema,
} from "./common.ts";

const id = z.string().meta({ description: "The team's id.", examples: ["night-shift"] });
const name = textSchema("Its name, for people to read.");

export const teamSchema = componentSchema("Team", "Agents that tasks can be given to together.", {
  id,
  name,
  agents: textListSchema("Ids of its members, in order."),
});

/** GET /agents/teams. */
export const teamListSchema = componentSchema("TeamList", "One page of the teams.", {
  teams: listSchema(
    componentSchema("ListedTeam", "A team as lists show it.", {
      id,
      name,
      totalAgents: countSchema("How many members it has."),
    }),
    "The page, by id.",
  ),
  total: countSchema("How many teams there are."),
  limit: z.int().min(1).describe("The page's size, as asked for."),
  offset: countSchema("How many were skipped, as asked for."),
});

/** DELETE /agents/teams/:teamId. */
export const deletedTeamSchema = componentSchema("DeletedTeam", null, {
  id,
  deleted: z.literal(true).describe("It is gone; its agents stay."),
});

const hasApiKey = flagSchema("Whether a secret is kept for it. The secret is never shown.");

const price = (what: string) =>
  z.number().min(0).describe(`US dollars for a million tokens that the model ${what}.`);

const model = componentSchema(
  "ModelExecutor",
  "A language model that works with its granted tools.",
  {
    type: z.literal("model").describe("A language model."),
    provider: z
      .enum(MODEL_PROVIDERS)
      .describe(
        "The endpoint's protocol: OpenAI's chat completions, Anthropic's Messages API, Google's Gemini API, or Cloudflare's Workers AI.",
      ),
    model: textSchema("The model, as its provider names it."),
    baseUrl: textSchema("Where the endpoint's paths begin; absent for Workers AI.").optional(),
    headerNames: textListSchema(
      "Names of the extra headers of each request. Their values are never shown.",
    ).optional(),
    instructions: textSchema(
      "What the model is told beside each task; absent when nothing.",
    ).optional(),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .describe("Sampling temperature; absent to leave it to the model.")
      .optional(),
    prices: componentSchema("TokenPrices", "What its tokens cost.", {
      inputPerMillion: price("reads"),
      outputPerMillion: price("writes"),
    }),
    maxTurns: z.int().min(1).describe("Turns of one attempt; one that needs more fails."),
    maxOutputTokens: z.int().min(1).describe("Tokens that it may write in one turn."),
    hasApiKey,
  },
);

const a2a = componentSchema("A2aExecutor", "An agent elsewhere.", {
  type: z.literal("a2a").describe("An agent elsewhere that speaks A2A 1.0."),
  cardUrl: textSchema("Where its agent card lies."),
  hasApiKey,
});

const builtin = componentSchema("BuiltinExecutor", "Works inside the service, without a model.", {
  type: z.literal("builtin").describe("The service itself."),
});

const worker = componentSchema("WorkerExecutor", "Processes that claim tasks over this API.", {
  type: z.literal("worker").describe("Processes of your own."),
});

const agentFieldSchemas = {
  id: z.string().meta({ description: "The agent's id.", examples: ["word-counter"] }),
  name: textSchema("Its name, for people to read."),
  description: textSchema("What it is good at; may be empty."),
  skills: textListSchema("Words for what it can do; tasks that name them are given to it first."),
  teams: textListSchema("Ids of its teams, in order."),
  enabled: flagSchema("Whether it takes tasks, calls tools and continues its work."),
  maxConcurrentTasks: z
    .int()
    .min(1)
    .nullable()
    .describe("Tasks that it works on at once, the others wait in its queue; null for any number."),
  requireReview: flagSchema("Whether people approve its work before a task is completed."),
  requireTask: z
    .literal(true)
    .describe("Its tool calls must be made under a task; absent otherwise.")
    .optional(),
  executor: z
    .discriminatedUnion("type", [builtin, model, a2a, worker])
    .meta({ id: "Executor", description: "How an agent carries out tasks." }),
  rating: componentSchema("Rating", "What people said of its work; absent before anybody did.", {
    mean: z.number().min(1).max(5).describe("Mean of all ratings, 1 to 5."),
    count: z.int().min(1).describe("How many there are."),
  }).optional(),
  createdAt: instantSchema("When it entered the registry."),
  createdBy: createdBySchema(
    "registered it or last changed its executor (the root key: only its type or address)",
  ),
};

/** POST and PATCH, and items of lists. */
export const agentSchema = componentSchema(
  "Agent",
  "Somebody who carries out tasks.",
  agentFieldSchemas,
);

/** GET /agents/:agentId. */
export const agentDetailSchema = componentSchema("AgentDetail", "An agent, with its queue.", {
  ...agentFieldSchemas,
  lastUsedAt: instantSchema("When its newest task was created; absent if it has none.").optional(),
  queue: componentSchema(
    "QueueStanding",
    "How its queue stands; only of workers and agents with `maxConcurrentTasks`, and absent when the queue does not answer within a second.",
    {
      waiting: countSchema("Tasks that wait for a place or a worker."),
      running: countSchema("Tasks that hold one of its places."),
    },
  ).optional(),
});

/** GET /agents. */
export const agentListSchema = componentSchema("AgentList", "One page of the registry.", {
  agents: listSchema(agentSchema, "The page, by id."),
  total: z.int().min(0).max(10_000).describe("How many match, counted to 10,000."),
  totalExact: flagSchema("False when there are more than `total` says: counting has an end."),
  limit: z.int().min(1).describe("The page's size, as asked for."),
  offset: countSchema("How many were skipped, as asked for."),
});

/** DELETE /agents/:agentId. */
export const deletedAgentSchema = componentSchema("DeletedAgent", null, {
  id: textSchema("The agent's id, which is free again."),
  deleted: z.literal(true).describe("It is out of the registry."),
});
