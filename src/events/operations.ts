import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";
import { feedPageSchema } from "../tasks/api/event-schemas.ts";

export const eventOperations = {
  /** GET /agents/events */
  listEvents: defineOperation({
    operationId: "listEvents",
    tag: "Events",
    scope: "tasks:read",
    query: schemas.listEventsQuery,
    summary: "Read the events of all tasks",
    description: `Returns the feed: the events of all tasks that the key may see. Each event names the agent and team of the task at that time. To follow the feed, repeat the request with \`nextCursor\`: at once while \`more\` is true, and every few seconds while it is false. After a long outage an event may be repeated, with the same \`taskId\` and \`seq\`.

The events of one task are in the order of its log; events of different tasks are in the order in which the feed received them. The feed receives an event immediately if the task has ended or waits for people, and within ten seconds otherwise. Filters may be combined and may differ from page to page. \`data\` is as in the task's own log, with these exceptions: \`contextBytes\`, the size of a context, replaces the context; \`workBytes\` and \`responseBytes\` replace values over 4,096 bytes; and in an event with \`dataBytes\`, \`data\` is shortened.

The feed keeps events for seven days, or less if its storage is full; then \`truncatedBefore\` states up to when events were dropped. A cursor that points to dropped events gets 410 \`CURSOR_EXPIRED\` with the cursor to continue with. Each task's own log keeps its events as long as the task exists.`,
    responses: [respond(200, "The page; empty if there are no (more) events.", feedPageSchema)],
    errorCodes: ["CURSOR_EXPIRED"],
  }),
};
