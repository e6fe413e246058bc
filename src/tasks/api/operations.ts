import { defineOperation, respond, type ApiResponse } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";
import { eventStreamSchema, taskEventPageSchema } from "./event-schemas.ts";
import { deliverableListSchema } from "./deliverable-schemas.ts";
import {
  createdTaskSchema,
  givenFeedbackSchema,
  taskListSchema,
  taskSchema,
} from "./task-schemas.ts";

function respondWithTask(description: string): ApiResponse<typeof taskSchema> {
  const headers = {
    ETag: "The version of the task, which increases with each of its events. Send it as `If-Match` with PATCH.",
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
    summary: "List tasks",
    description: `A page of tasks, newest first. Filters may be combined; a task must pass all of them. An unknown agent or team has no tasks: the page is empty.

Page through with \`offset\` up to 10,000, or with \`cursor\`, where every page costs the same as the first: send \`nextCursor\` with the same filters until it is null. Omit \`offset\` with a cursor, because it would skip more tasks.

A key bound to an agent or a team sees only the tasks of that agent or team. A new task is in the next list of the key that created it. Lists show a client's change before the client gets the response, unless the directory takes more than a second. A worker's claim may appear a moment later. A change that no request causes (a built-in agent's, a deadline) usually appears within a second. Read the task for its current state.`,
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
    description: `Assigns work to an agent and responds immediately; the work starts automatically. Follow it with GET, the stream of its events, or a webhook.

**Who gets it.** With \`agentId\`, only that agent. Otherwise the best enabled agent (with \`teamId\`, of that team). Skills that the task's text names, tools for the context, rating and load determine the choice. If no agent is suitable, the task stays \`pending\` without an agent and the service keeps searching; at its deadline it fails with \`NO_AGENT_AVAILABLE\`. A task of a key bound to an agent or a team is for that agent or team, and cannot name another one.

**Input.** Put the data for the agent into \`context\`. Built-in agents read \`text\` (a text), \`csv\` (a table as CSV) and \`data\` (a table as an array of row objects). If the context has none of these, they read the input in the task's own text: a table, JSON rows, a fenced block, or the text after an instruction such as "Summarise: " or "Summarise the text below." If the text is only an instruction, the result states that there was nothing to read. With \`askFirst\` (a question), built-in agents and models ask before they begin. \`requireReview: true\` requires a person to approve the work before the task is completed, for every type of agent.

**Retries.** A repeat with the same \`Idempotency-Key\` and body finds the first task and gets the first response as long as the task exists, not only for 24 hours. One key creates at most one task.`,
    responses: [
      respond(
        201,
        "The task was created, or an earlier request with this Idempotency-Key created it and this is the response to that request.",
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
    description: `The current task, from its own log: never outdated, with deadlines enforced at the time of the request. Fields that do not apply, or not yet, are absent.

A task that the key may not see gets 404, like a task that does not exist.`,
    responses: [respondWithTask("The task.")],
  }),

  /** PATCH /agents/tasks/:id */
  updateTask: defineOperation({
    operationId: "updateTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.updateTaskBody,
    summary: "Change a task",
    description: `Changes the fields in the body; at least one is required. Works in every status except \`completed\` and \`cancelled\`. A change of a failed task does not retry it. If its deadline has passed, set a new one before the retry.

A working agent sees a change at its next step. A change without effect writes nothing: the response is the task with the same ETag. A task's log has at most 50,000 events and 128 MiB. When it is full, changes get 409 \`TASK_LIMIT_REACHED\`; the task can still end.`,
    responses: [respond(200, "The updated task, as GET returns it.", taskSchema)],
    errorCodes: ["INVALID_STATE", "TASK_LIMIT_REACHED"],
  }),

  /** POST /agents/tasks/:id/cancel */
  cancelTask: defineOperation({
    operationId: "cancelTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.cancelBody,
    bodyIsOptional: true,
    summary: "Cancel a task",
    description: `Cancels a task permanently, in any live status. Its agent is informed at its next step: a worker by \`stop\` or 409 \`LEASE_LOST\`, an A2A agent by a cancellation of its own task. Usage stays charged.

A completed, failed or cancelled task gets 409. The body may be omitted.`,
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
    description: `Begins the next attempt of a task that has failed; the failed one is kept in \`attempts\`. Progress, files and result start from the beginning; what was spent still counts against the budget. A task has at most 100 attempts.

The same agent gets the task again. With \`reassign\`, the best agent that has not tried it gets it; if there is none, the response is 409 \`NO_OTHER_AGENT\`. A key bound to an agent can neither reassign a task nor retry an automatically assigned task that its agent can no longer take (403 \`AGENT_MISMATCH\`). A key bound to a team reassigns within its team.

A key bound to the new agent sees only part of other agents' attempts. \`attempts\` shows their number, instants and error code, and the comment of a reviewer who rejected one, but not the agents or any other message or details. The log and the stream begin with the event that gave the task to the new agent, and files and results of earlier attempts are hidden. The task's text, context, notes, budget and \`spend\` are shown in full; so are answered questions and review comments if the service itself began the new attempt. After the deadline, the response is 409 \`DEADLINE_PASSED\`: set a new one with PATCH first. Of two retries of one failure, the second is rejected. The body may be omitted.`,
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
    description: `Answers the question of a task that is \`blocked\`, whose kind and text GET shows. The agent continues with the answer from where it stopped.

Answer a question of kind \`budget\` with new limits, such as \`{"maxCost": 2}\` or \`{"maxToolCalls": 50}\`. At least one must be above its current value, and none may be below it; otherwise the response is 400, and the task stays blocked. With any other answer, a built-in agent finishes with what it has, and a language model's attempt ends with \`BUDGET_EXCEEDED\`. A key bound to an agent cannot raise a limit (403 \`BUDGET_RAISE_DENIED\`).

If the agent has a queue, the task may wait again; it is \`in_progress\` meanwhile.`,
    responses: [respondWithTask("The task, which is in progress again.")],
    errorCodes: ["INVALID_STATE", "BUDGET_RAISE_DENIED", "TASK_LIMIT_REACHED"],
  }),

  /** POST /agents/tasks/:id/review */
  reviewTask: defineOperation({
    operationId: "reviewTask",
    tag: "Tasks",
    scope: "tasks:write",
    body: schemas.reviewBody,
    summary: "Review the work of a task",
    description: `Decides on work in \`review\`; GET and the deliverables show it.

- \`approve\`: the task is \`completed\`, with exactly what was shown
- \`request_changes\`: the task is \`in_progress\` again; the agent gets the comment, continues, and submits the work for review again. Result and files are not shown until then
- \`reject\`: the attempt has \`failed\` with \`REVIEW_REJECTED\` and the comment as its message; it may be retried`,
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
    description: `Rates the work of a completed task. The mean rating of an agent counts when agents are chosen for later tasks. New feedback replaces earlier feedback completely.`,
    responses: [
      respond(201, "The first feedback of this task.", givenFeedbackSchema),
      respond(200, "The new feedback, which replaces earlier feedback.", givenFeedbackSchema),
    ],
    errorCodes: ["TASK_NOT_COMPLETED", "TASK_LIMIT_REACHED"],
  }),

  /** GET /agents/tasks/:id/deliverables */
  listDeliverables: defineOperation({
    operationId: "listDeliverables",
    tag: "Tasks",
    scope: "tasks:read",
    summary: "List the files of a task",
    description: `The files of a task that is in \`review\` or \`completed\`, in the order of their creation. Before that, and for failed and cancelled tasks, the response is 409 \`TASK_NOT_COMPLETED\`.

\`url\` needs a key that may read the task. \`downloadUrl\` needs none and works for an hour: use it for a browser, a message or another service.`,
    responses: [respond(200, "The files; may be empty.", deliverableListSchema)],
    errorCodes: ["TASK_NOT_COMPLETED"],
  }),

  /** GET /agents/tasks/:id/deliverables/:name */
  downloadDeliverable: defineOperation({
    operationId: "downloadDeliverable",
    tag: "Tasks",
    summary: "Download a file",
    description: `The bytes of one file, as an attachment that browsers do not execute or frame, and whose type they do not guess. Requires a key, or the signed link in \`downloadUrl\`; an expired or altered link gets 401.`,
    access: "link",
    scope: "tasks:read",
    responses: [
      {
        status: 200,
        description: "The file, with its own media type.",
        content: { "*/*": {} },
        headers: {
          "Content-Disposition": "`attachment`, with the file's name.",
          "Content-Security-Policy": "Prevents a browser from executing the content of the file.",
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
    description: `The log of a task: every change is an event, and the task is the result of its events. \`seq\` counts from 1 without gaps; events never change. If a \`context\` or \`response\` is larger than 65,536 bytes as JSON, only its size is shown. If another agent had the task before, a key bound to an agent sees the log from the event that gave the task to its agent.

**As JSON**, a page at a time, oldest first. Send \`nextAfter\` as \`after\` until it is null.

**As a stream**, with \`Accept: text/event-stream\`, live (Server-Sent Events):

- first \`event: snapshot\`, whose data is the task as GET shows it with one additional field: \`seq\`, the last event that it includes
- then one message without a name for each event after \`after\` (by default 0, which sends all events), with its \`seq\` as \`id\` and the event as its data. Events up to the snapshot's \`seq\` are already included in the snapshot
- a comment when nothing has happened for 15 seconds
- the end of the stream after the last event of an ended task (\`completed\`, \`failed\`, \`cancelled\`), after 15 minutes in any case, and within ten seconds of the end of its key

A client that reconnects with \`Last-Event-ID\`, as every \`EventSource\` does, continues after that event; no event is lost or repeated, and the snapshot is sent again. If the task has ended and no event is left, the response is 204, which stops an \`EventSource\`. Omit \`limit\` for streams; with it, the response is 400.`,
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
  }),
};
