import * as z from "zod";
import { assignment, choice } from "./choice.ts";
import { storedFile } from "./deliverable.ts";
import { freeForm } from "./free-form.ts";
import { instant } from "./instant.ts";
import { budget, modelUse, toolCall } from "./money.ts";
import { quality, taskResult } from "./outcome.ts";
import { feedback } from "./task.ts";
import { taskError } from "./task-error.ts";
import { blockKind, priority } from "./task-words.ts";

const remark = (description: string) => z.string().nullable().meta({ description });
const agentId = z.string().meta({ description: "The agent's id." });
const calls = z
  .array(toolCall)
  .meta({ description: "The calls of tools that were made on the way here, and paid." });
const use = modelUse.optional().meta({ description: "Only where a language model was at work." });
const work = freeForm(
  "What this step has kept for the later ones of the attempt; its form is the agent's own.",
).optional();

/** A field that larger values leave to one that tells their size. */
const size = (name: string) =>
  z
    .int()
    .optional()
    .meta({
      description: `The size of \`${name}\` as JSON in bytes, if \`${name}\` is omitted: over 65,536 bytes, or over 4,096 bytes in the feed and in webhooks.`,
    });
const context = (description: string) => freeForm(description).optional();
const contextBytes = z.int().optional().meta({
  description:
    "The size of `context` as JSON in bytes, if `context` is omitted: over 65,536 bytes, and always in the feed and in webhooks.",
});

const opening = {
  agentId,
  lease: z
    .strictObject({
      worker: remark("What the worker calls itself; null where it does not say."),
      seconds: z.int().meta({ description: "How long each sign of life holds the task." }),
    })
    .optional()
    .meta({ description: "Only where a worker has claimed it." }),
};

const outcome = {
  result: taskResult,
  quality: quality.nullable().meta({ description: "Null where nobody has judged it." }),
  deliverables: z.array(storedFile).meta({ description: "The files." }),
  calls,
  use,
};

export const created = z
  .strictObject({
    task: z.string().meta({ description: "What is to be done." }),
    teamId: z.string().nullable().meta({ description: "The team that it is for; null for any." }),
    choice: choice
      .nullable()
      .meta({ description: "The agent that was found at once; null where none was." }),
    priority,
    deadline: instant("When the task fails unless it has ended; null for never.").nullable(),
    deliverables: z.array(z.string()).meta({ description: "The kinds of files that are wanted." }),
    context: context("What there is to work with."),
    contextBytes,
    budget: budget.nullable().meta({ description: "The limits; null for none." }),
    estimatedCompletion: instant("When it will be done by estimate."),
    estimatedDurationMs: z.number().meta({ description: "How long that is, in milliseconds." }),
    createdBy: z.string().optional().meta({
      description:
        "The id of the key that created it. Absent for a key bound to an agent or a team.",
    }),
  })
  .meta({ id: "CreatedData" });

export const declined = z
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
    workBytes: size("work"),
  })
  .meta({ id: "DeclinedData" });

export const assigned = assignment.meta({ id: "AssignedData" });

export const started = z.strictObject(opening).meta({ id: "StartedData" });

export const resumed = z.strictObject(opening).meta({ id: "ResumedData" });

export const progressed = z
  .strictObject({
    progress: z.int().min(0).max(99).meta({ description: "How far it has come, in per cent." }),
    phase: z.string().meta({ description: "What the agent is at, in its own words." }),
    calls,
    work,
    workBytes: size("work"),
    outside: z.literal(true).optional().meta({
      description:
        "The event is not a step of the agent: a tool call was made for the task, or a try failed (`error`). Nothing else changed.",
    }),
    error: taskError.optional().meta({
      description:
        "Why a try of the agent's turn failed. The turn is retried; after five failed tries in a row, the attempt fails.",
    }),
    use,
    file: storedFile.optional().meta({
      description: "A file that was handed in; one of the same name replaces it.",
    }),
  })
  .meta({ id: "ProgressedData" });

export const blocked = z
  .strictObject({
    kind: blockKind,
    question: z.string().meta({ description: "What the agent asks, for people to read." }),
    calls,
    work,
    workBytes: size("work"),
    use,
  })
  .meta({ id: "BlockedData" });

export const responded = z
  .strictObject({
    response: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
      .optional()
      .meta({
        description: "The answer: a text or an object; null where the cause went away by itself.",
      }),
    responseBytes: size("response"),
  })
  .meta({ id: "RespondedData" });

export const submitted = z.strictObject(outcome).meta({ id: "SubmittedData" });

const verdict = { comment: remark("The reviewer's words; null for none.") };

export const approved = z.strictObject(verdict).meta({ id: "ApprovedData" });

export const changesRequested = z.strictObject(verdict).meta({ id: "ChangesRequestedData" });

export const completed = z.strictObject(outcome).meta({ id: "CompletedData" });

export const failed = z.strictObject({ error: taskError, calls, use }).meta({ id: "FailedData" });

export const cancelled = z
  .strictObject({ reason: remark("Why; null where nobody has said.") })
  .meta({ id: "CancelledData" });

export const retried = z
  .strictObject({
    attempt: z.int().min(2).meta({ description: "The attempt that now begins." }),
    reassign: z.boolean().meta({ description: "Whether another agent was asked for." }),
    choice: choice
      .nullable()
      .meta({ description: "The agent that will get it; null while one is looked for." }),
    context: context("What was merged into the context; null for nothing.").nullable(),
    contextBytes,
    automatic: z
      .strictObject({ error: taskError, notBefore: instant("It begins no sooner than this.") })
      .optional()
      .meta({ description: "Nobody asked for it: the attempt before was lost for this reason." }),
  })
  .meta({ id: "RetriedData" });

export const updated = z
  .strictObject({
    priority: priority.optional(),
    deadline: instant("The new deadline.").optional(),
    context: context("What was merged into the context; null under a key deletes it."),
    contextBytes,
    notes: z.string().optional().meta({ description: "The line that was added to the notes." }),
  })
  .meta({ id: "UpdatedData" });

export const rated = z.strictObject(feedback.shape).meta({ id: "RatedData" });
