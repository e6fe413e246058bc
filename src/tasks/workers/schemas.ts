import * as z from "zod";
import { CLAIM_TASKS_MAX } from "../../agents/limits.ts";
import {
  CLAIM_WAIT_MAX_MS,
  ERROR_DETAILS_BYTES_MAX,
  LEASE_SECONDS_DEFAULT,
  LEASE_SECONDS_MAX,
  LEASE_SECONDS_MIN,
  LEASE_TOKEN_CHARACTERS_MAX,
  COMMENT_CHARACTERS_MAX,
  REPORTED_COST_MAX,
  SUMMARY_CHARACTERS_MAX,
} from "../limits.ts";
import { LIST_ITEMS_MAX, NAME_CHARACTERS_MAX } from "../../kernel/limits.ts";
import type { WorkerReport } from "../model/command.ts";
import { checkJsonSize } from "../../kernel/json.ts";
import { capitalize } from "../../kernel/text.ts";
import { BLOCK_KINDS } from "../model/task.ts";
import * as schema from "../../http/schemas.ts";
import { uploadedFileSchema } from "../api/deliverable-schemas.ts";
import { nameSchemas, taskFieldSchemas, taskIdSchema } from "../api/task-schemas.ts";
import { qualitySchema, taskResultSchema, taskStatusSchema } from "../api/value-schemas.ts";
import { idText, jsonObject, redactedString, customIssue } from "../../http/validation.ts";

const CLAIM_WAIT_SECONDS_MAX = CLAIM_WAIT_MAX_MS / 1_000;

const remark = z.string().min(1).max(COMMENT_CHARACTERS_MAX);
const label = z.string().min(1).max(NAME_CHARACTERS_MAX);

/** Body of POST /agents/tasks/claim. */
export const claimBody = z.strictObject({
  agentId: idText
    .optional()
    .describe("The agent whose tasks to claim; required unless the key is bound to an agent."),
  worker: label.optional().describe("A human-readable name for this worker."),
  max: z
    .int()
    .min(1)
    .max(CLAIM_TASKS_MAX)
    .default(1)
    .describe("The maximum number of tasks to claim. Their leases start immediately."),
  waitSeconds: z
    .number()
    .min(0)
    .max(CLAIM_WAIT_SECONDS_MAX)
    .default(CLAIM_WAIT_SECONDS_MAX)
    .describe("How long to wait for the first task, in seconds; 0 returns immediately."),
  leaseSeconds: z
    .int()
    .min(LEASE_SECONDS_MIN)
    .max(LEASE_SECONDS_MAX)
    .default(LEASE_SECONDS_DEFAULT)
    .describe("The duration of a lease, in seconds. Reports renew the lease for this long."),
});
export type ClaimBody = z.output<typeof claimBody>;

/** The token proves that the worker holds the task, so error messages must not repeat it. The task checks the token. */
const lease = redactedString(LEASE_TOKEN_CHARACTERS_MAX, "must be a lease token", () => true).meta({
  description: "The lease token from the claim.",
});

const { summary, insights, recommendations } = taskResultSchema.shape;
const { score, accuracy, completeness, clarity } = qualitySchema.shape;
const findings = z.array(remark).max(LIST_ITEMS_MAX).default([]);
const outcome = {
  result: z
    .strictObject({
      summary: schema.describeLike(summary, z.string().min(1).max(SUMMARY_CHARACTERS_MAX)),
      insights: schema.describeLike(insights, findings),
      recommendations: schema.describeLike(recommendations, findings),
    })
    .describe("The written result of the work."),
  quality: z
    .strictObject({ score, accuracy, completeness, clarity })
    .optional()
    .describe("Your assessment of the work. Omit it if you did not make one."),
};
const savedWork = jsonObject
  .optional()
  .describe(
    "Data to merge key by key into the saved `work`, which the task's next worker receives; at most 1 MiB as JSON in total.",
  );

const details = jsonObject.check(({ value, issues }) => {
  const problem = checkJsonSize(value, ERROR_DETAILS_BYTES_MAX);
  if (problem !== null) issues.push(customIssue(problem, value));
});

/** Repeats are recognised for reports that end the worker's work, and otherwise by the idempotency key. */
const reportedCost = z
  .number()
  .min(0)
  .max(REPORTED_COST_MAX)
  .optional()
  .describe(
    "What the work has cost since your last report, in US dollars, in addition to tool calls. It counts towards the task's budget. A repeat of the report that ended the work is not counted again; send other reports with a cost with an `Idempotency-Key`.",
  );

/** The schema of one report type. */
function reportOf<Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  const described = z
    .literal(type)
    .describe("The type of the report, which determines the other fields.");
  return z
    .strictObject({ type: described, lease, ...shape })
    .meta({ id: `${capitalize(type)}Report` });
}

