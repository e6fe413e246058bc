import * as z from "zod";
import { EVENT_TYPES, type EventType } from "../../../domain/events.ts";
import * as data from "./event-data.ts";
import { instant } from "./instant.ts";
import { taskId } from "./task.ts";

export const eventType = z.enum(EVENT_TYPES).meta({
  id: "EventType",
  description: "What can happen to a task; TaskEvent says what each of them means.",
});

const seq = z.int().min(1).meta({
  description: "Its place in the task's log: 1, 2, 3 … without gaps.",
});
const at = instant("When it happened.");

function event<Type extends EventType, Data extends z.ZodObject>(
  type: Type,
  says: string,
  carries: Data,
) {
  return z
    .strictObject({ seq, type: z.literal(type), at, data: carries })
    .meta({ id: `${nameOf(type)}Event`, description: says });
}

const EVENTS = [
  event("created", "The task was created; always the first event.", data.created),
  event("assigned", "An agent got the task.", data.assigned),
  event("declined", "The agent does not do it; another one is looked for.", data.declined),
  event("started", "The agent began to work.", data.started),
  event("resumed", "After an answer or a review the agent has got its turn again.", data.resumed),
  event("progressed", "Work was done, a call was paid or a file handed in.", data.progressed),
  event("blocked", "The agent needs something and waits.", data.blocked),
  event("responded", "The question was answered; the work goes on.", data.responded),
  event("submitted", "The work was handed in for review.", data.submitted),
  event("approved", "The reviewer approved it; `completed` follows at once.", data.approved),
  event("changes_requested", "The reviewer sent it back to work.", data.changesRequested),
  event("completed", "The work is done. Only `rated` may follow.", data.completed),
  event("failed", "The attempt has failed. `updated` and `retried` may follow.", data.failed),
  event("cancelled", "Somebody called the task off. Nothing follows.", data.cancelled),
  event("retried", "The next attempt begins.", data.retried),
  event("updated", "Somebody changed what is named here.", data.updated),
  event("rated", "Somebody gave feedback, which replaces earlier feedback.", data.rated),
] as const;

/** One line of a task's log. */
export const taskEvent = z.discriminatedUnion("type", EVENTS).meta({
  id: "TaskEvent",
  description: "One line of a task's log. `type` says what happened, and what `data` holds.",
});

const [first, ...others] = EVENTS;

/** One event in the feed of all tasks. */
export const feedEvent = z.discriminatedUnion("type", [ofFeed(first), ...others.map(ofFeed)]).meta({
  id: "FeedEvent",
  description: "An event of some task, with whose the task was when it happened.",
});

/** GET /agents/tasks/:id/events. */
export const eventPage = z
  .strictObject({
    taskId,
    events: z.array(taskEvent).meta({ description: "The page, oldest first." }),
    nextAfter: z.int().nullable().meta({
      description: "What to send as `after` for the next page; null on the last one.",
    }),
  })
  .meta({ id: "TaskEvents", description: "One page of a task's log." });

/** GET /agents/events. */
export const feedPage = z
  .strictObject({
    events: z.array(feedEvent).meta({ description: "The page, oldest first." }),
    nextCursor: z.string().meta({
      description:
        "Where to go on from: always there, as there is always a next event to wait for.",
    }),
    more: z.boolean().meta({
      description:
        "Whether there is more to be looked through already. A page can be short, or empty, and more be there all the same.",
    }),
    truncatedBefore: instant(
      "When the feed received the last event that it dropped before its seven days, because its storage was full; absent if it dropped none.",
    ).optional(),
  })
  .meta({ id: "Events", description: "One page of what has happened to tasks." });

function ofFeed(one: (typeof EVENTS)[number]) {
  const type: EventType = one.shape.type.value;
  return z
    .strictObject({
      taskId,
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
    .meta({ id: `${nameOf(type)}FeedEvent`, description: "As in the task's own log." });
}

/** `changes_requested` as part of a component's name: ChangesRequested. */
function nameOf(type: EventType): string {
  return type
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}
