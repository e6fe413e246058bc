import * as z from "zod";
import { budgetWarnings } from "../../../domain/budget.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { ok, type Result } from "../../../domain/result.ts";
import type { Failure } from "../../../domain/failure.ts";
import { holdOpen } from "../../../keys/key-limits.ts";
import { createTask } from "../../../tasks/create.ts";
import { listDeliverables } from "../../../tasks/deliverables.ts";
import { listTasks } from "../../../tasks/list.ts";
import { taskOf, type ClientCommand } from "../../../tasks/port.ts";
import { createdView, taskView, type Look } from "../../../tasks/view.ts";
import { awaitStatusChange } from "../../../tasks/wait.ts";
import * as wire from "../../../tasks/wire.ts";
import { viewerOf, type Caller } from "../caller.ts";
import type { TaskTool } from "./contract.ts";
import { CHANGES, ENDS, READS, TASK_ID, taskId, taskTool } from "./make.ts";

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/, { error: "must be printable ASCII characters without spaces" })
  .max(IDEMPOTENCY_KEY_CHARACTERS_MAX);

/** What those who have work done can do with it. */
export const CLIENT_TOOLS: readonly TaskTool[] = [
  taskTool({
    name: "create_task",
    title: "Create a task",
    description:
      "Gives a task to an agent, the best fitting one unless agentId names it. Answers at once with taskId and estimates. To wait for the task, call get_task with waitSeconds.",
    scope: "tasks:write",
    annotations: CHANGES,
    // A repeat finds its task even when the deadline has passed since; of a new one the task judges it.
    input: wire.repeatableTaskBody.extend({ idempotencyKey: idempotencyKey.optional() }),
    fields: {
      task: 'What is to be done, in plain words. It may contain the input: "Summarise: …".',
      agentId: "The agent that shall do it.",
      teamId: "The team that one of its members shall do it for.",
      context:
        "What the agent works with: text, csv, data (an array of objects), or anything else.",
      deadline: "When the task fails if it is not done, with a zone: 2030-01-31T12:00:00Z.",
      deliverables: "The files that are wanted: summary, report, presentation, spreadsheet…",
      budget: "What the task may cost; at its end it waits for an answer.",
      "budget.maxCost": "US dollars for calls of tools.",
      idempotencyKey: "The same key with the same arguments leads to the same task, made once.",
    },
    async work({ env, key, origin }, { idempotencyKey: repeated = null, ...body }) {
      const created = await createTask(env, key, body, repeated);
      if (!created.ok) return created;
      const { id, task } = created.value;
      const warnings = budgetWarnings(task.budget);
      const warned = warnings.length === 0 ? {} : { warnings };
      return ok({ ...createdView(origin, id, task), ...warned });
    },
  }),
  taskTool({
    name: "get_task",
    title: "Look at a task",
    description:
      "A task as it stands: status, progress, result, what it is blocked by, its errors and attempts. To wait for a task, use waitSeconds instead of polling: the call returns when the status changes, or at once if the task has ended or needs an answer or a review.",
    scope: "tasks:read",
    annotations: READS,
    input: wire.getTaskQuery.extend({ taskId, waitSeconds: wire.waitSeconds }).strict(),
    fields: {
      taskId: TASK_ID,
      waitSeconds:
        "How long to wait for the status to change, in seconds. If it has not changed, call again.",
      include: "`context` includes the task's context; by default only its size is returned.",
    },
    async work(caller, { taskId: id, include, waitSeconds }, signal) {
      const { env, origin } = caller;
      const waitMs = waitSeconds * 1_000;
      const held = waitMs === 0 ? ok(() => {}) : holdOpen(caller.key, signal);
      if (!held.ok) return held;
      try {
        const task = await awaitStatusChange(env, id, caller.key, waitMs, signal);
        if (!task.ok) return task;
        const context = include === "context" ? "whole" : "size";
        return ok(taskView(origin, id, task.value, lookOf(caller), context));
      } finally {
        held.value();
      }
    },
  }),
  taskTool({
    name: "list_tasks",
    title: "List tasks",
    description: "The tasks that this key may see, newest first, page by page.",
    scope: "tasks:read",
    annotations: READS,
    // Numbers of a query come as texts, those of arguments as numbers.
    input: z.preprocess(withTexts, wire.listTasksQuery.strict()),
    fields: {
      startDate: "Created at or after: 2030-01-31, or an instant with a zone.",
      endDate: "Created at or before; a bare date means the whole day (UTC).",
      cursor: "nextCursor of the page before, with the same filters.",
    },
    work: (caller, query) => listTasks(caller.env, viewerOf(caller), query),
  }),
  taskTool({
    name: "list_deliverables",
    title: "List a task's files",
    description:
      "The files that a task in review or completed has delivered, each with a downloadUrl that works for an hour without a key.",
    scope: "tasks:read",
    annotations: READS,
    input: z.strictObject({ taskId }),
    fields: { taskId: TASK_ID },
    work: (caller, { taskId: id }) =>
      listDeliverables(caller.env, viewerOf(caller), caller.origin, id),
  }),
  taskTool({
    name: "cancel_task",
    title: "Cancel a task",
    description: "Ends a task that is not done yet, for good.",
    scope: "tasks:write",
    annotations: ENDS,
    input: wire.cancelBody.extend({ taskId }),
    fields: { taskId: TASK_ID, reason: "Why; whoever looks at the task reads it." },
    work: (caller, { taskId: id, reason = null }) =>
      command(caller, id, { type: "cancel", reason }),
  }),
  taskTool({
    name: "respond_task",
    title: "Answer a blocked task",
    description:
      "Answers what a blocked task asks (blocked.question of get_task); it then goes on.",
    scope: "tasks:write",
    annotations: CHANGES,
    input: wire.respondBody.extend({ taskId }),
    fields: { taskId: TASK_ID, response: "The answer." },
    work: (caller, { taskId: id, response }) => command(caller, id, { type: "respond", response }),
  }),
  taskTool({
    name: "review_task",
    title: "Review a task",
    description:
      "Judges a task in review: approve completes it, request_changes sends it back, reject fails it.",
    scope: "tasks:write",
    annotations: ENDS,
    input: wire.reviewBody.extend({ taskId }),
    fields: { taskId: TASK_ID, comment: "What to change, or why." },
    work: (caller, { taskId: id, decision, comment = null }) =>
      command(caller, id, { type: "review", decision, comment }),
  }),
];

function lookOf(caller: Caller): Look {
  return { viewer: viewerOf(caller), now: Date.now() };
}

/** Carries out a command; the whole task afterwards. */
async function command(
  caller: Caller,
  id: string,
  given: ClientCommand,
): Promise<Result<object, Failure>> {
  const port = taskOf(caller.env.TASKS, id);
  const done = port.ok ? await port.value.command(viewerOf(caller), given) : port;
  return done.ok ? ok(taskView(caller.origin, id, done.value.task, lookOf(caller))) : done;
}

/** Arguments as a query would hold them. */
function withTexts(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === "number" ? String(value) : value,
    ]),
  );
}
