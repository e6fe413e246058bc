import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";
import * as z from "zod";
import { MODEL_PROVIDERS } from "./model/agent.ts";
import * as schema from "../http/schemas.ts";

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
    headerNames: schema.optional.textList(
      "Names of the extra headers of each request. Their values are never shown.",
    ),
    instructions: schema.optional.text(
      "Instructions for the model with each task, as its system prompt; absent if there are none.",
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

const a2a = schema.component("A2aExecutor", "A remote agent.", {
  type: z.literal("a2a").describe("A remote agent that speaks A2A 1.0."),
  cardUrl: schema.text("The address of its agent card."),
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
  skills: schema.textList(
    "Words for what it can do, such as `counting words`; tasks that name them are given to it first.",
  ),
  teams: schema.textList("Ids of its teams, in order."),
  enabled: schema.flag("Whether it takes tasks, calls tools and continues its work."),
  maxConcurrentTasks: z
    .int()
    .min(1)
    .nullable()
    .describe("Tasks that it works on at once, the others wait in its queue; null: unlimited."),
  requireReview: schema.flag("Whether people approve its work before a task is completed."),
  requireTask: schema.optional.literal(
    true,
    "Its tool calls must be made under a task; absent otherwise.",
  ),
  executor: z
    .discriminatedUnion("type", [builtin, model, a2a, worker])
    .meta({ id: "Executor", description: "How an agent carries out tasks." }),
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
};

const agentSchema = schema.component(
  "Agent",
  "An agent that carries out tasks.",
  agentFieldSchemas,
);

const agentDetailSchema = schema.component("AgentDetail", "An agent, with its queue.", {
  ...agentFieldSchemas,
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

const agentListSchema = schema.component("AgentList", "One page of the registry.", {
  agents: schema.list(agentSchema, "The page, by id."),
  total: z.int().min(0).max(10_000).describe("How many match, counted to 10,000."),
  totalExact: schema.flag("False if there are more than `total`, which stops at 10,000."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested number of skipped items."),
});

const deletedAgentSchema = schema.component("DeletedAgent", null, {
  id: schema.text("The agent's id, which is not reused."),
  deleted: z.literal(true).describe("The agent was removed from the registry."),
});

const AGENT_FIELDS = {
  teams: "Ids of the teams that it belongs to; they must exist.",
  enabled:
    "Whether it takes tasks. If it is disabled, tasks that wait for it return to `pending`, and it makes no further call, claim, step or turn.",
  requireTask:
    "Whether its tool calls must be made under a task; other calls get 403 `TASK_REQUIRED`. Recommended for workers whose tasks have budgets.",
  executor: "How it carries out tasks.",
  "executor.type":
    "`builtin`: inside the service, with no model and no network. `worker`: processes of yours that claim tasks. `model`: a language model. `a2a`: a remote agent that speaks A2A 1.0.",
  "executor.baseUrl":
    "Of `model`: where the endpoint's paths begin, such as `https://api.openai.com/v1`. It may have a query, such as `?api-version=2026-01-01`; the query is shown, so it must not contain a credential. Omit it for Workers AI and for the public endpoints of Anthropic and Google. The guard checks it.",
  "executor.apiKey":
    "Of `model` and `a2a`: the secret that is sent with each request. It is encrypted and never shown. If omitted in a change, it is kept as long as type and origin do not change; null deletes it.",
  "executor.headers":
    "Of `model`: extra headers for each request, by name, at most 20. Values are secrets: they are encrypted and never shown. If omitted in a change, the headers are kept as long as type and origin do not change; null deletes them. Connection and body headers are not allowed, nor is `Authorization` together with an `apiKey`.",
  "executor.prices": "Of `model`: what its tokens cost; they count into a task's budget.",
  "executor.cardUrl":
    "Of `a2a`: the address of its agent card. It is read at once, and the agent's interface must be at the same origin.",
  "executor.apiKeyHeader":
    "Of `a2a`: the header for the secret; left out, it goes as `Authorization: Bearer <apiKey>`.",
};

/** GET /agents */
export const listAgents = defineOperation({
  operationId: "listAgents",
  tag: "Agents",
  scope: "agents:manage",
  query: schemas.listAgentsQuery,
  summary: "List and search agents",
  description:
    "A page of the registry, by id. Filters may be combined; an agent must pass all of them.",
  parameters: {
    teamId: "Only members of this team; none for an unknown team.",
    executor: "Only agents that work in this way.",
    enabled: "Only agents that take tasks, or that do not.",
    search: "Only agents whose id, name or description contains this text; case-insensitive.",
    limit: "Agents on one page.",
    offset: "Agents to skip: those of the pages before.",
  },
  responses: [respond(200, "The page; empty if nothing matches.", agentListSchema)],
});

/** POST /agents */
export const registerAgent = defineOperation({
  operationId: "registerAgent",
  tag: "Agents",
  scope: "agents:manage",
  body: schemas.registerAgentBody,
  summary: "Register an agent",
  description: `Adds an agent that carries out tasks. What it may use is granted with \`POST /agents/tools/access\`, and it takes tasks at once.

The card of an \`a2a\` agent is read now; it provides name, description and skills if they are omitted. The guard checks addresses, which must be https if a secret is sent there. Path segments, such as \`tools\`, \`tasks\` and \`keys\`, cannot be ids of agents. The id of a deleted agent is not reused (409 \`AGENT_EXISTS\`).`,
  fields: { id: "The agent's id, which never changes.", ...AGENT_FIELDS },
  fieldsLike: { "": "Agent" },
  responses: [
    respond(201, "The agent is in the registry.", agentSchema, {
      headers: { Location: "The address of the agent: `/agents/{agentId}`, as a whole URL." },
    }),
  ],
  errorCodes: ["TEAM_NOT_FOUND", "AGENT_EXISTS"],
});

/** GET /agents/:agentId */
export const getAgent = defineOperation({
  operationId: "getAgent",
  tag: "Agents",
  scope: "agents:manage",
  summary: "Read an agent",
  description: "An agent without its secret, and the state of its queue if it has one.",
  responses: [respond(200, "The agent.", agentDetailSchema)],
});

/** PATCH /agents/:agentId */
export const updateAgent = defineOperation({
  operationId: "updateAgent",
  tag: "Agents",
  scope: "agents:manage",
  body: schemas.changeAgentBody,
  summary: "Change an agent",
  description: `Replaces the fields that are given: lists and \`executor\` as a whole. Tasks that were assigned before keep the terms of that time.

A secret stays only while the executor's type and origin do. An executor of another type sends the tasks that wait back to \`pending\`. A disabled agent gets no task: a task that requested it waits until it is enabled again, any other goes to the next best agent. Its tool calls and claims get 403 \`AGENT_DISABLED\`, and its next step or turn fails the attempt.`,
  fields: AGENT_FIELDS,
  fieldsLike: { "": "Agent" },
  responses: [respond(200, "The agent as it is now.", agentSchema)],
  errorCodes: ["TEAM_NOT_FOUND"],
});

/** DELETE /agents/:agentId */
export const deleteAgent = defineOperation({
  operationId: "deleteAgent",
  tag: "Agents",
  scope: "agents:manage",
  summary: "Delete an agent",
  description:
    "Removes an agent from the registry with its grants and memberships, and revokes its keys. Tasks that wait for it return to `pending`; tasks that it has done keep its name. The id is not reused: no new agent can have it.",
  responses: [respond(200, "The agent was deleted.", deletedAgentSchema)],
});
