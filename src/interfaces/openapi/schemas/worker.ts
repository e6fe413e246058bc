import * as z from "zod";
import { uploadedFileSchema } from "./deliverable.ts";
import { freeFormSchema, instantSchema } from "./common.ts";
import { taskFieldSchemas, taskIdSchema } from "./task.ts";
import { taskStatusSchema } from "./task-values.ts";

const expiresAt = instantSchema("When the worker loses the task unless it is heard of by then.");
const seconds = z.int().meta({
  description: "How long each sign of life holds the task, in seconds, as the claim asked for.",
});

const grantedLease = z
  .strictObject({
    token: z.string().meta({
      description: "Shows that the worker holds the task; told this once, and to be kept secret.",
      examples: ["lse_84c39c90-f351-475e-a25f-7524b8c40995"],
    }),
    expiresAt,
    seconds,
  })
  .meta({ id: "GrantedLease", description: "The worker's hold on the task." });

const answer = z
  .strictObject({
    question: z.string().meta({ description: "What was asked." }),
    response: z.union([z.string(), z.record(z.string(), z.unknown()), z.null()]).meta({
      description:
        "What was answered: a text or an object; null where the cause went away by itself.",
    }),
  })
  .meta({ id: "Answer", description: "A question that was asked, and its answer." });

/** What a task that is being claimed can never show is left out. */
const { agentId, agentName, teamId, task, priority, progress, currentPhase } = taskFieldSchemas;
const { timeline, attempt, attempts, createdAt, deadline, budget, spend, notes } = taskFieldSchemas;

/** A task as its worker gets it. */
export const claimedTaskSchema = z
  .strictObject({
    taskId: taskIdSchema,
    status: z.literal("in_progress").meta({ description: "The claim has set it to work." }),
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
    context: freeFormSchema("What there is to work with, whole, whatever its size."),
    deliverables: z
      .array(z.string())
      .meta({ description: "The kinds of files that are asked for, such as `report`." }),
    answers: z.array(answer).meta({
      description:
        "People's answers so far, oldest first: each question that was reported as `blocked`, with the `response` of …/respond. Empty after a requested retry.",
      examples: [[{ question: "Which year?", response: "1702" }]],
    }),
    reviewComments: z.array(z.string()).meta({
      description: "What reviewers want changed, oldest first; the last one sent it back.",
    }),
    work: freeFormSchema(
      "What earlier holders of the task have left with `progress` and `blocked`, merged key by key.",
    ),
    files: z.array(uploadedFileSchema).meta({
      description: "What has been handed in already in this attempt; it will be delivered as well.",
    }),
    lease: grantedLease,
  })
  .meta({
    id: "ClaimedTask",
    description:
      "A task as its worker gets it: as GET shows it, with all that is needed to begin, or to go on where another stopped.",
  });

/** POST /agents/tasks/claim. */
export const claimSchema = z
  .strictObject({
    tasks: z.array(claimedTaskSchema).meta({
      description: "The most urgent first; empty where nothing came within `waitSeconds`.",
    }),
  })
  .meta({ id: "Claim", description: "The tasks that the worker now holds." });

/** POST …/report. */
export const reportResultSchema = z
  .strictObject({
    taskId: taskIdSchema,
    status: taskStatusSchema,
    stop: z.boolean().meta({
      description:
        "Whether the worker should stop: it holds the task no more, as it has ended, is blocked, is in review or was cancelled.",
    }),
    lease: z
      .strictObject({ expiresAt, seconds })
      .optional()
      .meta({ description: "The hold as it now stands; only while the worker has it." }),
  })
  .meta({ id: "Reported", description: "How the worker stands with the task from here on." });
