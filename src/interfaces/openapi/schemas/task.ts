import * as z from "zod";
import { deliverableSchema } from "./deliverable.ts";
import * as schema from "./common.ts";
import {
  attemptErrorSchema,
  blockKindSchema,
  budgetSchema,
  prioritySchema,
  qualitySchema,
  spendSchema,
  taskResultSchema,
  taskStatusSchema,
} from "./task-values.ts";

export const taskIdSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({
    description: "The task's id: 64 hex digits.",
    examples: ["64ef890964e6945c5ce32bc394ce589de3f7acab2840a33d8fc4f1072b435353"],
  });

const text = schema.text("What is to be done, as requested.");
const agentId = schema.optional.text("The agent that has the task; absent while none fits.");
const agentName = schema.optional.text("The agent's name when it got the task.");
const teamId = schema.optional.text("The team that the task was given to, if any.");
const deadline = schema.optional.instant("When the task fails unless it has ended.");
const createdAt = schema.instant("When the task was created.");
const startedAt = schema.optional.instant("When the present attempt was begun.");
const attempt = z
  .int()
  .min(1)
  .max(100)
  .describe("The present attempt: 1, and one more with each retry.");

/** The answer to Create task. */
export const createdTaskSchema = schema.component("CreatedTask", "A task as it was created.", {
  taskId: taskIdSchema,
  status: z.literal("pending").describe("Every task begins so."),
  task: text,
  agentId: agentId.describe(
    "The agent that will get the task; absent where none fits yet, and then the service goes on looking.",
  ),
  agentName: agentName.describe("That agent's name."),
  teamId,
  priority: prioritySchema,
  deadline,
  estimatedCompletion: schema.instant(
    "When it will be done by estimate, if nobody has to be asked.",
  ),
  estimatedDuration: schema.text(
    "How long that is, for people to read, such as `3s`, `2m 5s` or `1h 30m`.",
  ),
  deliverables: schema.textList("The kinds of files that were asked for."),
  trackingUrl: z.url().describe("Where the task is read; also in `Location`."),
  createdAt,
});

const timeline = schema.component("Timeline", "The instants of a task's present attempt.", {
  createdAt,
  startedAt,
  completedAt: schema.optional.instant("When the task was completed."),
  duration: schema.optional.text(
    "From the start of the present attempt to its end, for people to read, such as `850ms`, `12s` or `3m 20s`.",
  ),
  workingTime: schema.optional.text(
    "How long the agent has worked in the current attempt, in the same form; absent before the attempt starts. `budget.maxDurationSeconds` limits it.",
  ),
  waitingTime: schema.optional.text(
    "How long the current attempt has waited since it started: in `blocked`, in `review`, or for a place in the agent's queue.",
  ),
});

const earlierAttempt = schema.component(
  "EarlierAttempt",
  "An attempt that failed before the present one.",
  {
    attempt: z.int().min(1).describe("Which attempt, from 1."),
    agentId: schema.optional.text("Who made it, if anybody."),
    agentName: schema.optional.text("The agent's name."),
    error: attemptErrorSchema,
    timeline: z
      .strictObject({
        startedAt: schema.optional.instant("When it was begun; absent where it never was."),
        failedAt: schema.instant("When it failed."),
      })
      .describe("Its instants."),
  },
);

const blocked = schema.component("Blocked", "What a blocked task waits for.", {
  kind: blockKindSchema,
  question: schema.text("What the agent asks, for people to read."),
  since: schema.instant("When it asked."),
});

export const feedbackSchema = schema.component("Feedback", "How people rate the work.", {
  rating: z.number().min(1).max(5).describe("1 (worst) to 5 (best); any number in between."),
  feedback: schema.optional.text("In words."),
  issues: schema.optional.textList("What was wrong, one item each."),
});

/** The fields of a task. */
export const taskFieldSchemas = {
  taskId: taskIdSchema,
  status: taskStatusSchema,
  task: text,
  agentId,
  agentName,
  teamId,
  priority: prioritySchema,
  progress: z
    .int()
    .min(0)
    .max(100)
    .describe(
      "How far the present attempt has come, in per cent. Never falls within an attempt, and is 100 when the task is completed and never before.",
    ),
  currentPhase: schema.optional.text(
    "What the agent is at, in its own words, or was at when it stopped; absent before it begins.",
  ),
  timeline,
  result: taskResultSchema.optional().describe("Only in `review` and `completed`."),
  deliverables: schema
    .list(deliverableSchema, "The files; only in `review` and `completed`.")
    .optional(),
  quality: qualitySchema
    .optional()
    .describe("Only in `review` and `completed`, and only where somebody has judged it."),
  attempt,
  attempts: schema.list(earlierAttempt, "The attempts before the present one, oldest first."),
  createdAt,
  deadline,
  context: schema.optional.freeForm(
    "What the agent has to work with. Where it holds more than 65,536 bytes as JSON, it is absent unless asked for with `include=context`.",
  ),
  contextBytes: schema.optional.integer(
    "The size of `context` as JSON in bytes, where it is absent for its size.",
  ),
  budget: budgetSchema.optional().describe("The limits, where there are any."),
  spend: spendSchema.optional().describe("Absent while nothing was used."),
  notes: schema.optional.text("All notes so far, a line each."),
  lease: z
    .strictObject({
      worker: schema.optional.text("What the worker calls itself."),
      expiresAt: schema.instant("When the worker loses the task unless it sends a report."),
    })
    .optional()
    .describe("Who works on it: only while a worker holds the task."),
  blocked: blocked.optional().describe("What it waits for; only while `blocked`."),
  error: attemptErrorSchema.optional().describe("Why it failed; only while `failed`."),
  cancelReason: schema.optional.text("Why it was cancelled, if a reason was given."),
  feedback: feedbackSchema.optional().describe("Only once somebody has given any."),
};

/** A whole task, as GET answers. */
export const taskSchema = schema.component(
  "Task",
  "The current state of a task. Fields that do not apply, or not yet, are absent; nothing is null.",
  taskFieldSchemas,
);

/** A task as lists show it. */
export const listedTaskSchema = schema.component(
  "ListedTask",
  "A task as lists show it. A list may lag behind the task by a moment; reading the task itself never does.",
  {
    taskId: taskIdSchema,
    status: taskStatusSchema,
    task: text,
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
      .describe("The rating of its feedback, 1 to 5, if any."),
    createdAt,
    startedAt,
    endedAt: schema.optional.instant("When it was completed, failed or cancelled."),
  },
);

/** GET /agents/tasks. */
export const taskListSchema = schema.component("TaskList", "One page of tasks.", {
  tasks: schema.list(listedTaskSchema, "The page, newest first."),
  total: z.int().min(0).max(10_000).describe("How many tasks match, counted up to 10,000."),
  totalExact: schema.flag("False where there are more than `total`."),
  limit: schema.integer("The limit that was asked for."),
  offset: schema.integer("The offset that was asked for."),
  nextCursor: z
    .string()
    .nullable()
    .describe("What to send as `cursor` for the next page; null on the last one."),
});

/** POST …/feedback. */
export const givenFeedbackSchema = schema.component("GivenFeedback", "The current feedback.", {
  taskId: taskIdSchema,
  ...feedbackSchema.shape,
});
