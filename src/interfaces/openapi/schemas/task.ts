import * as z from "zod";
import { deliverableSchema } from "./deliverable.ts";
import {
  componentSchema,
  flagSchema,
  freeFormSchema,
  instantSchema,
  listSchema,
  textListSchema,
  textSchema,
} from "./common.ts";
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

const text = textSchema("What is to be done, as it was asked for.");
const agentId = textSchema("The agent that has the task; absent while none fits.").optional();
const agentName = textSchema("The agent's name when it got the task.").optional();
const teamId = textSchema("The team that the task was given to, if any.").optional();
const deadline = instantSchema("When the task fails unless it has ended.").optional();
const createdAt = instantSchema("When the task was created.");
const startedAt = instantSchema("When the present attempt was begun.").optional();
const attempt = z
  .int()
  .min(1)
  .max(100)
  .describe("The present attempt: 1, and one more with each retry.");

/** The answer to Create task. */
export const createdTaskSchema = componentSchema("CreatedTask", "A task as it was created.", {
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
  estimatedCompletion: instantSchema(
    "When it will be done by estimate, if nobody has to be asked.",
  ),
  estimatedDuration: textSchema(
    "How long that is, for people to read, such as `3s`, `2m 5s` or `1h 30m`.",
  ),
  deliverables: textListSchema("The kinds of files that were asked for."),
  trackingUrl: z.url().describe("Where the task is read; also in `Location`."),
  createdAt,
});

const timeline = componentSchema("Timeline", "The instants of a task's present attempt.", {
  createdAt,
  startedAt,
  completedAt: instantSchema("When the task was completed.").optional(),
  duration: textSchema(
    "From the start of the present attempt to its end, for people to read, such as `850ms`, `12s` or `3m 20s`.",
  ).optional(),
  workingTime: textSchema(
    "How long the agent has worked in the current attempt, in the same form; absent before the attempt starts. `budget.maxDurationSeconds` limits it.",
  ).optional(),
  waitingTime: textSchema(
    "How long the current attempt has waited since it started: in `blocked`, in `review`, or for a place in the agent's queue.",
  ).optional(),
});

const earlierAttempt = componentSchema(
  "EarlierAttempt",
  "An attempt that failed before the present one.",
  {
    attempt: z.int().min(1).describe("Which attempt, from 1."),
    agentId: textSchema("Who made it, if anybody.").optional(),
    agentName: textSchema("The agent's name.").optional(),
    error: attemptErrorSchema,
    timeline: z
      .strictObject({
        startedAt: instantSchema("When it was begun; absent where it never was.").optional(),
        failedAt: instantSchema("When it failed."),
      })
      .describe("Its instants."),
  },
);

const blocked = componentSchema("Blocked", "What a blocked task waits for.", {
  kind: blockKindSchema,
  question: textSchema("What the agent asks, for people to read."),
  since: instantSchema("When it asked."),
});

export const feedbackSchema = componentSchema("Feedback", "What people thought of the work.", {
  rating: z.number().min(1).max(5).describe("1 (worst) to 5 (best)."),
  feedback: textSchema("In words.").optional(),
  issues: textListSchema("What was amiss, one by one.").optional(),
});

/** What a task shows to everybody. */
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
  currentPhase: textSchema(
    "What the agent is at, in its own words, or was at when it stopped; absent before it begins.",
  ).optional(),
  timeline,
  result: taskResultSchema.optional().describe("Only in `review` and `completed`."),
  deliverables: z
    .array(deliverableSchema)
    .optional()
    .describe("The files; only in `review` and `completed`."),
  quality: qualitySchema
    .optional()
    .describe("Only in `review` and `completed`, and only where somebody has judged it."),
  attempt,
  attempts: listSchema(earlierAttempt, "The attempts before the present one, oldest first."),
  createdAt,
  deadline,
  context: freeFormSchema(
    "What the agent has to work with. Where it holds more than 65,536 bytes as JSON, it is absent unless asked for with `include=context`.",
  ).optional(),
  contextBytes: z
    .int()
    .optional()
    .describe("The size of `context` as JSON in bytes, where it is absent for its size."),
  budget: budgetSchema.optional().describe("The limits, where there are any."),
  spend: spendSchema.optional().describe("Absent while nothing was used."),
  notes: textSchema("All notes so far, a line each.").optional(),
  lease: z
    .strictObject({
      worker: textSchema("What the worker calls itself.").optional(),
      expiresAt: instantSchema("When the worker loses the task unless it is heard of."),
    })
    .optional()
    .describe("Who works on it: only while a worker holds the task."),
  blocked: blocked.optional().describe("What it waits for; only while `blocked`."),
  error: attemptErrorSchema.optional().describe("Why it failed; only while `failed`."),
  cancelReason: textSchema("Why it was cancelled, where somebody has said so.").optional(),
  feedback: feedbackSchema.optional().describe("Only once somebody has given any."),
};

/** A whole task, as GET answers. */
export const taskSchema = componentSchema(
  "Task",
  "A task as it stands. What does not apply, or not yet, is absent; nothing is null.",
  taskFieldSchemas,
);

/** A task as lists show it. */
export const listedTaskSchema = componentSchema(
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
    endedAt: instantSchema("When it was completed, failed or cancelled.").optional(),
  },
);

/** GET /agents/tasks. */
export const taskListSchema = componentSchema("TaskList", "One page of tasks.", {
  tasks: listSchema(listedTaskSchema, "The page, newest first."),
  total: z.int().min(0).max(10_000).describe("How many tasks match, counted up to 10,000."),
  totalExact: flagSchema("False where there are more than `total`."),
  limit: z.int().describe("The limit that was asked for."),
  offset: z.int().describe("The offset that was asked for."),
  nextCursor: z
    .string()
    .nullable()
    .describe("What to send as `cursor` for the next page; null on the last one."),
});

/** POST …/feedback. */
export const givenFeedbackSchema = componentSchema(
  "GivenFeedback",
  "The feedback as it now stands.",
  { taskId: taskIdSchema, ...feedbackSchema.shape },
);
