import * as z from "zod";
import { BLOCK_KINDS, PRIORITIES, TASK_STATUSES, type TaskErrorCode } from "../model/task.ts";
import { noProgressSchema } from "../../agents/pause-schemas.ts";
import * as schema from "../../http/schemas.ts";
import { agentPriceSchema } from "../../agents/executor-schemas.ts";
import { EXECUTOR_TYPES } from "../../agents/model/agent.ts";

export const taskStatusSchema = z.enum(TASK_STATUSES).meta({
  id: "TaskStatus",
  description: `The status of a task.

- \`pending\`: waiting to be assigned to an agent
- \`assigned\`: assigned to an agent and waiting for a slot or a worker
- \`in_progress\`: being worked on, or waiting in the agent's queue for the work to continue
- \`blocked\`: waiting for an answer; the field \`blocked\` contains the question
- \`review\`: done and waiting for approval
- \`completed\`: done. This status is final
- \`failed\`: ended with an \`error\`, but can be retried
- \`cancelled\`: cancelled by a client. This status is final`,
});

export const prioritySchema = z.enum(PRIORITIES).meta({
  id: "Priority",
  description: "The urgency of a task, which determines the order of an agent's waiting tasks.",
});

export const blockKindSchema = z.enum(BLOCK_KINDS).meta({
  id: "BlockKind",
  description:
    "What a blocked task is waiting for: `input` (information), `approval`, `auth` (permission or credentials), `budget` (higher limits), `dependency` (something else that must happen first).",
});

const executorTypeSchema = z.enum(EXECUTOR_TYPES).meta({
  id: "ExecutorType",
  description:
    "How an agent works: `builtin` (inside the service), `model` (a language model), `a2a` (a remote agent that speaks A2A), `worker` (processes that claim tasks).",
});

export const usd = (description: string) => z.number().min(0).describe(description);

export const budgetSchema = z
  .looseObject({
    maxCost: usd(
      "The maximum total cost of tools, models and the agent's work, in US dollars.",
    ).optional(),
    maxToolCalls: schema.count("The maximum number of tool calls across all attempts.").optional(),
    maxDurationSeconds: z
      .number()
      .optional()
      .describe(
        "How long the agent may work in one attempt, in seconds. After that, the attempt fails. Time spent in `blocked`, in `review` or in the queue does not count.",
      ),
  })
  .meta({
    id: "Budget",
    description:
      "Limits on a task's spending. Other fields are stored but not enforced, and `metadata.warnings` lists them when they are sent.",
  });

export const spendSchema = schema.component(
  "Spend",
  "What a task has used so far across all attempts.",
  {
    cost: usd("The cost of tool calls, model turns and the agent's work, in US dollars."),
    toolCalls: schema.count("The number of tool calls."),
    agentCost: usd(
      "The part of `cost` for the agent's price and for costs that workers reported. The price per minute is added when the agent stops working. Absent if there is none.",
    ).optional(),
    tokens: z
      .strictObject({
        input: schema.count("Input tokens of all models."),
        output: schema.count("Output tokens of all models."),
      })
      .optional()
      .describe("Present only if a language model worked on the task."),
  },
);

/** A tool call in an event. */
export const toolCallSchema = schema.component("ToolCall", "One tool call made for the task.", {
  toolId: schema.text("The tool."),
  capability: schema.text("The tool's capability."),
  cost: usd("The cost of the call, in US dollars."),
  durationMs: z.number().min(0).describe("The duration of the call, in milliseconds."),
  ok: schema.flag("Whether the tool returned a result."),
  problem: schema.optional.text("Why the tool returned no result."),
  callId: schema.optional.text(
    "The call's id in the task's calls; absent in events that predate call records.",
  ),
});

export const modelUsageSchema = schema.component(
  "ModelUse",
  "The tokens that one turn of a language model used, and their cost.",
  {
    inputTokens: schema.count("Input tokens."),
    outputTokens: schema.count("Output tokens."),
    cost: usd("The cost at the agent's prices, in US dollars."),
  },
);

export const taskResultSchema = schema.component("TaskResult", "The written result of the work.", {
  summary: schema.text("The outcome, in a few sentences."),
  insights: schema.textList("Findings, one sentence each."),
  recommendations: schema.textList("Recommended actions."),
});

const figure = (description: string) => z.number().min(0).max(100).describe(description);

export const qualitySchema = schema.component(
  "Quality",
  "The agent's own assessment of the work. Built-in agents compute it from their work; workers can report it.",
  {
    score: figure("The overall score, 0 to 100."),
    accuracy: figure("How reliable the figures are, 0 to 100."),
    completeness: figure("How completely the request was fulfilled, 0 to 100."),
    clarity: figure("How easy the result is to read, 0 to 100."),
  },
);

