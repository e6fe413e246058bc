import * as z from "zod";
import { LIST_ITEMS_MAX } from "../../kernel/limits.ts";
import { COMMENT_CHARACTERS_MAX } from "../limits.ts";
import { deliverableSchema } from "./deliverable-schemas.ts";
import * as schema from "../../http/schemas.ts";
import {
  attemptErrorSchema,
  blockKindSchema,
  budgetSchema,
  prioritySchema,
  qualitySchema,
  spendSchema,
  taskResultSchema,
  taskStatusSchema,
} from "./value-schemas.ts";
import { waitingForSchema } from "./waiting-schemas.ts";

export const taskIdSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({
    description: "The task's id: 64 hex digits.",
    examples: ["64ef890964e6945c5ce32bc394ce589de3f7acab2840a33d8fc4f1072b435353"],
  });

const text = schema.text("The description of the work, as requested.");
/** The fields with which clients name a task. */
export const nameSchemas = {
  title: schema.optional.text("A short name for people, if any."),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe("The task's labels: a value for each key; absent if there are none."),
  externalId: schema.optional.text("The task's id in the client's own system, if any."),
};
const removable = (description: string) => z.string().nullable().optional().describe(description);
/** The fields of an `updated` event that replace a task's previous values as a whole. */
export const replacedFieldSchemas = {
  title: removable("The new title; null if it was removed."),
  externalId: removable("The new external id; null if it was removed."),
  labels: nameSchemas.labels.describe("The new labels, which replaced all earlier ones."),
  deliverables: schema.optional.textList("The new list of requested kinds of file."),
  budget: budgetSchema.optional().describe("The new limits, which replaced the earlier ones."),
};
const agentId = schema.optional.text(
  "The agent that is or will be assigned; absent while there is no suitable agent.",
);
const agentName = schema.optional.text("The agent's name when it was chosen.");
const teamId = schema.optional.text("The task's team, if any.");
const deadline = schema.optional.instant("The time at which the task fails if it has not ended.");
const createdAt = schema.instant("When the task was created.");
const startedAt = schema.optional.instant("When the current attempt started.");
const attempt = z
  .int()
  .min(1)
  .max(100)
  .describe("The number of the current attempt, which starts at 1 and increases with each retry.");

export const createdTaskSchema = schema.component("CreatedTask", "A task as it was created.", {
  taskId: taskIdSchema,
  status: z.literal("pending").describe("The initial status of every task."),
  task: text,
  ...nameSchemas,
  agentId: agentId.describe(
    "The agent that will be assigned; absent while the service searches for a suitable one.",
  ),
  agentName: agentName.describe("The name of that agent."),
  teamId,
  priority: prioritySchema,
  deadline,
  estimatedCompletion: schema.instant(
    "The estimated completion time if the agent needs no answers from people.",
  ),
  estimatedDuration: schema.text(
    "The estimated duration in human-readable form, such as `3s`, `2m 5s` or `1h 30m`.",
  ),
  deliverables: schema.textList("The requested kinds of file."),
  trackingUrl: z.url().describe("The task's URL, which is also in the `Location` header."),
  createdAt,
});

export type CreatedTaskResponse = schema.ResponseOf<typeof createdTaskSchema>;

const timeline = schema.component(
  "Timeline",
  "When the task was created, and the times of its current attempt.",
  {
    createdAt,
    startedAt,
    completedAt: schema.optional.instant("When the task was completed."),
    duration: schema.optional.text(
      "The time from the start of the current attempt to its end, in human-readable form, such as `850ms`, `12s` or `3m 20s`.",
    ),
    workingTime: schema.optional.text(
      "How long the agent has worked in the current attempt, in the same format; absent before the attempt starts. Limited by `budget.maxDurationSeconds`.",
    ),
    waitingTime: schema.optional.text(
      "How long the current attempt has waited since it started: in `blocked`, in `review`, or for a slot in the agent's queue.",
    ),
  },
);

const earlierAttempt = schema.component(
  "EarlierAttempt",
  "A failed attempt before the current one.",
  {
    attempt: z.int().min(1).describe("The number of the attempt, starting at 1."),
    agentId: schema.optional.text("The agent that made the attempt, if any."),
    agentName: schema.optional.text("The agent's name."),
    error: attemptErrorSchema,
    timeline: z
      .strictObject({
        startedAt: schema.optional.instant("When the attempt started; absent if it never did."),
        failedAt: schema.instant("When the attempt failed."),
      })
      .describe("When the attempt started and failed."),
  },
);

const blocked = schema.component("Blocked", "What a blocked task is waiting for.", {
  kind: blockKindSchema,
  question: schema.text("The agent's question."),
  since: schema.instant("When the agent asked."),
  approvalIds: schema.optional.textList(
    "The ids of the approvals that the task waits for (see GET /agents/approvals). Such a question cannot be answered; absent for other questions.",
  ),
});

const remark = z.string().min(1).max(COMMENT_CHARACTERS_MAX);

/** The feedback fields, in requests and responses. */
export const feedbackFields = {
  rating: z.number().min(1).max(5).describe("From 1 (worst) to 5 (best). Fractions are allowed."),
  feedback: remark.optional().describe("A comment on the work."),
  issues: z
    .array(remark)
    .max(LIST_ITEMS_MAX)
    .optional()
    .describe("Problems with the work, one per item."),
};
export const feedbackSchema = schema.component("Feedback", "A rating of the work.", feedbackFields);

