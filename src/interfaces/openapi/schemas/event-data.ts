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
import { freeFormSchema, instantSchema } from "./common.ts";
import { feedbackSchema } from "./task.ts";

const remark = (description: string) => z.string().nullable().meta({ description });
const agentId = z.string().meta({ description: "The agent's id." });
const calls = z
  .array(toolCallSchema)
  .meta({ description: "The calls of tools that were made on the way here, and paid." });
const use = modelUsageSchema
  .optional()
  .meta({ description: "Only where a language model was at work." });
const work = freeFormSchema(
  "What this step has kept for the later ones of the attempt; its form is the agent's own.",
).optional();

/** A field that larger values leave to one that tells their size. */
const omittedSizeSchema = (name: string) =>
  z
    .int()
    .optional()
    .meta({
      description: `The size of \`${name}\` as JSON in bytes, if \`${name}\` is omitted: over 65,536 bytes, or over 4,096 bytes in the feed and in webhooks.`,
    });
const context = (description: string) => freeFormSchema(description).optional();
const contextBytes = z.int().optional().meta({
  description:
    "The size of `context` as JSON in bytes, if `context` is omitted: over 65,536 bytes, and always in the feed and in webhooks.",
});

const startFieldSchemas = {
  agentId,
  lease: z
    .strictObject({
      worker: remark("What the worker calls itself; null where it does not say."),
      seconds: z.int().meta({ description: "How long each sign of life holds the task." }),
    })
    .optional()
    .meta({ description: "Only where a worker has claimed it." }),
};

const outcomeFieldSchemas = {
  result: taskResultSchema,
  quality: qualitySchema.nullable().meta({ description: "Null where nobody has judged it." }),
  deliverables: z.array(storedFileSchema).meta({ description: "The files." }),
  calls,
  use,
};

export const createdDataSchema = z
  .strictObject({
    task: z.string().meta({ description: "What is to be done." }),
    teamId: z.string().nullable().meta({ description: "The team that it is for; null for any." }),
    choice: agentChoiceSchema
      .nullable()
      .meta({ description: "The agent that was found at once; null where none was." }),
    priority: prioritySchema,
    deadline: instantSchema("When the task fails unless it has ended; null for never.").nullable(),
    deliverables: z.array(z.string()).meta({ description: "The kinds of files that are wanted." }),
    context: context("What there is to work with."),
    contextBytes,
    budget: budgetSchema.nullable().meta({ description: "The limits; null for none." }),
    estimatedCompletion: instantSchema("When it will be done by estimate."),
    estimatedDurationMs: z.number().meta({ description: "How long that is, in milliseconds." }),
    createdBy: z.string().optional().meta({
      description:
        "The id of the key that created it. Absent for a key bound to an agent or a team.",
    }),
  })
  .meta({ id: "CreatedData" });

export const declinedDataSchema = z
  .strictObject({
    agentId,
    reason: z.string().meta({ description: "Why the agent does not do it." }),
    excludes: z.literal(false).optional().meta({
      description: "False where it was taken from the agent, which may get it again.",
    }),
    released: z.literal(true).optional().meta({
      description:
        "A worker returned the task before the work was done. The task stays `in_progress` and waits in the agent's queue; the attempt continues.",
    }),
    work,
    workBytes: omittedSizeSchema("work"),
  })
  .meta({ id: "DeclinedData" });

export const assignedDataSchema = assignmentSchema.meta({ id: "AssignedData" });

export const startedDataSchema = z.strictObject(startFieldSchemas).meta({ id: "StartedData" });

export const resumedDataSchema = z.strictObject(startFieldSchemas).meta({ id: "ResumedData" });

export const progressedDataSchema = z
  .strictObject({
    progress: z.int().min(0).max(99).meta({ description: "How far it has come, in per cent." }),
    phase: z.string().meta({ description: "What the agent is at, in its own words." }),
    calls,
    work,
    workBytes: omittedSizeSchema("work"),
    outside: z.literal(true).optional().meta({
      description:
        "The event is not a step of the agent: a tool call was made for the task, or a try failed (`error`). Nothing else changed.",
    }),
    error: taskErrorSchema.optional().meta({
      description:
        "Why a try of the agent's turn failed. The turn is retried; after five failed tries in a row, the attempt fails.",
    }),
    use,
    file: storedFileSchema.optional().meta({
      description: "A file that was handed in; one of the same name replaces it.",
    }),
  })
  .meta({ id: "ProgressedData" });

export const blockedDataSchema = z
  .strictObject({
    kind: blockKindSchema,
    question: z.string().meta({ description: "What the agent asks, for people to read." }),
    calls,
    work,
    workBytes: omittedSizeSchema("work"),
    use,
  })
  .meta({ id: "BlockedData" });

export const respondedDataSchema = z
  .strictObject({
    response: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
      .optional()
      .meta({
        description: "The answer: a text or an object; null where the cause went away by itself.",
      }),
    responseBytes: omittedSizeSchema("response"),
  })
  .meta({ id: "RespondedData" });

export const submittedDataSchema = z
  .strictObject(outcomeFieldSchemas)
  .meta({ id: "SubmittedData" });

const reviewFieldSchemas = { comment: remark("The reviewer's words; null for none.") };

export const approvedDataSchema = z.strictObject(reviewFieldSchemas).meta({ id: "ApprovedData" });

export const changesRequestedDataSchema = z
  .strictObject(reviewFieldSchemas)
  .meta({ id: "ChangesRequestedData" });

export const completedDataSchema = z
  .strictObject(outcomeFieldSchemas)
  .meta({ id: "CompletedData" });

export const failedDataSchema = z
  .strictObject({ error: taskErrorSchema, calls, use })
  .meta({ id: "FailedData" });

export const cancelledDataSchema = z
  .strictObject({ reason: remark("Why; null where nobody has said.") })
  .meta({ id: "CancelledData" });

export const retriedDataSchema = z
  .strictObject({
    attempt: z.int().min(2).meta({ description: "The attempt that now begins." }),
    reassign: z.boolean().meta({ description: "Whether another agent was asked for." }),
    choice: agentChoiceSchema
      .nullable()
      .meta({ description: "The agent that will get it; null while one is looked for." }),
    context: context("What was merged into the context; null for nothing.").nullable(),
    contextBytes,
    automatic: z
      .strictObject({
        error: taskErrorSchema,
        notBefore: instantSchema("It begins no sooner than this."),
      })
      .optional()
      .meta({ description: "Nobody asked for it: the attempt before was lost for this reason." }),
  })
  .meta({ id: "RetriedData" });

export const updatedDataSchema = z
  .strictObject({
    priority: prioritySchema.optional(),
    deadline: instantSchema("The new deadline.").optional(),
    context: context("What was merged into the context; null under a key deletes it."),
    contextBytes,
    notes: z.string().optional().meta({ description: "The line that was added to the notes." }),
  })
  .meta({ id: "UpdatedData" });

export const ratedDataSchema = z.strictObject(feedbackSchema.shape).meta({ id: "RatedData" });
