import * as z from "zod";
import { deliverableSchema } from "./deliverable.ts";
import { freeFormSchema, instantSchema } from "./common.ts";
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

const text = z.string().meta({ description: "What is to be done, as it was asked for." });
const agentId = z.string().optional().meta({
  description: "The agent that has the task; absent while none fits.",
});
const agentName = z
  .string()
  .optional()
  .meta({ description: "The agent's name when it got the task." });
const teamId = z
  .string()
  .optional()
  .meta({ description: "The team that the task was given to, if any." });
const deadline = instantSchema("When the task fails unless it has ended.").optional();
const createdAt = instantSchema("When the task was created.");
const startedAt = instantSchema("When the present attempt was begun.").optional();
const attempt = z
  .int()
  .min(1)
  .max(100)
  .meta({ description: "The present attempt: 1, and one more with each retry." });

/** The answer to Create task. */
export const createdTaskSchema = z
  .strictObject({
    taskId: taskIdSchema,
    status: z.literal("pending").meta({ description: "Every task begins so." }),
    task: text,
    agentId: agentId.meta({
      description:
        "The agent that will get the task; absent where none fits yet, and then the service goes on looking.",
    }),
    agentName: agentName.meta({ description: "That agent's name." }),
    teamId,
    priority: prioritySchema,
    deadline,
    estimatedCompletion: instantSchema(
      "When it will be done by estimate, if nobody has to be asked.",
    ),
    estimatedDuration: z.string().meta({
      description: "How long that is, for people to read, such as `3s`, `2m 5s` or `1h 30m`.",
    }),
    deliverables: z
      .array(z.string())
      .meta({ description: "The kinds of files that were asked for." }),
    trackingUrl: z.url().meta({ description: "Where the task is read; also in `Location`." }),
    createdAt,
  })
  .meta({ id: "CreatedTask", description: "A task as it was created." });

const timeline = z
  .strictObject({
    createdAt,
    startedAt,
    completedAt: instantSchema("When the task was completed.").optional(),
    duration: z.string().optional().meta({
      description:
        "From the start of the present attempt to its end, for people to read, such as `850ms`, `12s` or `3m 20s`.",
    }),
    workingTime: z.string().optional().meta({
      description:
        "How long the agent has worked in the current attempt, in the same form; absent before the attempt starts. `budget.maxDurationSeconds` limits it.",
    }),
    waitingTime: z.string().optional().meta({
      description:
        "How long the current attempt has waited since it started: in `blocked`, in `review`, or for a place in the agent's queue.",
    }),
  })
  .meta({ id: "Timeline", description: "The instants of a task's present attempt." });

const earlierAttempt = z
  .strictObject({
    attempt: z.int().min(1).meta({ description: "Which attempt, from 1." }),
    agentId: z.string().optional().meta({ description: "Who made it, if anybody." }),
    agentName: z.string().optional().meta({ description: "The agent's name." }),
    error: attemptErrorSchema,
    timeline: z
      .strictObject({
        startedAt: instantSchema("When it was begun; absent where it never was.").optional(),
        failedAt: instantSchema("When it failed."),
      })
      .meta({ description: "Its instants." }),
  })
  .meta({ id: "EarlierAttempt", description: "An attempt that failed before the present one." });

const blocked = z
  .strictObject({
    kind: blockKindSchema,
    question: z.string().meta({ description: "What the agent asks, for people to read." }),
    since: instantSchema("When it asked."),
  })
  .meta({ id: "Blocked", description: "What a blocked task waits for." });

export const feedbackSchema = z
  .strictObject({
    rating: z.number().min(1).max(5).meta({ description: "1 (worst) to 5 (best)." }),
    feedback: z.string().optional().meta({ description: "In words." }),
    issues: z.array(z.string()).optional().meta({ description: "What was amiss, one by one." }),
  })
  .meta({ id: "Feedback", description: "What people thought of the work." });

