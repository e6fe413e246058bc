import * as z from "zod";
import {
  agentChoiceSchema,
  assignmentSchema,
  blockKindSchema,
  budgetSchema,
  modelUsageSchema,
  prioritySchema,
  qualitySchema,
  taskErrorSchema,
  taskResultSchema,
  toolCallSchema,
} from "./task-values.ts";
import { storedFileSchema } from "./deliverable.ts";
import {
  componentSchema,
  flagSchema,
  freeFormSchema,
  instantSchema,
  listSchema,
  textListSchema,
  textSchema,
} from "./common.ts";
import { feedbackSchema } from "./task.ts";

const remark = (description: string) => z.string().nullable().describe(description);
const agentId = textSchema("The agent's id.");
const calls = listSchema(
  toolCallSchema,
  "The calls of tools that were made on the way here, and paid.",
);
const use = modelUsageSchema.optional().describe("Only where a language model was at work.");
const work = freeFormSchema(
  "What this step has kept for the later ones of the attempt; its form is the agent's own.",
).optional();

/** A field that larger values leave to one that tells their size. */
const omittedSizeSchema = (name: string) =>
  z
    .int()
    .optional()
    .describe(
      `The size of \`${name}\` as JSON in bytes, if \`${name}\` is omitted: over 65,536 bytes, or over 4,096 bytes in the feed and in webhooks.`,
    );
const context = (description: string) => freeFormSchema(description).optional();
const contextBytes = z
  .int()
  .optional()
  .describe(
    "The size of `context` as JSON in bytes, if `context` is omitted: over 65,536 bytes, and always in the feed and in webhooks.",
  );

const startFieldSchemas = {
  agentId,
  lease: z
    .strictObject({
      worker: remark("What the worker calls itself; null where it does not say."),
      seconds: z.int().describe("How long each sign of life holds the task."),
    })
    .optional()
    .describe("Only where a worker has claimed it."),
};

const outcomeFieldSchemas = {
  result: taskResultSchema,
  quality: qualitySchema.nullable().describe("Null where nobody has judged it."),
  deliverables: listSchema(storedFileSchema, "The files."),
  calls,
  use,
};

export const createdDataSchema = componentSchema("CreatedData", null, {
  task: textSchema("What is to be done."),
  teamId: z.string().nullable().describe("The team that it is for; null for any."),
  choice: agentChoiceSchema
    .nullable()
    .describe("The agent that was found at once; null where none was."),
  priority: prioritySchema,
  deadline: instantSchema("When the task fails unless it has ended; null for never.").nullable(),
  deliverables: textListSchema("The kinds of files that are wanted."),
  context: context("What there is to work with."),
  contextBytes,
  budget: budgetSchema.nullable().describe("The limits; null for none."),
  estimatedCompletion: instantSchema("When it will be done by estimate."),
  estimatedDurationMs: z.number().describe("How long that is, in milliseconds."),
  createdBy: textSchema(
    "The id of the key that created it. Absent for a key bound to an agent or a team.",
  ).optional(),
});

export const declinedDataSchema = componentSchema("DeclinedData", null, {
  agentId,
  reason: textSchema("Why the agent does not do it."),
  excludes: z
    .literal(false)
    .optional()
    .describe("False where it was taken from the agent, which may get it again."),
  released: z
    .literal(true)
    .optional()
    .describe(
      "A worker returned the task before the work was done. The task stays `in_progress` and waits in the agent's queue; the attempt continues.",
    ),
  work,
  workBytes: omittedSizeSchema("work"),
});

export const assignedDataSchema = assignmentSchema.meta({ id: "AssignedData" });

export const startedDataSchema = componentSchema("StartedData", null, startFieldSchemas);

export const resumedDataSchema = componentSchema("ResumedData", null, startFieldSchemas);

export const progressedDataSchema = componentSchema("ProgressedData", null, {
  progress: z.int().min(0).max(99).describe("How far it has come, in per cent."),
  phase: textSchema("What the agent is at, in its own words."),
  calls,
  work,
  workBytes: omittedSizeSchema("work"),
  outside: z
    .literal(true)
    .optional()
    .describe(
      "The event is not a step of the agent: a tool call was made for the task, or a try failed (`error`). Nothing else changed.",
    ),
  error: taskErrorSchema
    .optional()
    .describe(
      "Why a try of the agent's turn failed. The turn is retried; after five failed tries in a row, the attempt fails.",
    ),
  use,
  file: storedFileSchema
    .optional()
    .describe("A file that was handed in; one of the same name replaces it."),
});

export const blockedDataSchema = componentSchema("BlockedData", null, {
  kind: blockKindSchema,
  question: textSchema("What the agent asks, for people to read."),
  calls,
  work,
  workBytes: omittedSizeSchema("work"),
  use,
});

export const respondedDataSchema = componentSchema("RespondedData", null, {
  response: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .optional()
    .describe("The answer: a text or an object; null where the cause went away by itself."),
  responseBytes: omittedSizeSchema("response"),
});

export const submittedDataSchema = componentSchema("SubmittedData", null, outcomeFieldSchemas);

const reviewFieldSchemas = { comment: remark("The reviewer's words; null for none.") };

export const approvedDataSchema = componentSchema("ApprovedData", null, reviewFieldSchemas);

export const changesRequestedDataSchema = componentSchema(
  "ChangesRequestedData",
  null,
  reviewFieldSchemas,
);

export const completedDataSchema = componentSchema("CompletedData", null, outcomeFieldSchemas);

export const failedDataSchema = componentSchema("FailedData", null, {
  error: taskErrorSchema,
  calls,
  use,
});

export const cancelledDataSchema = componentSchema("CancelledData", null, {
  reason: remark("Why; null where nobody has said."),
});

export const retriedDataSchema = componentSchema("RetriedData", null, {
  attempt: z.int().min(2).describe("The attempt that now begins."),
  reassign: flagSchema("Whether another agent was asked for."),
  choice: agentChoiceSchema
    .nullable()
    .describe("The agent that will get it; null while one is looked for."),
  context: context("What was merged into the context; null for nothing.").nullable(),
  contextBytes,
  automatic: z
    .strictObject({
      error: taskErrorSchema,
      notBefore: instantSchema("It begins no sooner than this."),
    })
    .optional()
    .describe("Nobody asked for it: the attempt before was lost for this reason."),
});

export const updatedDataSchema = componentSchema("UpdatedData", null, {
  priority: prioritySchema.optional(),
  deadline: instantSchema("The new deadline.").optional(),
  context: context("What was merged into the context; null under a key deletes it."),
  contextBytes,
  notes: textSchema("The line that was added to the notes.").optional(),
});

export const ratedDataSchema = componentSchema("RatedData", null, feedbackSchema.shape);
