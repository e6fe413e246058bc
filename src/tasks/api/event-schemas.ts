import * as z from "zod";
import type { EventData } from "../model/event-data.ts";
import { SETTLED_STATUSES } from "../../governance/model/approval-status.ts";
import type { TaskEventType } from "../model/events.ts";
import * as schema from "../../http/schemas.ts";
import { storedFileSchema } from "./deliverable-schemas.ts";
import {
  agentChoiceSchema,
  assignmentSchema,
  blockKindSchema,
  budgetSchema,
  eventAuthorSchema as by,
  modelUsageSchema,
  prioritySchema,
  qualitySchema,
  taskErrorSchema,
  taskResultSchema,
  toolCallSchema,
  usd,
} from "./value-schemas.ts";
import { feedbackSchema, nameSchemas, replacedFieldSchemas, taskIdSchema } from "./task-schemas.ts";

/// <reference types="zod-openapi" />

const seq = z
  .int()
  .min(1)
  .describe("The event's position in the task's log, counted from 1 without gaps.");
const at = schema.instant("When the event occurred.");

const remark = (description: string) => z.string().nullable().describe(description);
const agentId = schema.text("The agent's id.");
const approvalId = schema.text("The id of the approval (see GET /agents/approvals/{id}).");
const calls = schema.list(toolCallSchema, "The tool calls that were charged with this event.");
const use = modelUsageSchema.optional().describe("Present only if a language model was used.");
const cost = usd(
  "The cost that the worker reported, in US dollars; absent if it reported none.",
).optional();
const work = schema.optional.freeForm(
  "The data that this step saved for later steps of the attempt, in the agent's own format.",
);

/** The size of a field that is omitted because it is too large. */
const omittedSizeSchema = (name: string) =>
  schema.optional.integer(
    `The size of \`${name}\` as JSON, in bytes. Present only if \`${name}\` is omitted because it exceeds 65,536 bytes, or 4,096 bytes in the feed and in webhooks.`,
  );
const context = (description: string) => schema.optional.freeForm(description);
const contextBytes = schema.optional.integer(
  "The size of `context` as JSON, in bytes. Present only if `context` is omitted: always in the feed and in webhooks, and in the task's own log if it exceeds 65,536 bytes.",
);

const startFieldSchemas = {
  agentId,
  lease: z
    .strictObject({
      worker: remark("The worker's name; null if the claim did not specify one."),
      seconds: schema.integer(
        "The duration of the lease, in seconds. Reports renew the lease for this long.",
      ),
    })
    .optional()
    .describe("Present only if a worker claimed the task."),
};

const outcomeFieldSchemas = {
  result: taskResultSchema,
  quality: qualitySchema.nullable().describe("Null if the quality was not assessed."),
  deliverables: schema.list(storedFileSchema, "The files."),
  calls,
  use,
  cost,
};

const reviewFieldSchemas = {
  comment: remark("The reviewer's comment; null if there is none."),
  by,
};

/** Defines one event type as the component `<Type>Event`, with its data as `<Type>Data`. */
function eventSchema<Type extends TaskEventType, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  description: string,
  shape: Shape,
) {
  const name = schema.toPascalCase(type);
  const data = schema.component(`${name}Data`, null, shape);
  return schema.component(`${name}Event`, description, { seq, type: z.literal(type), at, data });
}

