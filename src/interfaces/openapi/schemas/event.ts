import * as z from "zod";
import { TASK_EVENT_TYPES, type TaskEventType } from "../../../tasks/model/events.ts";
import * as data from "./event-data.ts";
import { componentSchema, flagSchema, instantSchema, listSchema, textSchema } from "./common.ts";
import { taskFieldSchemas, taskIdSchema } from "./task.ts";

/// <reference types="zod-openapi" />

/** A stream as a whole; what its messages carry are components of their own. */
export const eventStreamSchema = z.string().meta({
  description:
    "Server-Sent Events: `snapshot` with a TaskSnapshot, then each TaskEvent as a message without a name.",
  // An annotation of JSON Schema for what a text holds: here the data of its messages, one after the other.
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
    description: "A task as GET shows it, at one event of its log: how a stream begins.",
    unusedIO: "output",
  });

export const eventTypeSchema = z.enum(TASK_EVENT_TYPES).meta({
  id: "EventType",
  description: "What can happen to a task; TaskEvent says what each of them means.",
});

const seq = z.int().min(1).describe("Its place in the task's log: 1, 2, 3 … without gaps.");
const at = instantSchema("When it happened.");

function buildEventSchema<Type extends TaskEventType, Data extends z.ZodObject>(
  type: Type,
  says: string,
  carries: Data,
) {
  return componentSchema(`${toPascalCase(type)}Event`, says, {
    seq,
    type: z.literal(type),
    at,
    data: carries,
  });
}

const EVENTS = [
  buildEventSchema(
    "created",
    "The task was created; always the first event.",
    data.createdDataSchema,
  ),
  buildEventSchema("assigned", "An agent got the task.", data.assignedDataSchema),
  buildEventSchema(
    "declined",
    "The agent does not do it; another one is looked for.",
    data.declinedDataSchema,
  ),
  buildEventSchema("started", "The agent began to work.", data.startedDataSchema),
  buildEventSchema(
    "resumed",
    "After an answer or a review the agent has got its turn again.",
    data.resumedDataSchema,
  ),
  buildEventSchema(
    "progressed",
    "Work was done, a call was paid or a file handed in.",
    data.progressedDataSchema,
  ),
  buildEventSchema("blocked", "The agent needs something and waits.", data.blockedDataSchema),
  buildEventSchema(
    "responded",
    "The question was answered; the work goes on.",
    data.respondedDataSchema,
  ),
  buildEventSchema("submitted", "The work was handed in for review.", data.submittedDataSchema),
  buildEventSchema(
    "approved",
    "The reviewer approved it; `completed` follows at once.",
    data.approvedDataSchema,
  ),
  buildEventSchema(
    "changes_requested",
    "The reviewer sent it back to work.",
    data.changesRequestedDataSchema,
  ),
  buildEventSchema(
    "completed",
    "The work is done. Only `rated` may follow.",
    data.completedDataSchema,
  ),
  buildEventSchema(
    "failed",
    "The attempt has failed. `updated` and `retried` may follow.",
    data.failedDataSchema,
  ),
  buildEventSchema(
    "cancelled",
    "Somebody called the task off. Nothing follows.",
    data.cancelledDataSchema,
  ),
  buildEventSchema("retried", "The next attempt begins.", data.retriedDataSchema),
  buildEventSchema("updated", "Somebody changed what is named here.", data.updatedDataSchema),
  buildEventSchema(
    "rated",
    "Somebody gave feedback, which replaces earlier feedback.",
    data.ratedDataSchema,
  ),
] as const;

/** One line of a task's log. */
export const taskEventSchema = z.discriminatedUnion("type", EVENTS).meta({
  id: "TaskEvent",
  description: "One line of a task's log. `type` says what happened, and what `data` holds.",
});

const [first, ...others] = EVENTS;

/** One event in the feed of all tasks. */
export const feedEventSchema = z
  .discriminatedUnion("type", [toFeedEventSchema(first), ...others.map(toFeedEventSchema)])
  .meta({
    id: "FeedEvent",
    description: "An event of some task, with whose the task was when it happened.",
  });

/** GET /agents/tasks/:id/events. */
export const taskEventPageSchema = componentSchema("TaskEvents", "One page of a task's log.", {
  taskId: taskIdSchema,
  events: listSchema(taskEventSchema, "The page, oldest first."),
  nextAfter: z
    .int()
    .nullable()
    .describe("What to send as `after` for the next page; null on the last one."),
});

/** GET /agents/events. */
export const feedPageSchema = componentSchema("Events", "One page of what has happened to tasks.", {
  events: listSchema(feedEventSchema, "The page, oldest first."),
  nextCursor: textSchema(
    "Where to go on from: always there, as there is always a next event to wait for.",
  ),
  more: flagSchema(
    "Whether there is more to be looked through already. A page can be short, or empty, and more be there all the same.",
  ),
  truncatedBefore: instantSchema(
    "When the feed received the last event that it dropped before its seven days, because its storage was full; absent if it dropped none.",
  ).optional(),
});

function toFeedEventSchema(one: (typeof EVENTS)[number]) {
  const type: TaskEventType = one.shape.type.value;
  return componentSchema(`${toPascalCase(type)}FeedEvent`, "As in the task's own log.", {
    taskId: taskIdSchema,
    ...one.shape,
    agentId: textSchema("The agent that had the task then; absent where none had.").optional(),
    teamId: textSchema("The team that the task is for; absent where it is for none.").optional(),
    title: textSchema(
      "The beginning of the task's text, in one line of at most 200 characters; absent in events from earlier releases.",
    ).optional(),
    dataBytes: z
      .int()
      .optional()
      .describe(
        "The size of `data` in bytes before it was shortened; absent if it was not. If `data` exceeds 16,384 bytes, strings are truncated to 1,000 characters, including an ellipsis, and lists contain only their first items. The task's own log has the complete data.",
      ),
  });
}

/** `changes_requested` as part of a component's name: ChangesRequested. */
function toPascalCase(type: TaskEventType): string {
  return type
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}
