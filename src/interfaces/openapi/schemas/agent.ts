import * as z from "zod";
import { MODEL_PROVIDERS } from "../../../agents/model/agent.ts";
import * as schema from "./common.ts";

const id = schema.text("The team's id.", "night-shift");
const name = schema.text("Its name, for people to read.");

export const teamSchema = schema.component("Team", "Agents that tasks can be given to together.", {
  id,
  name,
  agents: schema.textList("Ids of its members, in order."),
});

/** GET /agents/teams. */
export const teamListSchema = schema.component("TeamList", "One page of the teams.", {
  teams: schema.list(
    schema.component("ListedTeam", "A team as lists show it.", {
      id,
      name,
      totalAgents: schema.count("How many members it has."),
    }),
    "The page, by id.",
  ),
  total: schema.count("How many teams there are."),
  limit: z.int().min(1).describe("The page's size, as asked for."),
  offset: schema.count("How many were skipped, as asked for."),
});

/** DELETE /agents/teams/:teamId. */
export const deletedTeamSchema = schema.component("DeletedTeam", null, {
  id,
  deleted: z.literal(true).describe("It is gone; its agents stay."),
});

const hasApiKey = schema.flag("Whether a secret is kept for it. The secret is never shown.");

const price = (what: string) =>
  z.number().min(0).describe(`US dollars for a million tokens that the model ${what}.`);

const model = schema.component(
  "ModelExecutor",
  "A language model that works with its granted tools.",
  {
    type: z.literal("model").describe("A language model."),
    provider: z
      .enum(MODEL_PROVIDERS)
      .describe(
        "The endpoint's protocol: OpenAI's chat completions, Anthropic's Messages API, Google's Gemini API, or Cloudflare's Workers AI.",
      ),
    model: schema.text("The model, as its provider names it."),
    baseUrl: schema.optional.text("Where the endpoint's paths begin; absent for Workers AI."),
    headerNames: schema
      .textList("Names of the extra headers of each request. Their values are never shown.")
      .optional(),
    instructions: schema.optional.text(
      "What the model is told beside each task; absent when nothing.",
    ),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .describe("Sampling temperature; absent to leave it to the model.")
      .optional(),
    prices: schema.component("TokenPrices", "What its tokens cost.", {
      inputPerMillion: price("reads"),
      outputPerMillion: price("writes"),
    }),
    maxTurns: z.int().min(1).describe("Turns of one attempt; one that needs more fails."),
    maxOutputTokens: z.int().min(1).describe("Tokens that it may write in one turn."),
    hasApiKey,
  },
);

const a2a = schema.component("A2aExecutor", "An agent elsewhere.", {
  type: z.literal("a2a").describe("An agent elsewhere that speaks A2A 1.0."),
  cardUrl: schema.text("Where its agent card lies."),
  hasApiKey,
});

const builtin = schema.component("BuiltinExecutor", "Works inside the service, without a model.", {
  type: z.literal("builtin").describe("The service itself."),
});

const worker = schema.component("WorkerExecutor", "Processes that claim tasks over this API.", {
  type: z.literal("worker").describe("Processes of your own."),
});

const agentFieldSchemas = {
  id: schema.text("The agent's id.", "word-counter"),
  name: schema.text("Its name, for people to read."),
  description: schema.text("What it is good at; may be empty."),
  skills: schema.textList("Words for what it can do; tasks that name them are given to it first."),
  teams: schema.textList("Ids of its teams, in order."),
  enabled: schema.flag("Whether it takes tasks, calls tools and continues its work."),
  maxConcurrentTasks: z
    .int()
    .min(1)
    .nullable()
    .describe("Tasks that it works on at once, the others wait in its queue; null for any number."),
  requireReview: schema.flag("Whether people approve its work before a task is completed."),
  requireTask: z
    .literal(true)
    .describe("Its tool calls must be made under a task; absent otherwise.")
    .optional(),
  executor: z
    .discriminatedUnion("type", [builtin, model, a2a, worker])
    .meta({ id: "Executor", description: "How an agent carries out tasks." }),
  rating: schema
    .component("Rating", "What people said of its work; absent before anybody did.", {
      mean: z.number().min(1).max(5).describe("Mean of all ratings, 1 to 5."),
      count: z.int().min(1).describe("How many there are."),
    })
    .optional(),
  createdAt: schema.instant("When it entered the registry."),
  createdBy: schema.createdBy(
    "registered it or last changed its executor (the root key: only its type or address)",
  ),
};

/** POST and PATCH, and items of lists. */
export const agentSchema = schema.component(
  "Agent",
  "Somebody who carries out tasks.",
  agentFieldSchemas,
);

/** GET /agents/:agentId. */
export const agentDetailSchema = schema.component("AgentDetail", "An agent, with its queue.", {
  ...agentFieldSchemas,
  lastUsedAt: schema.optional.instant("When its newest task was created; absent if it has none."),
  queue: schema
    .component(
      "QueueStanding",
      "How its queue stands; only of workers and agents with `maxConcurrentTasks`, and absent when the queue does not answer within a second.",
      {
        waiting: schema.count("Tasks that wait for a place or a worker."),
        running: schema.count("Tasks that hold one of its places."),
      },
    )
    .optional(),
});

/** GET /agents. */
export const agentListSchema = schema.component("AgentList", "One page of the registry.", {
  agents: schema.list(agentSchema, "The page, by id."),
  total: z.int().min(0).max(10_000).describe("How many match, counted to 10,000."),
  totalExact: schema.flag("False when there are more than `total` says: counting has an end."),
  limit: z.int().min(1).describe("The page's size, as asked for."),
  offset: schema.count("How many were skipped, as asked for."),
});

/** DELETE /agents/:agentId. */
export const deletedAgentSchema = schema.component("DeletedAgent", null, {
  id: schema.text("The agent's id, which is free again."),
  deleted: z.literal(true).describe("It is out of the registry."),
});