const candidate = schema.component("Candidate", "An agent that was considered, with its score.", {
  agentId: schema.text("The agent's id."),
  score: z
    .number()
    .describe(
      "Matching skills, granted tools and a good rating increase the score; live tasks and the lack of a free slot reduce it. The agent with the highest score gets the task.",
    ),
});

const choiceFieldSchemas = {
  agentId: schema.text("The agent that was chosen."),
  agentName: schema.text("The agent's name at that time."),
  reasons: schema.textList(
    "Human-readable reasons for the choice; `requested by the client` if the client requested the agent.",
  ),
  candidates: schema
    .list(
      candidate,
      "At most ten candidates, highest scores first; empty if the client requested the agent. Not shown to keys that are bound to an agent or a team.",
    )
    .optional(),
};

/** Why an agent was chosen for a task. */
export const agentChoiceSchema = schema.component(
  "AgentChoice",
  "The agent that was chosen for a task, and why.",
  choiceFieldSchemas,
);

const agentTermsSchema = schema.component(
  "AgentTerms",
  "The agent's settings when the task was assigned. Later changes to the agent do not change them.",
  {
    executor: executorTypeSchema,
    maxConcurrentTasks: z
      .int()
      .min(1)
      .nullable()
      .describe("How many tasks the agent can work on at once; null: unlimited."),
    requireReview: schema.flag(
      "Whether people must approve the agent's work before a task is completed.",
    ),
    usesQueue: schema.optional.literal(
      true,
      "Present if the agent was paused, so that the task waits in the agent's queue.",
    ),
    noProgress: noProgressSchema
      .optional()
      .describe("The limits for work without progress; absent for the defaults."),
    price: agentPriceSchema.optional().describe("Absent if the agent has no price."),
  },
);

/** The data of `assigned`. */
export const assignmentSchema = z.strictObject({
  ...choiceFieldSchemas,
  terms: agentTermsSchema
    .optional()
    .describe("Absent in logs written by releases that had only built-in agents."),
});

const TASK_ERROR_DESCRIPTIONS: Readonly<Record<TaskErrorCode, string>> = {
  AGENT_ERROR:
    "the agent could not do the work, gave up or lost the task, or the task's log reached its limit",
  TOOL_ERROR: "a tool needed for the work rejected the call, failed or could not read its input",
  DEADLINE_EXCEEDED: "the deadline passed before the work was done",
  LEASE_EXPIRED:
    "the worker sent no report before its lease expired; after three such attempts in a row, the task fails",
  BUDGET_EXCEEDED:
    "the working time in the budget was used up, or `maxCost` did not cover the model's next turn or more of the agent's work and was not raised",
  REVIEW_REJECTED: "the reviewer rejected the work",
  NO_AGENT_AVAILABLE: "no suitable agent was found before the deadline",
  DELIVERABLE_STORE_FAILED: "the file store was unavailable for fifteen minutes",
  INTERNAL_ERROR: "the service itself failed for fifteen minutes, or a step crashed repeatedly",
};

const taskErrorCode = z.enum(Object.keys(TASK_ERROR_DESCRIPTIONS)).meta({
  id: "TaskErrorCode",
  description: `Why an attempt failed.\n\n${Object.entries(TASK_ERROR_DESCRIPTIONS)
    .map(([code, description]) => `- \`${code}\`: ${description}`)
    .join("\n")}`,
});

const errorFieldSchemas = {
  code: taskErrorCode,
  message: schema.text("A human-readable description of what happened."),
  retryable: schema.flag(
    "Whether the same work might succeed if it is retried. This flag does not restrict retries.",
  ),
  details: schema.optional.freeForm("The agent's details about the failure."),
};

/** An error in an event. */
export const taskErrorSchema = schema.component(
  "TaskError",
  "Why an attempt failed.",
  errorFieldSchemas,
);

/** An error in a task. */
export const attemptErrorSchema = schema.component(
  "AttemptError",
  "Why and when an attempt failed.",
  {
    ...errorFieldSchemas,
    attempt: z.int().min(1).describe("The number of the attempt that failed, starting at 1."),
    at: schema.instant("When the attempt failed."),
  },
);

/** Who caused an event. */
export const eventAuthorSchema = schema
  .component(
    "EventAuthor",
    "The key, and the console session if there was one, that caused an event.",
    {
      keyId: schema.text("The id of the key, or `root` for the root key."),
      keyName: schema.text("The key's name when the event occurred."),
      sessionId: schema.optional.text(
        "The id of the console session; absent if a request with the key itself caused the event.",
      ),
    },
  )
  .optional()
  .describe(
    "Who caused the event; absent in events from earlier releases and in events that no client caused. Not shown to keys that are bound to an agent or a team.",
  );