/** Body of POST /agents/tasks/:id/report. */
export const reportBody = z.discriminatedUnion("type", [
  reportOf("heartbeat", {}),
  reportOf("progress", {
    progress: z
      .int()
      .min(0)
      .max(99)
      .describe("The progress, in percent. Must not be less than the task's current progress."),
    phase: label
      .optional()
      .describe("A description of the current phase. If omitted, the phase does not change."),
    work: savedWork,
    cost: reportedCost,
  }),
  reportOf("blocked", {
    kind: z.enum(BLOCK_KINDS).default("input").describe("What the worker needs."),
    question: remark.describe("The question for people to answer."),
    work: savedWork,
    cost: reportedCost,
  }),
  reportOf("review", { ...outcome, cost: reportedCost }),
  reportOf("completed", { ...outcome, cost: reportedCost }),
  reportOf("failed", {
    error: z
      .strictObject({
        message: remark.describe("A human-readable description of the error."),
        retryable: z
          .boolean()
          .default(true)
          .describe("Whether the same work might succeed if it is retried."),
        details: details
          .optional()
          .describe("Machine-readable details of the error; at most 16 KiB as JSON."),
      })
      .describe("Why the work cannot be done."),
    cost: reportedCost,
  }),
  reportOf("released", {
    reason: remark.optional().describe("A human-readable reason for returning the task."),
    work: savedWork,
    cost: reportedCost,
  }),
]);
export type ReportBody = z.output<typeof reportBody>;

/** Converts a request body to a report. */
export function toWorkerReport(body: ReportBody): WorkerReport {
  switch (body.type) {
    case "heartbeat":
      return { type: "heartbeat" };
    case "progress": {
      const { type, progress, phase = null, work = null, cost = 0 } = body;
      return { type, progress, phase, work, cost };
    }
    case "blocked": {
      const { type, kind, question, work = null, cost = 0 } = body;
      return { type, kind, question, work, cost };
    }
    case "review":
    case "completed": {
      const { type, result, quality = null, cost = 0 } = body;
      return { type, result, quality, cost };
    }
    case "released": {
      const { type, reason = null, work = null, cost = 0 } = body;
      return { type, reason, work, cost };
    }
    case "failed": {
      const { type, error, cost = 0 } = body;
      const { message, retryable, details: more = null } = error;
      return { type, message, retryable, details: more, cost };
    }
  }
}

/** Query of PUT /agents/tasks/:id/deliverables/:name. */
export const uploadQuery = z.object({
  type: idText
    .optional()
    .describe(
      "The kind of file. For a requested file, use the kind listed in the task's `deliverables`. Defaults to the extension of the file name.",
    ),
});

export const LEASE_TOKEN_EXAMPLE = "lse_84c39c90-f351-475e-a25f-7524b8c40995";

const expiresAt = schema.instant("When the worker loses the task unless it sends a report first.");
const seconds = schema.integer(
  "The duration of the lease in seconds, as requested by the claim. Reports renew the lease for this long.",
);

const grantedLease = schema.component("GrantedLease", "The worker's lease on the task.", {
  token: schema.text(
    "Proves that the worker holds the task. Secret; returned only once.",
    LEASE_TOKEN_EXAMPLE,
  ),
  expiresAt,
  seconds,
});

const answer = schema.component("Answer", "A question and its answer.", {
  question: schema.text("The question."),
  response: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .describe(
      "The answer (a string or an object), or null if the task continued without an answer.",
    ),
});

/** The fields that a claimed task can have. */
const { agentId, agentName, teamId, task, priority, progress, currentPhase } = taskFieldSchemas;
const { timeline, attempt, attempts, createdAt, deadline, budget, spend, notes } = taskFieldSchemas;

export const claimedTaskSchema = schema.component(
  "ClaimedTask",
  "A claimed task: the task as GET returns it, with everything needed to start it or to continue it where another worker stopped.",
  {
    taskId: taskIdSchema,
    status: z.literal("in_progress").describe("Claiming a task starts the work."),
    task,
    ...nameSchemas,
    agentId,
    agentName,
    teamId,
    priority,
    progress,
    currentPhase,
    timeline,
    attempt,
    attempts,
    createdAt,
    deadline,
    budget,
    spend,
    notes,
    context: schema.freeForm("The complete input, regardless of its size."),
    deliverables: schema.textList("The requested kinds of file, such as `report`."),
    answers: z.array(answer).meta({
      description:
        "The answers so far, oldest first: each question that a worker reported with `blocked`, and the `response` sent to …/respond. Empty after a requested retry.",
      examples: [[{ question: "Which year?", response: "1702" }]],
    }),
    reviewComments: schema.textList(
      "The comments of reviewers who requested changes, oldest first.",
    ),
    work: schema.freeForm(
      "The data that earlier workers saved with their reports, merged key by key.",
    ),
    files: schema.list(
      uploadedFileSchema,
      "Files already uploaded in this attempt. They are delivered together with later files.",
    ),
    lease: grantedLease,
  },
);

export type ClaimedTaskResponse = schema.ResponseOf<typeof claimedTaskSchema>;

/** POST /agents/tasks/claim. */
export const claimSchema = schema.component("Claim", "The tasks that the worker now holds.", {
  tasks: schema.list(
    claimedTaskSchema,
    "The tasks, most urgent first; empty if no task became available within `waitSeconds`.",
  ),
});

/** POST /agents/tasks/:id/report. */
export const reportResultSchema = schema.component(
  "Reported",
  "The state of the task after a report.",
  {
    taskId: taskIdSchema,
    status: taskStatusSchema,
    stop: schema.flag(
      "Whether the worker should stop. If true, the worker no longer holds the task, because the task has ended, is blocked or in review, was returned, or its agent is paused.",
    ),
    lease: z
      .strictObject({ expiresAt, seconds })
      .optional()
      .describe("The current lease. Present only while the worker holds the task."),
  },
);
export type ReportResponse = schema.ResponseOf<typeof reportResultSchema>;
