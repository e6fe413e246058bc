import { UPDATED_TASK } from "../../examples/task-changes.ts";
import { CANCELLED_TASK, RETRIED_TASK } from "../../examples/task-ends.ts";
import { COMPLETED_TASK } from "../../examples/task.ts";
import type { Operations } from "../../operation.ts";
import { task } from "../../schemas/task.ts";
import { WITH_VERSION } from "./answers.ts";
import { id } from "./parameters.ts";

/** One task: reading it, and what may be done to it from outside. */
export const taskOperations: Operations = {
  "GET /agents/tasks/:id": {
    operationId: "getTask",
    tag: "Tasks",
    summary: "Read a task",
    description: `The task as it stands, from its own log: never behind, and with deadlines enforced at this very moment. What does not apply, or not yet, is absent.

A task that the key may not see answers 404, as one that does not exist.`,
    parameters: {
      id,
      include: {
        description: "`context` brings the whole context, however large it is.",
        example: "context",
      },
    },
    answers: [
      {
        status: 200,
        description: "The task.",
        data: task,
        example: COMPLETED_TASK,
        headers: WITH_VERSION,
      },
    ],
    codes: ["TASK_NOT_FOUND"],
  },
  "PATCH /agents/tasks/:id": {
    operationId: "updateTask",
    tag: "Tasks",
    summary: "Change a task",
    description: `Changes what is named in the body, at least one field, and leaves the rest. Works in every status but \`completed\` and \`cancelled\`. On a failed task it changes the task and does not retry it: so a task whose deadline has passed gets a new one before its retry.

An agent that is at work sees a change with its next step. A change without effect writes nothing: the response is the task with the same ETag. A task's log holds at most 50,000 events and 128 MiB. When it is full, changes get 409 \`TASK_LIMIT_REACHED\`; the task can still end.`,
    parameters: { id },
    fields: {
      priority: "How urgent it is from now on; a task that waits for its agent changes its place.",
      deadline:
        "When the task fails unless it has ended: in the future, at most five years from now.",
      context:
        "Merged into the context key by key, one level deep: a key replaces what lay under it, and `null` deletes it. The whole may hold at most 1 MiB as JSON.",
      notes: "Added to the notes as one more line. All notes together may hold 100,000 characters.",
    },
    bodyExample: {
      priority: "urgent",
      notes: "The captain is waiting.",
      context: { reader: "the new crew" },
    },
    answers: [
      {
        status: 200,
        description: "The task with the change, as GET would show it.",
        data: task,
        example: UPDATED_TASK,
      },
    ],
    codes: ["TASK_NOT_FOUND", "INVALID_STATE", "TASK_LIMIT_REACHED"],
  },
  "POST /agents/tasks/:id/cancel": {
    operationId: "cancelTask",
    tag: "Tasks",
    summary: "Cancel a task",
    description: `Calls a task off for good, in whatever live status it is. Its agent hears of it with its next step: a worker by \`stop\` or 409 \`LEASE_LOST\`, an agent that speaks A2A by a cancellation of its own task. What was spent stays spent.

A task that is completed, failed or cancelled answers 409. The body may be left out.`,
    parameters: { id },
    fields: { reason: "Why, for people to read; it is shown as `cancelReason`." },
    bodyExample: { reason: "The ship has sailed." },
    answers: [
      {
        status: 200,
        description: "The task, which is cancelled now.",
        data: task,
        example: CANCELLED_TASK,
        headers: WITH_VERSION,
      },
    ],
    codes: ["TASK_NOT_FOUND", "INVALID_STATE"],
  },
  "POST /agents/tasks/:id/retry": {
    operationId: "retryTask",
    tag: "Tasks",
    summary: "Retry a failed task",
    description: `Begins the next attempt of a task that has failed; the failed one is kept in \`attempts\`. Progress, files and result begin anew; what was spent still counts against the budget. A task has at most 100 attempts.

The same agent gets the task again. With \`reassign\`, the best agent that has not tried it gets it; if there is none, the response is 409 \`NO_OTHER_AGENT\`. A key bound to an agent can neither reassign a task nor retry an automatically assigned task that its agent can no longer take (403 \`AGENT_MISMATCH\`). A key bound to a team reassigns within its team.

A key bound to the new agent sees only part of other agents' attempts. \`attempts\` shows their number, instants and error code, and the comment of a reviewer who rejected one, but not the agents or any other message or details. The log and the stream begin with the event that gave the task to the new agent, and files and results of earlier attempts are hidden. The task's text, context, notes, budget and \`spend\` are shown in full; so are answered questions and review comments if the service itself began the new attempt. After the deadline has passed the answer is 409 \`DEADLINE_PASSED\`: set a new one with PATCH first. Of two retries of one failure the second is refused. The body may be left out.`,
    parameters: { id },
    fields: {
      reassign: "Whether an agent that has not tried it yet is to get it.",
      context:
        "Merged into the context key by key, one level deep, as by PATCH: what the next attempt should know or do differently.",
    },
    bodyExample: { reassign: true },
    answers: [
      {
        status: 200,
        description: "The task, which is pending again.",
        data: task,
        example: RETRIED_TASK,
        headers: WITH_VERSION,
      },
    ],
    codes: [
      "AGENT_MISMATCH",
      "TASK_NOT_FOUND",
      "INVALID_STATE",
      "DEADLINE_PASSED",
      "NO_OTHER_AGENT",
      "TASK_LIMIT_REACHED",
    ],
  },
};
