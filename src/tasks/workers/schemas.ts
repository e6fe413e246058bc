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
  SUMMARY_CHARACTERS_MAX,
} from "../limits.ts";
import { LIST_ITEMS_MAX, NAME_CHARACTERS_MAX } from "../../kernel/limits.ts";
import type { WorkerReport } from "../model/command.ts";
import { checkJsonSize } from "../../kernel/json.ts";
import { capitalize } from "../../kernel/text.ts";
import { BLOCK_KINDS } from "../model/task.ts";
import * as schema from "../../http/schemas.ts";
import { uploadedFileSchema } from "../api/deliverable-schemas.ts";
import { taskFieldSchemas, taskIdSchema } from "../api/task-schemas.ts";
import { qualitySchema, taskResultSchema, taskStatusSchema } from "../api/value-schemas.ts";
import { idText, jsonObject, redactedString, customIssue } from "../../http/validation.ts";

const CLAIM_WAIT_SECONDS_MAX = CLAIM_WAIT_MAX_MS / 1_000;

const remark = z.string().min(1).max(COMMENT_CHARACTERS_MAX);
const label = z.string().min(1).max(NAME_CHARACTERS_MAX);

/** Body of POST /agents/tasks/claim. */
export const claimBody = z.strictObject({
  agentId: idText
    .optional()
    .describe("The agent whose tasks are claimed; required unless the key is bound to an agent."),
  worker: label.optional().describe("The name of this worker, for people to read."),
  max: z
    .int()
    .min(1)
    .max(CLAIM_TASKS_MAX)
    .default(1)
    .describe("The maximum number of tasks. Their leases start immediately."),
  waitSeconds: z
    .number()
    .min(0)
    .max(CLAIM_WAIT_SECONDS_MAX)
    .default(CLAIM_WAIT_SECONDS_MAX)
    .describe("How long to wait for the first task, in seconds; 0 does not wait."),
  leaseSeconds: z
    .int()
    .min(LEASE_SECONDS_MIN)
    .max(LEASE_SECONDS_MAX)
    .default(LEASE_SECONDS_DEFAULT)
    .describe("The duration by which each report renews a lease, in seconds."),
});
export type ClaimBody = z.output<typeof claimBody>;

/** The token proves that the worker holds the task, so no message repeats it. The task checks it. */
const lease = redactedString(
  LEASE_TOKEN_CHARACTERS_MAX,
  "must be the token of a lease",
  () => true,
).meta({ description: "The lease's token, from the claim." });

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
    .describe("The result in words."),
  quality: z
    .strictObject({ score, accuracy, completeness, clarity })
    .optional()
    .describe("Your assessment of the work's quality; absent if it was not assessed."),
};
const savedWork = jsonObject
  .optional()
  .describe(
    "Merged key by key into the saved `work`, which the next worker of the task receives; at most 1 MiB in total as JSON.",
  );

const details = jsonObject.check(({ value, issues }) => {
  const problem = checkJsonSize(value, ERROR_DETAILS_BYTES_MAX);
  if (problem !== null) issues.push(customIssue(problem, value));
});

/** One type of report. */
function reportOf<Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  const described = z
    .literal(type)
    .describe("The type of the report; it determines the other fields.");
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
      .describe("The progress, in percent; never less than the previous report."),
    phase: label
      .optional()
      .describe("A description of the current phase; if omitted, it does not change."),
    work: savedWork,
  }),
  reportOf("blocked", {
    kind: z.enum(BLOCK_KINDS).default("input").describe("What is needed."),
    question: remark.describe("The question, for people to read."),
    work: savedWork,
  }),
  reportOf("review", outcome),
  reportOf("completed", outcome),
  reportOf("failed", {
    error: z
      .strictObject({
        message: remark.describe("The error, for people to read."),
        retryable: z
          .boolean()
          .default(true)
          .describe("Whether a retry of the same work may succeed."),
        details: details
          .optional()
          .describe("Further details of the error, for programs to read; at most 16 KiB as JSON."),
      })
      .describe("The reason why the work cannot be done."),
  }),
  reportOf("released", {
    reason: remark.optional().describe("Why the worker returns the task, for people to read."),
    work: savedWork,
  }),
]);
export type ReportBody = z.output<typeof reportBody>;

