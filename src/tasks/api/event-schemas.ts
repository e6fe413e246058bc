import * as z from "zod";
import type { EventData } from "../model/event-data.ts";
import { TASK_EVENT_TYPES, type TaskEventType } from "../model/events.ts";
import * as schema from "../../http/schemas.ts";
import { storedFileSchema } from "./deliverable-schemas.ts";
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
} from "./value-schemas.ts";
import { feedbackSchema, taskFieldSchemas, taskIdSchema } from "./task-schemas.ts";

/// <reference types="zod-openapi" />

/** The whole stream; the data of its messages are separate components. */
export const eventStreamSchema = z.string().meta({
  description:
    "Server-Sent Events: `snapshot` with a TaskSnapshot, then each TaskEvent as a message without a name.",
  // JSON Schema's annotation for the content of a string: here the data of the messages, in order.
  override: {
    contentMediaType: "text/event-stream",
    contentSchema: {
      type: "array",
      items: {
        anyOf: [
          { $ref: "#/components/schemas/TaskSnapshot" },
          { $ref: "#/components/schemas/TaskEvent" },
        ],
      },
    },
  },
});

/** The data of `snapshot`. */
export const taskSnapshotSchema = z
  .strictObject({
    ...taskFieldSchemas,
    seq: z.int().min(1).describe("The last event that it includes."),
  })
  .meta({
    id: "TaskSnapshot",
    description: "A task as GET shows it, as of one event of its log; the beginning of a stream.",
    unusedIO: "output",
  });

export const eventTypeSchema = z.enum(TASK_EVENT_TYPES).meta({
  id: "EventType",
  description: "The types of events of a task; TaskEvent describes each type.",
});

const seq = z
  .int()
  .min(1)
  .describe("The position of the event in the task's log: 1, 2, 3 … without gaps.");
const at = schema.instant("When the event occurred.");

const remark = (description: string) => z.string().nullable().describe(description);
const agentId = schema.text("The agent's id.");
const calls = schema.list(toolCallSchema, "The paid tool calls since the previous step.");
const use = modelUsageSchema.optional().describe("Only if a language model worked on it.");
const work = schema.optional.freeForm(
  "The data that this step saved for later steps of the attempt, in the agent's own format.",
);

/** The size of a field that is omitted because it is large. */
const omittedSizeSchema = (name: string) =>
  schema.optional.integer(
    `The size of \`${name}\` as JSON in bytes, if \`${name}\` is omitted: over 65,536 bytes, or over 4,096 bytes in the feed and in webhooks.`,
  );
const context = (description: string) => schema.optional.freeForm(description);
const contextBytes = schema.optional.integer(
  "The size of `context` as JSON in bytes, if `context` is omitted: over 65,536 bytes, and always in the feed and in webhooks.",
);

const startFieldSchemas = {
  agentId,
  lease: z
    .strictObject({
      worker: remark("The worker's name; null if the claim did not contain one."),
      seconds: schema.integer("The duration by which each report renews the lease."),
    })
    .optional()
    .describe("Only if a worker has claimed it."),
};

const outcomeFieldSchemas = {
  result: taskResultSchema,
  quality: qualitySchema.nullable().describe("Null if the quality was not assessed."),
  deliverables: schema.list(storedFileSchema, "The files."),
  calls,
  use,
};

const reviewFieldSchemas = { comment: remark("The reviewer's comment; null for none.") };

/** One type of event, as the component `<Type>Event` with its data as `<Type>Data`. */
function eventSchema<Type extends TaskEventType, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  description: string,
  shape: Shape,
) {
  const name = schema.toPascalCase(type);
  const data = schema.component(`${name}Data`, null, shape);
  return schema.component(`${name}Event`, description, { seq, type: z.literal(type), at, data });
}