export const taskFieldSchemas = {
  taskId: taskIdSchema,
  status: taskStatusSchema,
  task: text,
  ...nameSchemas,
  agentId,
  agentName,
  teamId,
  priority: prioritySchema,
  progress: z
    .int()
    .min(0)
    .max(100)
    .describe(
      "The progress of the current attempt, in percent. Never decreases within an attempt, and is 100 only when the task is completed.",
    ),
  currentPhase: schema.optional.text(
    "The agent's description of its current or last phase; absent before the agent starts.",
  ),
  timeline,
  result: taskResultSchema.optional().describe("Present only in `review` and `completed`."),
  deliverables: schema
    .list(deliverableSchema, "The files. Present only in `review` and `completed`.")
    .optional(),
  quality: qualitySchema
    .optional()
    .describe("Present only in `review` and `completed`, and only if the quality was assessed."),
  attempt,
  attempts: schema.list(earlierAttempt, "The attempts before the current one, oldest first."),
  createdAt,
  deadline,
  context: schema.optional.freeForm(
    "The input for the agent. If it is larger than 65,536 bytes as JSON, it is absent unless the query contains `include=context`.",
  ),
  contextBytes: schema.optional.integer(
    "The size of `context` as JSON, in bytes. Present only if `context` is omitted because of its size.",
  ),
  budget: budgetSchema.optional().describe("The limits, if there are any."),
  spend: spendSchema.optional().describe("Absent if nothing has been used."),
  notes: schema.optional.text("All notes so far, one per line."),
  lease: z
    .strictObject({
      worker: schema.optional.text("The worker's name, if the claim specified one."),
      renewedAt: schema.instant(
        "When the lease was granted or last renewed. A progress report, an upload, and a heartbeat in the second half of the lease renew it.",
      ),
      expiresAt: schema.instant("When the worker loses the task unless it sends a report first."),
    })
    .optional()
    .describe("The lease of the worker that holds the task. Present only while a worker holds it."),
  blocked: blocked
    .optional()
    .describe("What the task is waiting for. Present only while `blocked`."),
  error: attemptErrorSchema
    .optional()
    .describe("Why the attempt failed. Present only while `failed`."),
  cancelReason: schema.optional.text("Why the task was cancelled, if a reason was given."),
  feedback: feedbackSchema.optional().describe("The feedback, if there is any."),
  waitingFor: waitingForSchema
    .nullable()
    .describe(
      "Why the task is not progressing; null if it has ended, its agent is working or its next step is due.",
    ),
};

/** A whole task, as GET returns it. */
export const taskSchema = schema.component(
  "Task",
  "The current state of a task. Fields that do not apply, or do not apply yet, are absent rather than null.",
  taskFieldSchemas,
);

export type TaskResponse = schema.ResponseOf<typeof taskSchema>;

export const listedTaskSchema = schema.component(
  "ListedTask",
  "A task as it appears in lists. A list may be slightly out of date, but GET for a single task never is.",
  {
    taskId: taskIdSchema,
    status: taskStatusSchema,
    task: text,
    ...nameSchemas,
    agentId,
    agentName,
    teamId,
    priority: prioritySchema,
    deadline,
    attempt,
    rating: z
      .number()
      .min(1)
      .max(5)
      .optional()
      .describe("The rating in the task's feedback, from 1 to 5, if any."),
    createdAt,
    startedAt,
    endedAt: schema.optional.instant("When the task was completed, failed or cancelled."),
    progress: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe(
        "The progress of the current attempt, in percent, as of the task's last change other than progress; absent for tasks that earlier releases listed, unless they are completed.",
      ),
    waitingFor: taskFieldSchemas.waitingFor.describe(
      "Why the task is not progressing; null if it is, if it has ended, or if an earlier release listed it.",
    ),
    error: attemptErrorSchema
      .optional()
      .describe("Why the attempt failed, without `details`. Present only while `failed`."),
    spend: spendSchema
      .optional()
      .describe(
        "What the task had used at its last change other than progress; absent if nothing.",
      ),
    budget: budgetSchema
      .optional()
      .describe("The limits that are enforced, if there are any. Other fields are not listed."),
  },
);

export type ListedTaskResponse = schema.ResponseOf<typeof listedTaskSchema>;

/** GET /agents/tasks. */
export const taskListSchema = schema.component("TaskList", "One page of tasks.", {
  tasks: schema.list(listedTaskSchema, "The tasks on the page, newest first."),
  total: z.int().min(0).max(10_000).describe("The number of matching tasks, counted up to 10,000."),
  totalExact: schema.flag("False if more than `total` tasks match."),
  limit: schema.integer("The requested limit."),
  offset: schema.integer("The requested offset."),
  nextCursor: z
    .string()
    .nullable()
    .describe("The `cursor` to send for the next page; null on the last page."),
});

export type TaskListResponse = schema.ResponseOf<typeof taskListSchema>;

/** POST …/feedback. */
export const givenFeedbackSchema = schema.component(
  "GivenFeedback",
  "The task's current feedback.",
  {
    taskId: taskIdSchema,
    ...feedbackSchema.shape,
  },
);