/** The report in a body. */
export function toWorkerReport(body: ReportBody): WorkerReport {
  switch (body.type) {
    case "heartbeat":
      return { type: "heartbeat" };
    case "progress": {
      const { type, progress, phase = null, work = null } = body;
      return { type, progress, phase, work };
    }
    case "blocked": {
      const { type, kind, question, work = null } = body;
      return { type, kind, question, work };
    }
    case "review":
    case "completed": {
      const { type, result, quality = null } = body;
      return { type, result, quality };
    }
    case "released": {
      const { type, reason = null, work = null } = body;
      return { type, reason, work };
    }
    case "failed": {
      const { message, retryable, details: more = null } = body.error;
      return { type: body.type, message, retryable, details: more };
    }
  }
}

/** Query of PUT /agents/tasks/:id/deliverables/:name. */
export const uploadQuery = z.object({
  type: idText
    .optional()
    .describe(
      "The kind of file; for a requested file, its kind in the task's `deliverables`. If omitted, the extension of its name.",
    ),
});

export const LEASE_TOKEN_EXAMPLE = "lse_84c39c90-f351-475e-a25f-7524b8c40995";

const expiresAt = schema.instant("When the worker loses the task unless it sends a report first.");
const seconds = schema.integer(
  "The duration by which each report renews the lease, in seconds, as requested by the claim.",
);

const grantedLease = schema.component("GrantedLease", "The worker's hold on the task.", {
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
    .describe("The answer: a text or an object; null if the cause was resolved without an answer."),
});

/** The fields that a claimed task can have. */
const { agentId, agentName, teamId, task, priority, progress, currentPhase } = taskFieldSchemas;
const { timeline, attempt, attempts, createdAt, deadline, budget, spend, notes } = taskFieldSchemas;

export const claimedTaskSchema = schema.component(
  "ClaimedTask",
  "A claimed task: the task as GET returns it, with everything that is needed to start it or to continue it where another worker stopped.",
  {
    taskId: taskIdSchema,
    status: z.literal("in_progress").describe("The claim starts the work."),
    task,
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
    deliverables: schema.textList("The requested kinds of files, such as `report`."),
    answers: z.array(answer).meta({
      description:
        "People's answers so far, oldest first: each question that was reported as `blocked`, with the `response` of …/respond. Empty after a requested retry.",
      examples: [[{ question: "Which year?", response: "1702" }]],
    }),
    reviewComments: schema.textList(
      "The changes that reviewers requested, oldest first. The last one returned the task to work.",
    ),
    work: schema.freeForm(
      "The data that earlier workers saved with `progress` and `blocked`, merged key by key.",
    ),
    files: schema.list(
      uploadedFileSchema,
      "Files already uploaded in this attempt; they will be delivered as well.",
    ),
    lease: grantedLease,
  },
);

export type ClaimedTaskResponse = schema.ResponseOf<typeof claimedTaskSchema>;

/** POST /agents/tasks/claim. */
export const claimSchema = schema.component("Claim", "The tasks that the worker now holds.", {
  tasks: schema.list(
    claimedTaskSchema,
    "The most urgent first; empty if no task became available within `waitSeconds`.",
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
      "Whether the worker should stop: it no longer holds the task, because the task has ended, is blocked or in review, or was returned.",
    ),
    lease: z
      .strictObject({ expiresAt, seconds })
      .optional()
      .describe("The current lease; only while the worker holds the task."),
  },
);
export type ReportResponse = schema.ResponseOf<typeof reportResultSchema>;
