import * as z from "zod";
import { TASK_EVENT_TYPES, type TaskEventType } from "../../../tasks/model/events.ts";
import * as data from "./event-data.ts";
import { instantSchema } from "./common.ts";
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
    seq: z.int().min(1).meta({ description: "The last event that it includes." }),
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

const seq = z.int().min(1).meta({
  description: "Its place in the task's log: 1, 2, 3 … without gaps.",
});
const at = instantSchema("When it happened.");

function buildEventSchema<Type extends TaskEventType, Data extends z.ZodObject>(
  type: Type,
  says: string,
  carries: Data,
) {
  return z
    .strictObject({ seq, type: z.literal(type), at, data: carries })
    .meta({ id: `${toPascalCase(type)}Event`, description: says });
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
export const taskEventPageSchema = z
  .strictObject({
    taskId: taskIdSchema,
    events: z.array(taskEventSchema).meta({ description: "The page, oldest first." }),
    nextAfter: z.int().nullable().meta({
      description: "What to send as `after` for the next page; null on the last one.",
    }),
  })
  .meta({ id: "TaskEvents", description: "One page of a task's log." });

/** GET /agents/events. */
export const feedPageSchema = z
  .strictObject({
    events: z.array(feedEventSchema).meta({ description: "The page, oldest first." }),
    nextCursor: z.string().meta({
      description:
        "Where to go on from: always there, as there is always a next event to wait for.",
    }),
    more: z.boolean().meta({
      description:
        "Whether there is more to be looked through already. A page can be short, or empty, and more be there all the same.",
    }),
    truncatedBefore: instantSchema(
      "When the feed received the last event that it dropped before its seven days, because its storage was full; absent if it dropped none.",
    ).optional(),
  })
  .meta({ id: "Events", description: "One page of what has happened to tasks." });

function toFeedEventSchema(one: (typeof EVENTS)[number]) {
  const type: TaskEventType = one.shape.type.value;
  return z
    .strictObject({
      taskId: taskIdSchema,
      ...one.shape,
      agentId: z.string().optional().meta({
        description: "The agent that had the task then; absent where none had.",
      }),
      teamId: z.string().optional().meta({
        description: "The team that the task is for; absent where it is for none.",
      }),
      title: z.string().optional().meta({
        description:
          "The beginning of the task's text, in one line of at most 200 characters; absent in events from earlier releases.",
      }),
      dataBytes: z.int().optional().meta({
        description:
          "The size of `data` in bytes before it was shortened; absent if it was not. If `data` exceeds 16,384 bytes, strings are truncated to 1,000 characters, including an ellipsis, and lists contain only their first items. The task's own log has the complete data.",
      }),
    })
    .meta({ id: `${toPascalCase(type)}FeedEvent`, description: "As in the task's own log." });
}

/** `changes_requested` as part of a component's name: ChangesRequested. */
function toPascalCase(type: TaskEventType): string {
  return type
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}