/** The schemas of all event types of a task's log. */
export const TASK_EVENT_SCHEMAS = [
  eventSchema("created", "The task was created. This is always the first event.", {
    task: schema.text("The description of the work."),
    teamId: z.string().nullable().describe("The task's team; null if the task has none."),
    choice: agentChoiceSchema
      .nullable()
      .describe("The agent that was chosen immediately; null if none was suitable."),
    priority: prioritySchema,
    deadline: schema
      .instant(
        "The time at which the task fails if it has not ended; null if there is no deadline.",
      )
      .nullable(),
    deliverables: schema.textList("The requested kinds of file."),
    context: context("The input for the agent."),
    contextBytes,
    budget: budgetSchema.nullable().describe("The limits; null if there are none."),
    estimatedCompletion: schema.instant("The estimated completion time."),
    estimatedDurationMs: z.number().describe("The estimated duration, in milliseconds."),
    createdBy: schema.optional.text(
      "The id of the key that created the task. Not shown to keys that are bound to an agent or a team.",
    ),
    by,
    ...nameSchemas,
  }),
  eventSchema("assigned", "The task was assigned to an agent.", assignmentSchema.shape),
  eventSchema(
    "declined",
    "The agent declined the task, the task was taken back from the agent, or the task returned to the agent's queue (`released`). In the first two cases, the service searches for an agent again.",
    {
      agentId,
      reason: schema.text("A human-readable reason."),
      excludes: schema.optional.literal(
        false,
        "False if the agent did not itself decline the task, so the task can be assigned to it again.",
      ),
      released: schema.optional.literal(
        true,
        "A worker returned the task before the work was done, or the agent was paused. The task stays `in_progress` and waits in the agent's queue; the attempt continues.",
      ),
      paused: schema.optional.literal(true, "The task waits because the agent was paused."),
      work,
      workBytes: omittedSizeSchema("work"),
      cost,
    },
  ),
  eventSchema("started", "The agent started work.", startFieldSchemas),
  eventSchema(
    "resumed",
    "The agent resumed work, for example after an answer or a review.",
    startFieldSchemas,
  ),
  eventSchema("progressed", "The agent made progress, usage was charged or a file was uploaded.", {
    progress: z.int().min(0).max(99).describe("The progress, in percent."),
    phase: schema.text("The agent's description of its current phase."),
    calls,
    work,
    workBytes: omittedSizeSchema("work"),
    outside: schema.optional.literal(
      true,
      "The event is not one of the agent's steps. Instead, a tool call or model usage was charged to the task, or the agent's turn failed (`error`). Nothing else changed.",
    ),
    error: taskErrorSchema
      .optional()
      .describe(
        "Why the agent's turn failed. The turn is retried; after five failures in a row, the attempt fails.",
      ),
    use,
    cost,
    file: storedFileSchema
      .optional()
      .describe("An uploaded file. A later file with the same name replaces it."),
  }),
  eventSchema("blocked", "The agent needs something before it can continue.", {
    kind: blockKindSchema,
    question: schema.text("The agent's question."),
    approvalIds: z
      .array(z.string())
      .optional()
      .describe("The ids of the approvals that the task waits for; absent for other questions."),
    calls,
    work,
    workBytes: omittedSizeSchema("work"),
    use,
    cost,
  }),
  eventSchema(
    "call_stored",
    "One of the agent's calls requires approval. It is stored and waits for a decision.",
    {
      approvalId,
      toolId: schema.text("The id of the tool."),
      capability: schema.text("The id of the capability."),
      sha256: schema.matching(
        /^[0-9a-f]{64}$/,
        "The SHA-256 of the tool, the capability and the parameters, in hex.",
      ),
    },
  ),
  eventSchema(
    "call_settled",
    "The call was made, denied or withdrawn. If the task waited for it and for no other call, the work continues.",
    {
      approvalId,
      status: z.enum(SETTLED_STATUSES).describe("How the approval ended."),
      message: schema.text("A human-readable description."),
      result: schema.optional.text(
        "The beginning of the result as JSON, at most 8,000 characters; the approval has the whole result.",
      ),
      resultBytes: omittedSizeSchema("result"),
    },
  ),
  eventSchema("responded", "The question was answered, and the work continues.", {
    response: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
      .optional()
      .describe(
        "The answer (a string or an object), or null if the task continued without an answer.",
      ),
    responseBytes: omittedSizeSchema("response"),
    by,
  }),
  eventSchema("submitted", "The work was submitted for review.", outcomeFieldSchemas),
  eventSchema(
    "approved",
    "The reviewer approved the work. `completed` follows immediately.",
    reviewFieldSchemas,
  ),
  eventSchema("changes_requested", "The reviewer requested changes.", reviewFieldSchemas),
  eventSchema("completed", "The work is done. Only `rated` can follow.", outcomeFieldSchemas),
  eventSchema("failed", "The attempt failed. `updated` and `retried` can follow.", {
    error: taskErrorSchema,
    calls,
    use,
    cost,
    by,
  }),
  eventSchema("cancelled", "The task was cancelled. No events follow.", {
    reason: remark("The reason; null if none was given."),
    by,
  }),
  eventSchema("retried", "The next attempt began.", {
    attempt: z.int().min(2).describe("The number of the new attempt."),
    reassign: schema.flag("Whether the retry requested another agent."),
    choice: agentChoiceSchema
      .nullable()
      .describe("The agent of the new attempt; null if the service is still searching for one."),
    context: context(
      "The values that were merged into the context; null if there were none.",
    ).nullable(),
    contextBytes,
    automatic: z
      .strictObject({
        error: taskErrorSchema,
        notBefore: schema.instant("The earliest time at which the attempt can start."),
      })
      .optional()
      .describe(
        "Present only if the retry was automatic: why the previous attempt was lost, and when the new one can start.",
      ),
    by,
  }),
  eventSchema("updated", "The fields in `data` were changed.", {
    priority: prioritySchema.optional(),
    deadline: schema.optional.instant("The new deadline."),
    context: context("The values that were merged into the context; null deletes a key."),
    contextBytes,
    notes: schema.optional.text("The line that was added to the notes."),
    ...replacedFieldSchemas,
    choice: agentChoiceSchema
      .optional()
      .describe(
        "The agent to which the task was given before it started. The task is then `pending` until it is assigned.",
      ),
    by,
  }),
  eventSchema("rated", "Feedback was given. It replaces any earlier feedback.", {
    ...feedbackSchema.shape,
    by,
  }),
] as const;

/**
 * An event in responses. The compiler does not check `data` against `type`, but a test validates both against the
 * schema.
 */
export interface TaskEventResponse {
  readonly seq: number;
  readonly type: TaskEventType;
  readonly at: string;
  readonly data: EventData;
}

/** An event in a task's log. */
export const taskEventSchema: z.ZodType<TaskEventResponse, TaskEventResponse> = z
  .discriminatedUnion("type", TASK_EVENT_SCHEMAS)
  .meta({
    id: "TaskEvent",
    description: "One event in a task's log. `type` determines the fields of `data`.",
  });

/** GET /agents/tasks/:id/events. */
export const taskEventPageSchema = schema.component("TaskEvents", "One page of a task's log.", {
  taskId: taskIdSchema,
  events: schema.list(taskEventSchema, "The events on the page, oldest first."),
  nextAfter: z
    .int()
    .nullable()
    .describe("The `after` to send for the next page; null on the last page."),
});
