import * as z from "zod";
import { BLOCK_KINDS, PRIORITIES, TASK_STATUSES, type TaskErrorCode } from "../model/task.ts";
import * as schema from "../../http/schemas.ts";
import { EXECUTOR_TYPES } from "../../agents/model/agent.ts";

export const taskStatusSchema = z.enum(TASK_STATUSES).meta({
  id: "TaskStatus",
  description: `The status of a task.

- \`pending\`: created, or about to begin its next attempt; not yet with an agent
- \`assigned\`: given to an agent, waiting for a slot or a worker
- \`in_progress\`: being worked on, or waiting to be claimed again after people have answered
- \`blocked\`: waiting for an answer; the field \`blocked\` describes the question
- \`review\`: the work is done and waits for approval
- \`completed\`: done. Never changes again
- \`failed\`: ended with an \`error\`; may be retried
- \`cancelled\`: cancelled by a client. Never changes again`,
});

export const prioritySchema = z.enum(PRIORITIES).meta({
  id: "Priority",
  description: "The urgency of a task, which determines the order of an agent's waiting tasks.",
});

export const blockKindSchema = z.enum(BLOCK_KINDS).meta({
  id: "BlockKind",
  description:
    "What a blocked task waits for: `input` (information), `approval`, `auth` (permission or credentials), `budget` (higher limits), `dependency` (something else that must happen first).",
});

const executorTypeSchema = z.enum(EXECUTOR_TYPES).meta({
  id: "ExecutorType",
  description:
    "How an agent works: `builtin` (inside the service), `model` (a language model), `a2a` (a remote agent that speaks A2A), `worker` (processes that claim tasks).",
});

const usd = (description: string) => z.number().min(0).describe(description);

export const budgetSchema = z
  .looseObject({
    maxCost: usd("The maximum total cost of tools and models, in US dollars.").optional(),
    maxToolCalls: schema.count("The maximum number of tool calls, over all attempts.").optional(),
    maxDurationSeconds: z
      .number()
      .optional()
      .describe(
        "Seconds that the agent may work in one attempt; then the attempt fails. Time in `blocked`, in `review` and in the queue does not count.",
      ),
  })
  .meta({
    id: "Budget",
    description:
      "Limits on what a task may spend. Other fields are stored but not enforced; `metadata.warnings` names them when the task is created.",
  });

export const spendSchema = schema.component(
  "Spend",
  "What all attempts of a task have used so far.",
  {
    cost: usd("The cost of tool calls and model turns, in US dollars."),
    toolCalls: schema.count("The number of tool calls."),
    tokens: z
      .strictObject({
        input: schema.count("Tokens that models have read."),
        output: schema.count("Tokens that models have written."),
      })
      .optional()
      .describe("Only if a language model worked on the task."),
  },
);

/** A call in an event. */
export const toolCallSchema = schema.component("ToolCall", "One call of a tool for the task.", {
  toolId: schema.text("The tool."),
  capability: schema.text("The capability of the tool."),
  cost: usd("The cost of the call, in US dollars."),
  durationMs: z.number().min(0).describe("The duration of the call, in milliseconds."),
  ok: schema.flag("Whether the tool returned a result."),
  problem: schema.optional.text("The reason if the tool returned no result."),
});

export const modelUsageSchema = schema.component(
  "ModelUse",
  "What a turn of a language model has used.",
  {
    inputTokens: schema.count("Tokens that the model has read."),
    outputTokens: schema.count("Tokens that the model has written."),
    cost: usd("The cost at the agent's prices, in US dollars."),
  },
);

export const taskResultSchema = schema.component("TaskResult", "The result of the work in words.", {
  summary: schema.text("The outcome, in a few sentences."),
  insights: schema.textList("Findings, each a sentence."),
  recommendations: schema.textList("Recommended actions."),
});

const figure = (description: string) => z.number().min(0).max(100).describe(description);

export const qualitySchema = schema.component(
  "Quality",
  "The agent's own assessment of the work: built-in agents compute it from their work; workers may report it.",
  {
    score: figure("Overall, 0 to 100."),
    accuracy: figure("The reliability of the figures, 0 to 100."),
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
  agentName: schema.text("Its name at that time."),
  reasons: schema.textList(
    "The reasons for the choice, for people to read; `requested by the client` if the client requested the agent.",
  ),
  candidates: schema
    .list(
      candidate,
      "The ten best candidates, the chosen one first; empty if the client requested the agent. Absent for a key bound to an agent or a team.",
    )
    .optional(),
};

/** Why an agent was chosen for a task. */
export const agentChoiceSchema = schema.component(
  "AgentChoice",
  "The agent that was chosen for a task, and the reasons.",
  choiceFieldSchemas,
);

const agentTermsSchema = schema.component(
  "AgentTerms",
  "The agent's terms when the task was assigned; later changes do not affect them.",
  {
    executor: executorTypeSchema,
    maxConcurrentTasks: z
      .int()
      .min(1)
      .nullable()
      .describe("Tasks that the agent works on at once; null: any number."),
    requireReview: schema.flag(
      "Whether people must approve the agent's work before a task is completed.",
    ),
  },
);

/** The data of `assigned`. */
export const assignmentSchema = z.strictObject({
  ...choiceFieldSchemas,
  terms: agentTermsSchema
    .optional()
    .describe("Absent in logs of releases that had only built-in agents."),
});

const TASK_ERROR_DESCRIPTIONS: Readonly<Record<TaskErrorCode, string>> = {
  AGENT_ERROR:
    "the agent could not do the work or gave up, or the task reached the limit of its log",
  TOOL_ERROR: "a tool that the work needs rejected the call, failed or could not read its input",
  DEADLINE_EXCEEDED: "the deadline passed before the work was done",
  LEASE_EXPIRED: "workers sent no report before their leases ended, in three attempts in a row",
  BUDGET_EXCEEDED: "the budget's seconds were used up, or people did not raise its limits",
  REVIEW_REJECTED: "the reviewer rejected the work",
  NO_AGENT_AVAILABLE: "no suitable agent was found before the deadline",
  DELIVERABLE_STORE_FAILED: "the file store failed for fifteen minutes",
  INTERNAL_ERROR: "the service itself failed for fifteen minutes, or a step crashed it repeatedly",
};

const taskErrorCode = z.enum(Object.keys(TASK_ERROR_DESCRIPTIONS)).meta({
  id: "TaskErrorCode",
  description: `Why an attempt failed.\n\n${Object.entries(TASK_ERROR_DESCRIPTIONS)
    .map(([code, description]) => `- \`${code}\`: ${description}`)
    .join("\n")}`,
});

const errorFieldSchemas = {
  code: taskErrorCode,
  message: schema.text("What happened, for people to read."),
  retryable: schema.flag(
    "Whether the same work may succeed if it is retried. A retry is allowed either way.",
  ),
  details: schema.optional.freeForm("Further details of the failure from the agent."),
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
    attempt: z.int().min(1).describe("The attempt that failed, from 1."),
    at: schema.instant("When it failed."),
  },
);
