import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";
import { feedPageSchema } from "./event-schemas.ts";
import { feedStreamSchema } from "./stream-schemas.ts";

export const eventOperations = {
  /** GET /agents/events */
  listEvents: defineOperation({
    operationId: "listEvents",
    tag: "Events",
    scope: "tasks:read",
    query: schemas.listEventsQuery,
    summary: "Read or follow the events of all tasks",
    description: `Returns the feed, which contains the events of all tasks that the key may see. Each event includes the agent and team that the task had at the time of the event. To follow the feed, open a stream, or repeat the request with \`nextCursor\`: immediately while \`more\` is true, and every few seconds while it is false. After a long outage, an event may appear again with the same \`taskId\` and \`seq\`.

Events of one task are in the order of its log; events of different tasks are in the order in which the feed received them. The feed receives an event immediately if the task has ended or is waiting for a person, or if a client follows the stream and the feed is not busy; otherwise, within ten seconds. You can combine filters and change them from page to page. \`data\` is the same as in the task's own log, with three exceptions: a context is replaced by its size in \`contextBytes\`, a \`work\` or \`response\` over 4,096 bytes is replaced by its size in \`workBytes\` or \`responseBytes\`, and the \`data\` of an event with \`dataBytes\` is shortened.

The feed keeps events for seven days. If its storage is full, it drops the oldest events earlier, and \`truncatedBefore\` is the time up to which they were dropped. A cursor that points to dropped events returns 410 \`CURSOR_EXPIRED\` with a cursor to continue from. Each task's own log keeps its events for as long as the task exists.

**As a stream**, with \`Accept: text/event-stream\`, events are sent as Server-Sent Events:

- first the stored events after the start, oldest first. \`cursor\` and \`from\` define the start, as for a page
- then one \`event: live\` with the cursor of that position: all earlier events have been sent
- then new events, within a second after the feed receives them
- a comment whenever nothing has happened for 15 seconds

Each event is sent with its type as \`event\`, a cursor as \`id\`, and as its data the same JSON as in a page. The filters apply to streams, too. Omit \`limit\` for streams; otherwise, the response is 400. A stream ends after 15 minutes, and within ten seconds after its key is revoked or expires. The feed has up to 200 open streams, and up to 40 per key except the root key; a further stream ends after \`live\`, and the client reconnects. A client that reconnects with \`Last-Event-ID\`, as every \`EventSource\` does, continues after that event without losing or repeating any. If the feed no longer has the events after that id, the response is 410 \`CURSOR_EXPIRED\`; an \`EventSource\` then stops, and the client must load its data again.`,
    headers: {
      "Last-Event-ID": {
        description:
          "The `id` of the last message received from a stream, which is a cursor. It takes precedence over `cursor` and `from`. Only for streams.",
      },
    },
    responses: [
      respond(
        200,
        "The stream, or a page of events, which is empty if there are no more.",
        feedPageSchema,
        {
          content: { "text/event-stream": { schema: feedStreamSchema } },
        },
      ),
    ],
    errorCodes: ["CURSOR_EXPIRED"],
  }),
};
