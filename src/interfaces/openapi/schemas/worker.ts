import * as z from "zod";
import { uploadedFileSchema } from "./deliverable.ts";
import * as schema from "./common.ts";
import { taskFieldSchemas, taskIdSchema } from "./task.ts";
import { taskStatusSchema } from "./task-values.ts";

const expiresAt = schema.instant("When the worker loses the task unless it is heard of by then.");
const seconds = schema.integer(
  "How long each sign of life holds the task, in seconds, as the claim asked for.",
);

const grantedLease = schema.component("GrantedLease", "The worker's hold on the task.", {
  token: schema.text(
    "Shows that the worker holds the task; told this once, and to be kept secret.",
    "lse_84c39c90-f351-475e-a25f-7524b8c40995",
  ),
  expiresAt,
  seconds,
});

const answer = schema.component("Answer", "A question that was asked, and its answer.", {
  question: schema.text("What was asked."),
  response: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .describe("What was answered: a text or an object; null where the cause went away by itself."),
});

/** The fields that a claimed task can have. */
const { agentId, agentName, teamId, task, priority, progress, currentPhase } = taskFieldSchemas;
const { timeline, attempt, attempts, createdAt, deadline, budget, spend, notes } = taskFieldSchemas;

/** A task as its worker gets it. */
export const claimedTaskSchema = schema.component(
  "ClaimedTask",
  "A task as its worker gets it: as GET shows it, with all that is needed to begin, or to go on where another stopped.",
  {
    taskId: taskIdSchema,
    status: z.literal("in_progress").describe("The claim has set it to work."),
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
    context: schema.freeForm("What there is to work with, whole, whatever its size."),
    deliverables: schema.textList("The kinds of files that are asked for, such as `report`."),
    answers: z.array(answer).meta({
      description:
        "People's answers so far, oldest first: each question that was reported as `blocked`, with the `response` of …/respond. Empty after a requested retry.",
      examples: [[{ question: "Which year?", response: "1702" }]],
    }),
    reviewComments: schema.textList(
      "What reviewers want changed, oldest first; the last one sent it back.",
    ),
    work: schema.freeForm(
      "What earlier holders of the task have left with `progress` and `blocked`, merged key by key.",
    ),
    files: schema.list(
      uploadedFileSchema,
      "What has been handed in already in this attempt; it will be delivered as well.",
    ),
    lease: grantedLease,
  },
);

/** POST /agents/tasks/claim. */
export const claimSchema = schema.component("Claim", "The tasks that the worker now holds.", {
  tasks: schema.list(
    claimedTaskSchema,
    "The most urgent first; empty where nothing came within `waitSeconds`.",
  ),
});

/** POST …/report. */
export const reportResultSchema = schema.component(
  "Reported",
  "How the worker stands with the task from here on.",
  {
    taskId: taskIdSchema,
    status: taskStatusSchema,
    stop: schema.flag(
      "Whether the worker should stop: it holds the task no more, as it has ended, is blocked, is in review or was cancelled.",
    ),
    lease: z
      .strictObject({ expiresAt, seconds })
      .optional()
      .describe("The hold as it now stands; only while the worker has it."),
  },
);
