import { defineOperations, respond } from "../api-operation.ts";
import { givenFeedbackSchema, taskSchema } from "../schemas/task.ts";
import { TASK_ETAG_HEADER, TASK_ID_PARAMETER } from "./tasks.ts";

/** What people say to a task while it is worked on, and after it. */
export const taskInteractionOperations = defineOperations("Tasks", {
  "POST /agents/tasks/:id/respond": {
    operationId: "respondToTask",
    summary: "Answer a blocked task",
    description: `Answers the question of a task that is \`blocked\`, whose kind and words GET shows. The agent goes on with the answer, from where it stopped.

Answer a question of kind \`budget\` with new limits, such as \`{"maxCost": 2}\` or \`{"maxToolCalls": 50}\`. At least one must be above its present value, and none may be below it; otherwise the response is 400, and the task stays blocked. With any other answer, a built-in agent finishes with what it has, and a language model's attempt ends with \`BUDGET_EXCEEDED\`. A key bound to an agent cannot raise a limit (403 \`BUDGET_RAISE_DENIED\`).

A task that has a queue before it may wait for its agent again: it is \`in_progress\` meanwhile.`,
    parameters: { id: TASK_ID_PARAMETER },
    fields: {
      response:
        "The answer: a text of 1 to 5,000 characters, or an object. All answers of an attempt together may hold 1 MiB as JSON.",
    },
    responses: [
      respond(200, "The task, which is in progress again.", taskSchema, {
        headers: TASK_ETAG_HEADER,
      }),
    ],
    errorCodes: ["TASK_NOT_FOUND", "INVALID_STATE", "BUDGET_RAISE_DENIED", "TASK_LIMIT_REACHED"],
  },
  "POST /agents/tasks/:id/review": {
    operationId: "reviewTask",
    summary: "Review the work of a task",
    description: `Decides on work that was handed in for \`review\`; GET and the deliverables show it.

- \`approve\`: the task is \`completed\`, with exactly what was shown
- \`request_changes\`: the task is \`in_progress\` again; the agent gets the comment, works on, and hands in for review once more. Result and files are not shown until then
- \`reject\`: the attempt has \`failed\` with \`REVIEW_REJECTED\` and the comment as its message; it may be retried`,
    parameters: { id: TASK_ID_PARAMETER },
    fields: {
      decision: "What becomes of the work.",
      comment: "Why, or what is to be changed; for people and for the agent.",
    },
    responses: [
      respond(200, "The task after the decision.", taskSchema, { headers: TASK_ETAG_HEADER }),
    ],
    errorCodes: ["TASK_NOT_FOUND", "INVALID_STATE", "TASK_LIMIT_REACHED"],
  },
  "POST /agents/tasks/:id/feedback": {
    operationId: "giveFeedback",
    summary: "Rate a completed task",
    description: `Says how good the work of a completed task was. The mean rating of an agent counts when agents are chosen for later tasks. Given again, it replaces the earlier feedback as a whole.`,
    parameters: { id: TASK_ID_PARAMETER },
    fields: {
      rating: "1 (worst) to 5 (best); any number in between.",
      feedback: "In words.",
      issues: "What was amiss, one by one.",
    },
    responses: [
      respond(201, "The first feedback of this task.", givenFeedbackSchema),
      respond(200, "It has replaced earlier feedback.", givenFeedbackSchema),
    ],
    errorCodes: ["TASK_NOT_FOUND", "TASK_NOT_COMPLETED", "TASK_LIMIT_REACHED"],
  },
});