const EVENTS = [
  eventSchema("created", "The task was created; always the first event.", {
    task: schema.text("The description of the work."),
    teamId: z.string().nullable().describe("The team of the task; null for any."),
    choice: agentChoiceSchema
      .nullable()
      .describe("The agent that was assigned immediately; null if there was none."),
    priority: prioritySchema,
    deadline: schema
      .instant("The deadline, at which the task fails unless it has ended; null for none.")
      .nullable(),
    deliverables: schema.textList("The requested kinds of files."),
    context: context("The input for the agent."),
    contextBytes,
    budget: budgetSchema.nullable().describe("The limits; null for none."),
    estimatedCompletion: schema.instant("The estimated completion."),
    estimatedDurationMs: z.number().describe("The estimated duration, in milliseconds."),
    createdBy: schema.optional.text(
      "The id of the key that created it. Absent for a key bound to an agent or a team.",
    ),
  }),
  eventSchema("assigned", "The task was assigned to an agent.", assignmentSchema.shape),
  eventSchema(
    "declined",
    "The agent declined the task or the task was taken from it, and the service searches for an agent; or a worker returned the task (`released`).",
    {
      agentId,
      reason: schema.text("The reason, for people to read."),
      excludes: schema.optional.literal(
        false,
        "False if the agent may get the task again, because it did not decline the task itself.",
      ),
      released: schema.optional.literal(
        true,
        "A worker returned the task before the work was done. The task stays `in_progress` and waits in the agent's queue; the attempt continues.",
      ),
      work,
      workBytes: omittedSizeSchema("work"),
    },
  ),
  eventSchema("started", "The agent began to work.", startFieldSchemas),
  eventSchema("resumed", "The agent continues after an answer or a review.", startFieldSchemas),
  eventSchema("progressed", "Work was done, a call was paid or a file was uploaded.", {
    progress: z.int().min(0).max(99).describe("The progress, in percent."),
    phase: schema.text("The agent's description of its current phase."),
    calls,
    work,
    workBytes: omittedSizeSchema("work"),
    outside: schema.optional.literal(
      true,
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
      .describe("An uploaded file; a later file with the same name replaces it."),
  }),
  eventSchema("blocked", "The agent needs something and waits.", {
    kind: blockKindSchema,
    question: schema.text("The agent's question, for people to read."),
    calls,
    work,
    workBytes: omittedSizeSchema("work"),
    use,
  }),
  eventSchema("responded", "The question was answered; the work continues.", {
    response: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
      .optional()
      .describe(
        "The answer: a text or an object; null if the cause was resolved without an answer.",
      ),
    responseBytes: omittedSizeSchema("response"),
  }),
  eventSchema("submitted", "The work was submitted for review.", outcomeFieldSchemas),
  eventSchema(
    "approved",
    "The reviewer approved it; `completed` follows at once.",
    reviewFieldSchemas,
  ),
  eventSchema("changes_requested", "The reviewer requested changes.", reviewFieldSchemas),
  eventSchema("completed", "The work is done. Only `rated` may follow.", outcomeFieldSchemas),
  eventSchema("failed", "The attempt has failed. `updated` and `retried` may follow.", {
    error: taskErrorSchema,
    calls,
    use,
  }),
  eventSchema("cancelled", "The task was cancelled. No event follows.", {
    reason: remark("The reason; null if none was given."),
  }),
  eventSchema("retried", "The next attempt begins.", {
    attempt: z.int().min(2).describe("The attempt that now begins."),
    reassign: schema.flag("Whether the retry requested another agent."),
    choice: agentChoiceSchema
      .nullable()
      .describe("The agent of the next attempt; null while the service searches for one."),
    context: context("The values that were merged into the context; null for none.").nullable(),
    contextBytes,
    automatic: z
      .strictObject({
        error: taskErrorSchema,
        notBefore: schema.instant("The earliest start of the attempt."),
      })
      .optional()
      .describe("The retry was automatic, because the previous attempt was lost for this reason."),
  }),
  eventSchema("updated", "The fields named here were changed.", {
    priority: prioritySchema.optional(),
    deadline: schema.optional.instant("The new deadline."),
    context: context("The values that were merged into the context; a null deletes its key."),
    contextBytes,
    notes: schema.optional.text("The line that was added to the notes."),
  }),
  eventSchema("rated", "Feedback was given; it replaces earlier feedback.", feedbackSchema.shape),
] as const;

/** An event in responses. The compiler does not relate its data to its type; a test compares both with the schema. */
export interface TaskEventResponse {
  readonly seq: number;
  readonly type: TaskEventType;
  readonly at: string;
  readonly data: EventData;
}

/** One line of a task's log. */
export const taskEventSchema: z.ZodType<TaskEventResponse, TaskEventResponse> = z
  .discriminatedUnion("type", EVENTS)
  .meta({
    id: "TaskEvent",
    description: "One event in a task's log. `type` determines the fields of `data`.",
  });

const [first, ...others] = EVENTS;

export interface FeedEventResponse extends TaskEventResponse {
  readonly taskId: string;
  readonly agentId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly title?: string | undefined;
  readonly dataBytes?: number | undefined;
}

export const feedEventSchema: z.ZodType<FeedEventResponse, FeedEventResponse> = z
  .discriminatedUnion("type", [toFeedEventSchema(first), ...others.map(toFeedEventSchema)])
  .meta({
    id: "FeedEvent",
    description: "An event of any task, with the task's agent and team at that time.",
  });

/** GET /agents/tasks/:id/events. */
export const taskEventPageSchema = schema.component("TaskEvents", "One page of a task's log.", {
  taskId: taskIdSchema,
  events: schema.list(taskEventSchema, "The events on the page, oldest first."),
  nextAfter: z.int().nullable().describe("The `after` of the next page; null on the last page."),
});

/** GET /agents/events. */
export const feedPageSchema = schema.component("Events", "One page of task events.", {
  events: schema.list(feedEventSchema, "The events on the page, oldest first."),
  nextCursor: schema.text(
    "The position to continue from. Always present, because later events can follow.",
  ),
  more: schema.flag(
    "Whether there are more events to read now. A page can be short or empty even if there are.",
  ),
  truncatedBefore: schema.optional.instant(
    "When the feed received the last event that it dropped before the end of seven days because its storage was full; absent if it dropped none.",
  ),
});
export type FeedPageResponse = schema.ResponseOf<typeof feedPageSchema>;

function toFeedEventSchema(one: (typeof EVENTS)[number]) {
  const type: TaskEventType = one.shape.type.value;
  return schema.component(`${schema.toPascalCase(type)}FeedEvent`, "As in the task's own log.", {
    taskId: taskIdSchema,
    ...one.shape,
    agentId: schema.optional.text(
      "The agent that had the task at that time; absent if there was none.",
    ),
    teamId: schema.optional.text("The team of the task; absent if there is none."),
    title: schema.optional.text(
      "The beginning of the task's text, in one line of at most 200 characters; absent in events from earlier releases.",
    ),
    dataBytes: schema.optional.integer(
      "The size of `data` in bytes before it was shortened; absent if it was not. If `data` exceeds 16,384 bytes, strings are truncated to 1,000 characters, including an ellipsis, and lists contain only their first items. The task's own log has the complete data.",
    ),
  });
}