/** What a task shows to everybody. */
export const taskFieldSchemas = {
  taskId: taskIdSchema,
  status: taskStatusSchema,
  task: text,
  agentId,
  agentName,
  teamId,
  priority: prioritySchema,
  progress: z.int().min(0).max(100).meta({
    description:
      "How far the present attempt has come, in per cent. Never falls within an attempt, and is 100 when the task is completed and never before.",
  }),
  currentPhase: z.string().optional().meta({
    description:
      "What the agent is at, in its own words, or was at when it stopped; absent before it begins.",
  }),
  timeline,
  result: taskResultSchema.optional().meta({ description: "Only in `review` and `completed`." }),
  deliverables: z
    .array(deliverableSchema)
    .optional()
    .meta({ description: "The files; only in `review` and `completed`." }),
  quality: qualitySchema.optional().meta({
    description: "Only in `review` and `completed`, and only where somebody has judged it.",
  }),
  attempt,
  attempts: z
    .array(earlierAttempt)
    .meta({ description: "The attempts before the present one, oldest first." }),
  createdAt,
  deadline,
  context: freeFormSchema(
    "What the agent has to work with. Where it holds more than 65,536 bytes as JSON, it is absent unless asked for with `include=context`.",
  ).optional(),
  contextBytes: z.int().optional().meta({
    description: "The size of `context` as JSON in bytes, where it is absent for its size.",
  }),
  budget: budgetSchema.optional().meta({ description: "The limits, where there are any." }),
  spend: spendSchema.optional().meta({ description: "Absent while nothing was used." }),
  notes: z.string().optional().meta({ description: "All notes so far, a line each." }),
  lease: z
    .strictObject({
      worker: z.string().optional().meta({ description: "What the worker calls itself." }),
      expiresAt: instantSchema("When the worker loses the task unless it is heard of."),
    })
    .optional()
    .meta({ description: "Who works on it: only while a worker holds the task." }),
  blocked: blocked.optional().meta({ description: "What it waits for; only while `blocked`." }),
  error: attemptErrorSchema.optional().meta({ description: "Why it failed; only while `failed`." }),
  cancelReason: z.string().optional().meta({
    description: "Why it was cancelled, where somebody has said so.",
  }),
  feedback: feedbackSchema.optional().meta({ description: "Only once somebody has given any." }),
};

/** A whole task, as GET answers. */
export const taskSchema = z.strictObject(taskFieldSchemas).meta({
  id: "Task",
  description: "A task as it stands. What does not apply, or not yet, is absent; nothing is null.",
});

/** A task as lists show it. */
export const listedTaskSchema = z
  .strictObject({
    taskId: taskIdSchema,
    status: taskStatusSchema,
    task: text,
    agentId,
    agentName,
    teamId,
    priority: prioritySchema,
    deadline,
    attempt,
    rating: z.number().min(1).max(5).optional().meta({
      description: "The rating of its feedback, 1 to 5, if any.",
    }),
    createdAt,
    startedAt,
    endedAt: instantSchema("When it was completed, failed or cancelled.").optional(),
  })
  .meta({
    id: "ListedTask",
    description:
      "A task as lists show it. A list may lag behind the task by a moment; reading the task itself never does.",
  });

/** GET /agents/tasks. */
export const taskListSchema = z
  .strictObject({
    tasks: z.array(listedTaskSchema).meta({ description: "The page, newest first." }),
    total: z.int().min(0).max(10_000).meta({
      description: "How many tasks match, counted up to 10,000.",
    }),
    totalExact: z.boolean().meta({ description: "False where there are more than `total`." }),
    limit: z.int().meta({ description: "The limit that was asked for." }),
    offset: z.int().meta({ description: "The offset that was asked for." }),
    nextCursor: z.string().nullable().meta({
      description: "What to send as `cursor` for the next page; null on the last one.",
    }),
  })
  .meta({ id: "TaskList", description: "One page of tasks." });

/** POST …/feedback. */
export const givenFeedbackSchema = z
  .strictObject({ taskId: taskIdSchema, ...feedbackSchema.shape })
  .meta({ id: "GivenFeedback", description: "The feedback as it now stands." });
