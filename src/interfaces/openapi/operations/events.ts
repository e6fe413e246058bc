import { defineOperations, respond } from "../api-operation.ts";
import { eventStreamSchema, feedPageSchema, taskEventPageSchema } from "../schemas/event.ts";

export const eventOperations = defineOperations("Events", {
  "GET /agents/tasks/:id/events": {
    operationId: "listTaskEvents",
    summary: "Read or follow what happens to a task",
    description: `The log of a task: every change is an event, and the task is the result of its events. \`seq\` counts from 1 without gaps; events never change. If a \`context\` or \`response\` is larger than 65,536 bytes as JSON, only its size is shown. If another agent had the task before, a key bound to an agent sees the log from the event that gave the task to its agent.

**As JSON**, a page at a time, oldest first. Send \`nextAfter\` as \`after\` until it is null.

**As a stream**, with \`Accept: text/event-stream\`, live (Server-Sent Events):

- first \`event: snapshot\`, whose data is the task as GET shows it with one field more: \`seq\`, the last event that it includes
- then one message without a name for each event behind \`after\` (0 unless you say otherwise, so all of them), with its \`seq\` as \`id\` and the event as its data. Events up to the snapshot's \`seq\` are in the snapshot already
- a comment when nothing has happened for 15 seconds
- the end after an event that ends the task (\`completed\`, \`failed\`, \`cancelled\`) with nothing behind it, after 15 minutes in any case, and within ten seconds of the end of its key

A client that reconnects with \`Last-Event-ID\`, as every \`EventSource\` does, continues after that event; no event is lost or repeated, and the snapshot is sent again. If the task has ended and no event is left, the response is 204, at which an \`EventSource\` stops. \`limit\` has no effect on streams.`,
    parameters: {
      after: "The `seq` behind which to begin; 0 for the beginning.",
      limit: "Events on one page.",
    },
    headers: {
      "Last-Event-ID": {
        description:
          "The `id` of the last message received from a stream; takes precedence over `after`. Only for streams; neither may be beyond the end of the log.",
        example: "3",
      },
    },
    responses: [
      respond(200, "A page of the log, or the stream.", taskEventPageSchema, {
        content: { "text/event-stream": { schema: eventStreamSchema } },
      }),
      {
        status: 204,
        description:
          "The task has ended, and a client that reconnected with `Last-Event-ID` has received all events.",
      },
    ],
  },
  "GET /agents/events": {
    operationId: "listEvents",
    summary: "Read what happens to all tasks",
    description: `Returns the feed: the events of all tasks that the key may see. Each event names the agent and team of the task at that time. To follow the feed, repeat the request with \`nextCursor\`: at once while \`more\` is true, and every few seconds while it is false. After a long outage an event may be repeated, with the same \`taskId\` and \`seq\`.

The events of one task are in the order of its log; events of different tasks are in the order in which the feed received them. The feed receives an event immediately if the task has ended or waits for people, and within ten seconds otherwise. Filters may be combined and may differ from page to page. \`data\` is as in the task's own log, with these exceptions: \`contextBytes\`, the size of a context, replaces the context; \`workBytes\` and \`responseBytes\` replace values over 4,096 bytes; and in an event with \`dataBytes\`, \`data\` is shortened.

The feed keeps events for seven days, or less if its storage is full; then \`truncatedBefore\` states up to when events were dropped. A cursor that points to dropped events gets 410 \`CURSOR_EXPIRED\` with the cursor to continue with. Each task's own log keeps its events as long as the task exists.`,
    parameters: {
      cursor:
        "The `nextCursor` of the answer before, as it is. Valid as long as the feed keeps the events after it. Not together with `from`.",
      from: "Where to begin without a cursor: at the oldest stored event (the default), or after the latest event.",
      type: "Only events of this type, or of several types separated by commas. Both forms of a name are accepted: `failed` and `task.failed`.",
      agentId: "Only events of tasks that this agent had at that time.",
      teamId: "Only events of tasks of this team.",
      limit: "Events on one page.",
    },
    responses: [respond(200, "The page; empty if there are no (more) events.", feedPageSchema)],
    errorCodes: ["CURSOR_EXPIRED"],
  },
});
