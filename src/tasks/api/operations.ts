import { defineOperation, respond, type ApiResponse } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";
import { listCallsQuery, taskCallListSchema, taskCallSchema } from "./call-schemas.ts";
import { taskEventPageSchema } from "./event-schemas.ts";
import { eventStreamSchema } from "./stream-schemas.ts";
import { deliverableListSchema } from "./deliverable-schemas.ts";
import {
  createdTaskSchema,
  givenFeedbackSchema,
  taskListSchema,
  taskSchema,
} from "./task-schemas.ts";

function respondWithTask(description: string): ApiResponse<typeof taskSchema> {
  const headers = {
    ETag: "The task's version, which increases with each event. Send it as `If-Match` with PATCH.",
  };
  return respond(200, description, taskSchema, { headers });
}

export const taskOperations = {
  /** GET /agents/tasks */
  listTasks: defineOperation({
    operationId: "listTasks",
    tag: "Tasks",
    scope: "tasks:read",
    query: schemas.listTasksQuery,
    repeatedQuery: ["status", "label"],
    summary: "List tasks",
    description: `Returns a page of tasks, newest first unless \`sort\` has another order. Filters can be combined, and a task must match all of them. If the agent or team is unknown, the page is empty.

Page through the list with \`offset\` up to 10,000, or with \`cursor\`, which makes every page as cheap as the first: send \`nextCursor\` with the same filters and \`sort\` until it is null. A list sorted by title reads all tasks that match the other filters, and a search may have to, so both can be slow in a large directory. Omit \`offset\` with a cursor, because it would skip more tasks.

A key bound to an agent or a team sees only the tasks of that agent or team. Lists show a client's change, such as a new task, before the client receives the response, unless the directory takes more than a second. A worker's claim may appear a moment later. A change that no request causes, such as a built-in agent's progress or a passed deadline, usually appears within a second. For the current state of a task, read the task itself.`,
    responses: [respond(200, "The page; empty if nothing matches.", taskListSchema)],
  }),

  /** POST /agents/tasks */
  createTask: defineOperation({
    operationId: "createTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.createTaskBody,
    handlesIdempotency: true,
    summary: "Create a task",
    description: `Assigns work to an agent and responds immediately; the work starts automatically. Follow the task with GET, its event stream or a webhook.

**Choice of agent.** With \`agentId\`, only that agent can do the task. Otherwise, the service chooses the best enabled agent (with \`teamId\`, the best in that team) based on the skills that the task's text mentions, the tools needed for the work, the agent's rating and its load. If no agent is suitable, the task stays \`pending\` without an agent, and the service keeps searching until the deadline, when the task fails with \`NO_AGENT_AVAILABLE\`. A task created with a key bound to an agent or a team goes to that agent or team; the request cannot specify another one.

**Input.** Put the data for the agent in \`context\`. Built-in agents read \`text\` (a string), \`csv\` (a table as CSV) and \`data\` (a table as an array of row objects). If the context contains none of these, built-in agents look for the input in the task's own text: a table, JSON rows, a fenced block, or the text after an instruction such as "Summarise: " or "Summarise the text below." If the text contains only an instruction, the result says that there was nothing to read. If \`askFirst\` contains a question, built-in agents and models ask it before they begin. With \`requireReview: true\`, a person must approve the work before the task is completed, whatever the type of agent.

**Retries.** A request repeated with the same \`Idempotency-Key\` and body gets the original response for as long as the task exists, not only for 24 hours. One idempotency key creates at most one task.`,
    responses: [
      respond(
        201,
        "The task was created, either by this request or by an earlier one with the same Idempotency-Key.",
        createdTaskSchema,
        { headers: { Location: "The URL of the task." } },
      ),
    ],
    errorCodes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "TEAM_NOT_FOUND"],
  }),

  /** GET /agents/tasks/:id */
  getTask: defineOperation({
    operationId: "getTask",
    tag: "Tasks",
    scope: "tasks:read",
    query: schemas.getTaskQuery,
    summary: "Read a task",
    description: `Returns the current task from its own log. The response is never out of date, and deadlines are enforced at the time of the request. Fields that do not apply, or do not apply yet, are absent.

If the key may not see the task, the response is 404, as if the task did not exist.

If a request prefers HTML to JSON and has no \`Authorization\` header, as in a browser, the response is a redirect (303) to the task's page in the console.`,
    responses: [respondWithTask("The task.")],
  }),

  /** PATCH /agents/tasks/:id */
  updateTask: defineOperation({
    operationId: "updateTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.updateTaskBody,
    summary: "Change a task",
    description: `Changes the fields in the body; at least one is required. Allowed in every status except \`completed\` and \`cancelled\`. Changing a failed task does not retry it. If its deadline has passed, set a new one before you retry it. A new budget does not continue a task that is blocked because its budget was used up; answer its question.

**Another agent.** With \`agentId\`, a task that has not started goes to another agent, whether the earlier one was requested or chosen. A task has not started if it is \`pending\` or \`assigned\`: its agent has not begun the current attempt, and no worker has claimed it. The task leaves the earlier agent's queue, is \`pending\`, and is then assigned to the new agent. From then on, the service does not choose another agent by itself. If the task has started or failed, a different \`agentId\` gets 409 \`INVALID_STATE\`: retry a failed task with \`reassign\`, and cancel a task whose attempt has started. The id of the current agent changes nothing. A key bound to an agent or a team cannot give a task to an agent outside its binding (403 \`AGENT_MISMATCH\`). A key bound to the new agent sees the log from this change on.

A built-in agent or a model sees a change at its next step or turn. A worker sees it in the task, and an A2A agent only in the next attempt. A change that has no effect writes nothing, and the response is the task with the same ETag. A task's log can have at most 50,000 events and 128 MiB. When the log is full, changes get 409 \`TASK_LIMIT_REACHED\`, but the task can still end.`,
    responses: [respond(200, "The updated task, as GET returns it.", taskSchema)],
    errorCodes: [
      "AGENT_MISMATCH",
      "AGENT_NOT_FOUND",
      "INVALID_STATE",
      "TASK_LIMIT_REACHED",
      "BUDGET_RAISE_DENIED",
    ],
  }),

  /** POST /agents/tasks/:id/cancel */
  cancelTask: defineOperation({
    operationId: "cancelTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.cancelBody,
    bodyIsOptional: true,
    summary: "Cancel a task",
    description: `Permanently cancels a task that has not ended. A worker learns of the cancellation from its next report: a heartbeat gets \`stop\`, and any other report gets 409 \`LEASE_LOST\`. A remote A2A agent's own task is cancelled, too. Usage so far remains charged.

A completed, failed or cancelled task gets 409. The body can be omitted.`,
    responses: [respondWithTask("The cancelled task.")],
    errorCodes: ["INVALID_STATE"],
  }),

  /** POST /agents/tasks/:id/retry */
  retryTask: defineOperation({
    operationId: "retryTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.retryBody,
    bodyIsOptional: true,
    summary: "Retry a failed task",
    description: `Begins the next attempt of a failed task and keeps the failed attempt in \`attempts\`. The new attempt starts without progress, files or a result, but previous spending still counts against the budget. A task that has had 100 attempts cannot be retried.

By default, the same agent gets the task again. With \`reassign\`, the task goes to the best agent that has not tried it; if there is none, the response is 409 \`NO_OTHER_AGENT\`. A key bound to an agent can neither reassign a task nor retry an automatically assigned task that its agent can no longer take (403 \`AGENT_MISMATCH\`). A key bound to a team reassigns within its team.

A key bound to the new agent sees only part of other agents' attempts. \`attempts\` shows their numbers, times and error codes, and the comment of a reviewer who rejected an attempt, but no agents and no other messages or details. The log and the stream begin with the event that gave the task to the new agent, and the files and results of earlier attempts are hidden. The task's text, context, notes, budget and \`spend\` are shown in full. If the service itself began the new attempt, answered questions and review comments are also shown.

After the deadline, the response is 409 \`DEADLINE_PASSED\`; first set a new deadline with PATCH. If the same failure is retried twice, the second retry is rejected. The body can be omitted.`,
    responses: [respondWithTask("The task, which is pending again.")],
    errorCodes: [
      "AGENT_MISMATCH",
      "INVALID_STATE",
      "DEADLINE_PASSED",
      "NO_OTHER_AGENT",
      "TASK_LIMIT_REACHED",
    ],
  }),

  /** POST /agents/tasks/:id/respond */
  respondToTask: defineOperation({
    operationId: "respondToTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.respondBody,
    summary: "Answer a blocked task",
    description: `Answers the question of a \`blocked\` task; GET shows the question and its kind. The agent uses the answer and continues from where it stopped.

Answer a \`budget\` question with new limits, such as \`{"maxCost": 2}\` or \`{"maxToolCalls": 50}\`. At least one limit must be above its current value, and none may be below its current value; otherwise, the response is 400 and the task stays blocked. With any other answer, a built-in agent or a language model finishes with the results it has. If the budget does not cover the model's next turn, the attempt fails with \`BUDGET_EXCEEDED\`. A key bound to an agent cannot raise a limit (403 \`BUDGET_RAISE_DENIED\`).

If the agent has a queue, the task may have to wait again. While it waits, its status is \`in_progress\`.`,
    responses: [respondWithTask("The task, which is in progress again.")],
    errorCodes: ["INVALID_STATE", "APPROVAL_PENDING", "BUDGET_RAISE_DENIED", "TASK_LIMIT_REACHED"],
  }),

  /** POST /agents/tasks/:id/review */
  reviewTask: defineOperation({
    operationId: "reviewTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.reviewBody,
    summary: "Review the work of a task",
    description: `Records a decision on the work of a task in \`review\`. GET shows the result, and \`GET …/deliverables\` lists the files.

- \`approve\`: the task is \`completed\`, with exactly the work that was shown
- \`request_changes\`: the task is \`in_progress\` again; the agent receives the comment, continues, and submits the work for review again. Until then, the result and files are hidden
- \`reject\`: the attempt fails with \`REVIEW_REJECTED\` and the comment as its message, and can be retried`,
    responses: [respondWithTask("The task after the decision.")],
    errorCodes: ["INVALID_STATE", "TASK_LIMIT_REACHED"],
  }),

  /** POST /agents/tasks/:id/feedback */
  giveFeedback: defineOperation({
    operationId: "giveFeedback",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.feedbackBody,
    summary: "Rate a completed task",
    description: `Rates the work of a completed task. An agent's mean rating affects whether it is chosen for later tasks. New feedback replaces earlier feedback completely.`,
    responses: [
      respond(201, "The first feedback on this task.", givenFeedbackSchema),
      respond(200, "The new feedback. It replaces the earlier feedback.", givenFeedbackSchema),
    ],
    errorCodes: ["TASK_NOT_COMPLETED", "TASK_LIMIT_REACHED"],
  }),

  /** GET /agents/tasks/:id/deliverables */
  listDeliverables: defineOperation({
    operationId: "listDeliverables",
    tag: "Tasks",
    scope: "tasks:read",
    summary: "List the files of a task",
    description: `Returns the files of a task that is in \`review\` or \`completed\`, in order of creation. In any other status, the response is 409 \`TASK_NOT_COMPLETED\`.

\`url\` requires a key that can read the task. \`downloadUrl\` requires no key and works for an hour. Use it in a browser or a message, or pass it to another service.`,
    responses: [respond(200, "The files; may be empty.", deliverableListSchema)],
    errorCodes: ["TASK_NOT_COMPLETED"],
  }),

  /** GET /agents/tasks/:id/deliverables/:name */
  downloadDeliverable: defineOperation({
    operationId: "downloadDeliverable",
    tag: "Tasks",
    summary: "Download a file",
    description: `Returns one file as an attachment. Browsers do not execute it, display it in a frame or guess its type. Requires a key or the signed link in \`downloadUrl\`; an expired or altered link gets 401.`,
    access: "link",
    scope: "tasks:read",
    responses: [
      {
        status: 200,
        description: "The file, with its media type.",
        content: { "*/*": {} },
        headers: {
          "Content-Disposition": "`attachment`, with the file's name.",
          "Content-Security-Policy": "Prevents browsers from executing the file's content.",
          "X-Content-Type-Options": "`nosniff`.",
          "Cache-Control": "`private, no-store`.",
        },
      },
    ],
    errorCodes: ["TASK_NOT_COMPLETED"],
  }),

  /** GET /agents/tasks/:id/events */
  listTaskEvents: defineOperation({
    operationId: "listTaskEvents",
    tag: "Events",
    scope: "tasks:read",
    query: schemas.eventsQuery,
    summary: "Read or follow the events of a task",
    description: `Returns the log of a task. Every change is an event, and the task is the result of its events. \`seq\` counts from 1 without gaps, and events never change. If a \`context\`, \`work\` or \`response\` is larger than 65,536 bytes as JSON, only its size is shown. If another agent had the task before, a key bound to an agent sees the log only from the event that gave the task to its agent.

**As JSON**, the log is returned in pages, oldest events first. Send \`nextAfter\` as \`after\` until it is null.

**As a stream**, with \`Accept: text/event-stream\`, events are sent live (Server-Sent Events):

- first \`event: snapshot\`, whose data is the task as GET returns it with one additional field: \`seq\`, the number of the last event that it includes
- then one unnamed message for each event after \`after\` (default 0, which sends all events), with the event's \`seq\` as \`id\` and the event as its data. Events up to the snapshot's \`seq\` are already included in the snapshot
- a comment whenever nothing has happened for 15 seconds

The stream ends after the last event of an ended task (\`completed\`, \`failed\` or \`cancelled\`), after 15 minutes in any case, and within ten seconds after its key is revoked or expires.

A client that reconnects with \`Last-Event-ID\`, as every \`EventSource\` does, continues after that event. No event is lost or repeated, but the snapshot is sent again. If the task has ended and no events are left, the response is 204, which stops an \`EventSource\`. Omit \`limit\` for streams; otherwise, the response is 400.`,
    headers: {
      "Last-Event-ID": {
        description:
          "The `id` of the last message received from a stream. It takes precedence over `after`. Only for streams. Neither value may be beyond the end of the log.",
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
          "The task has ended, and the client that reconnected with `Last-Event-ID` has received all events.",
      },
    ],
  }),

  /** GET /agents/tasks/:id/calls */
  listTaskCalls: defineOperation({
    operationId: "listTaskCalls",
    tag: "Tasks",
    scope: "tasks:read",
    query: listCallsQuery,
    summary: "List the tool calls of a task",
    description: `Returns one page of the tool calls made for the task, newest first: the calls of its worker or other clients, of its model's turns and of its built-in agent's steps, including rejected calls with the reason. Parameters and results longer than 1,024 bytes are cut off here; read a single call to see more.

Secrets are replaced by \`***\`: the values of fields whose names are those of secrets, such as \`password\`, \`apiKey\` and \`Authorization\`, and text that looks like a key or a token.

Records are kept as long as the task. A task keeps the calls of the last 1,000 events that contain calls, and the last 200 calls that are in no event: rejected, running and interrupted calls. Older records are dropped. A call that names the task is recorded if its key may call tools for the task; a rejected call is recorded only until the task ends. A call that names no task is recorded once the service has found the task that its key has claimed. Calls made before this feature existed have no record.

If another agent had the task before, a key bound to an agent sees only the calls made since its agent got the task.`,
    responses: [respond(200, "A page of calls; empty if nothing matches.", taskCallListSchema)],
  }),

  /** GET /agents/tasks/:id/calls/:callId */
  getTaskCall: defineOperation({
    operationId: "getTaskCall",
    tag: "Tasks",
    scope: "tasks:read",
    summary: "Read a tool call of a task",
    description:
      "Returns one tool call with up to 8,192 bytes each of its parameters and its result. Of a longer value, the response contains the beginning, the size and the SHA-256. Events refer to calls by `callId`.",
    responses: [respond(200, "The call.", taskCallSchema)],
  }),
};
