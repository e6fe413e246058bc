import * as z from "zod";
import { APPROVAL_EVENTS } from "../governance/approvals/event-schemas.ts";
import { LIMIT_EVENTS } from "../governance/spending/event-schemas.ts";
import * as schema from "../http/schemas.ts";
import { TASK_EVENT_SCHEMAS, type TaskEventResponse } from "../tasks/api/event-schemas.ts";
import { taskIdSchema } from "../tasks/api/task-schemas.ts";
import type { TaskEventType } from "../tasks/model/events.ts";
import { FEED_EVENT_TYPES, type FeedEventType } from "./model/feed.ts";

/// <reference types="zod-openapi" />

export const eventTypeSchema = z.enum(FEED_EVENT_TYPES).meta({
  id: "EventType",
  description: "The types of events. FeedEvent describes each type.",
});

const [first, ...others] = TASK_EVENT_SCHEMAS;

export interface FeedEventResponse extends Omit<TaskEventResponse, "type"> {
  readonly type: FeedEventType;
  readonly taskId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly limitId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly title?: string | undefined;
  readonly dataBytes?: number | undefined;
}

export const feedEventSchema: z.ZodType<FeedEventResponse, FeedEventResponse> = z
  .discriminatedUnion("type", [
    toFeedEventSchema(first),
    ...others.map(toFeedEventSchema),
    ...APPROVAL_EVENTS,
    ...LIMIT_EVENTS,
  ])
  .meta({
    id: "FeedEvent",
    description:
      "An event of any task, with the task's agent and team at that time, of a call that requires approval (`approval.…`), or of a spending limit (`limit.…`).",
  });

/** GET /agents/events. */
export const feedPageSchema = schema.component("Events", "One page of task events.", {
  events: schema.list(feedEventSchema, "The events on the page, oldest first."),
  nextCursor: schema.text(
    "The position to continue from. Always present, because more events can follow.",
  ),
  more: schema.flag(
    "Whether more events are available now. Even then, a page can be short or empty.",
  ),
  truncatedBefore: schema.optional.instant(
    "When the feed received the newest event that it dropped early (after less than seven days) because its storage was full; absent if no event was dropped early.",
  ),
});
export type FeedPageResponse = schema.ResponseOf<typeof feedPageSchema>;

function toFeedEventSchema(one: (typeof TASK_EVENT_SCHEMAS)[number]) {
  const type: TaskEventType = one.shape.type.value;
  return schema.component(
    `${schema.toPascalCase(type)}FeedEvent`,
    "An event from a task's log, plus information about the task. Large data is shortened.",
    {
      taskId: taskIdSchema,
      ...one.shape,
      agentId: schema.optional.text(
        "The agent that was assigned at that time; absent if there was none.",
      ),
      teamId: schema.optional.text("The task's team; absent if there is none."),
      title: schema.optional.text(
        "The task's `title` or, if it has none, the beginning of its text, on one line of at most 200 characters; absent in events from earlier releases.",
      ),
      dataBytes: schema.optional.integer(
        "The size of `data` in bytes before it was shortened; absent if it was not shortened. If `data` exceeds 16,384 bytes, strings are truncated to 1,000 characters, including an ellipsis, and lists contain only their first items. The task's own log contains the complete data.",
      ),
    },
  );
}
