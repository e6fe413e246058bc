import * as z from "zod";
import * as schemas from "../../../tasks/api/schemas.ts";
import * as workerSchemas from "../../../tasks/workers/schemas.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../../../http/limits.ts";
import type { Failure } from "../../../kernel/failure.ts";
import { type Result, ok } from "../../../kernel/result.ts";
import { reserveStream } from "../../../keys/authenticate.ts";
import { awaitStatusChange } from "../../../tasks/api/await-status-change.ts";
import { createTask } from "../../../tasks/api/create-task.ts";
import { listDeliverables } from "../../../tasks/api/deliverables.ts";
import { listTasks } from "../../../tasks/api/list-tasks.ts";
import type { TaskResponse } from "../../../tasks/api/task-schemas.ts";
import { type ViewOptions, createdTaskView, taskView } from "../../../tasks/api/view.ts";
import { senderOf } from "../../../tasks/model/author.ts";
import { budgetWarnings } from "../../../tasks/model/budget.ts";
import { type ClientCommand, taskStub } from "../../../tasks/task.rpc.ts";
import { claimTasks } from "../../../tasks/workers/claim.ts";
import { sendReport } from "../../../tasks/workers/report.ts";
import { claimedTaskView } from "../../../tasks/workers/view.ts";
import type { McpCallContext } from "../call-context.ts";
import { APPROVAL_TOOLS } from "./approval-tools.ts";
import {
  DESTRUCTIVE_ANNOTATIONS,
  READ_ANNOTATIONS,
  type TaskTool,
  WRITE_ANNOTATIONS,
  defineTaskTool,
  stringifyNumbers,
  taskIdArgument,
} from "./task-tool.ts";

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/, { error: "must be printable ASCII characters without spaces" })
  .max(IDEMPOTENCY_KEY_CHARACTERS_MAX)
  .optional()
  .describe(
    "Repeating a call with the same key and arguments returns the same task instead of creating another.",
  );

/**
 * In list order: first the tools for clients that assign tasks, then those for worker processes and for calls that wait
 * for approval.
 */
export const TASK_TOOLS: readonly TaskTool[] = [
  defineTaskTool({
    name: "create_task",
    title: "Create a task",
    description:
      "Assigns a task to an agent: the one in agentId, or else the most suitable. Returns taskId and estimates immediately. To wait for the task, call get_task with waitSeconds.",
    scope: "tasks:write",
    annotations: WRITE_ANNOTATIONS,
    // A repeated request must find its task even after the deadline. A past deadline is rejected only for a new task.
    input: schemas.repeatableTaskBody.extend({ idempotencyKey }),
    async execute({ env, key, origin }, { idempotencyKey: repeated = null, ...body }) {
      const created = await createTask(env, key, body, repeated);
      if (!created.ok) return created;
      const { id, task } = created.value;
      const warnings = budgetWarnings(task.budget);
      const warned = warnings.length === 0 ? {} : { warnings };
      return ok({ ...createdTaskView(origin, id, task), ...warned });
    },
  }),
  defineTaskTool({
    name: "get_task",
    title: "Read a task",
    description:
      "Returns the current state of a task: status, progress, result, question if blocked, errors and attempts. To wait for a task, use waitSeconds instead of polling. The call then returns when the status changes, or immediately if the task has ended or needs an answer or a review.",
    scope: "tasks:read",
    annotations: READ_ANNOTATIONS,
    input: schemas.getTaskQuery
      .extend({ taskId: taskIdArgument, waitSeconds: schemas.taskWaitSeconds })
      .strict(),
    async execute(call, { taskId: id, include, waitSeconds }, signal) {
      const { env, origin } = call;
      const waitMs = waitSeconds * 1_000;
      const slot = waitMs === 0 ? ok(() => {}) : reserveStream(call.key, signal);
      if (!slot.ok) return slot;
      try {
        const task = await awaitStatusChange(env, id, call.key, waitMs, signal);
        if (!task.ok) return task;
        const context = include === "context" ? "whole" : "size";
        return ok(taskView(origin, id, task.value, viewOptionsOf(call), context));
      } finally {
        slot.value();
      }
    },
  }),
  defineTaskTool({
    name: "list_tasks",
    title: "List tasks",
    description: "Lists the tasks that this key may see, newest first, one page at a time.",
    scope: "tasks:read",
    annotations: READ_ANNOTATIONS,
    // The query schema expects numbers as text, but arguments contain numbers.
    input: z.preprocess(stringifyNumbers, schemas.listTasksQuery.strict()),
    execute: (call, query) => listTasks(call.env, call.key, query),
  }),
  defineTaskTool({
    name: "list_deliverables",
    title: "List a task's files",
    description:
      "Lists the files delivered by a task that is completed or in review, each with a downloadUrl that works for an hour without a key.",
    scope: "tasks:read",
    annotations: READ_ANNOTATIONS,
    input: z.strictObject({ taskId: taskIdArgument }),
    execute: (call, { taskId: id }) => listDeliverables(call.env, call.key, call.origin, id),
  }),
  defineTaskTool({
    name: "cancel_task",
    title: "Cancel a task",
    description: "Permanently ends a task that has not ended yet.",
    scope: "tasks:write",
    annotations: DESTRUCTIVE_ANNOTATIONS,
    input: schemas.cancelBody.extend({ taskId: taskIdArgument }),
    execute: (call, { taskId: id, reason = null }) =>
      executeCommand(call, id, { type: "cancel", reason }),
  }),
  defineTaskTool({
    name: "respond_task",
    title: "Answer a blocked task",
    description:
      "Answers the question of a blocked task (blocked.question in get_task). The task then continues.",
    scope: "tasks:write",
    annotations: WRITE_ANNOTATIONS,
    input: schemas.respondBody.extend({ taskId: taskIdArgument }),
    execute: (call, { taskId: id, response }) =>
      executeCommand(call, id, { type: "respond", response }),
  }),
  defineTaskTool({
    name: "review_task",
    title: "Review a task",
    description:
      "Reviews the work of a task: approve completes it, request_changes sends it back, reject fails it.",
    scope: "tasks:write",
    annotations: DESTRUCTIVE_ANNOTATIONS,
    input: schemas.reviewBody.extend({ taskId: taskIdArgument }),
    execute: (call, { taskId: id, decision, comment = null }) =>
      executeCommand(call, id, { type: "review", decision, comment }),
  }),
  defineTaskTool({
    name: "claim_task",
    title: "Claim tasks",
    description:
      "Claims the most urgent tasks waiting for the agent, each under a lease. Report on each task with its lease token before the lease ends; `heartbeat` and `progress` reports renew the lease.",
    scope: "tasks:work",
    annotations: WRITE_ANNOTATIONS,
    input: workerSchemas.claimBody,
    async execute(call, given, signal) {
      const { env, key, origin, agentId, waitUntil } = call;
      const body = given.agentId === undefined && agentId !== null ? { ...given, agentId } : given;
      const claimed = await claimTasks(env, key, body, { signal, waitUntil });
      if (!claimed.ok) return claimed;
      return ok({ tasks: claimed.value.map((one) => claimedTaskView(origin, call.key, one)) });
    },
  }),
  defineTaskTool({
    name: "report_task",
    title: "Report on a claimed task",
    description:
      "Reports on a claimed task. Each type of report has its own arguments: heartbeat (none), progress (progress, phase, work), blocked (question, kind, work), completed and review (result, quality), failed (error), released (reason, work). Report released to return an unfinished task, for example at shutdown, so that another worker can continue it. If the response contains stop, stop working on the task.",
    scope: "tasks:work",
    annotations: WRITE_ANNOTATIONS,
    input: z.intersection(z.strictObject({ taskId: taskIdArgument }), workerSchemas.reportBody),
    execute(call, { taskId: id, ...body }) {
      return sendReport(call.env, call.key, id, body);
    },
  }),
  ...APPROVAL_TOOLS,
];

function viewOptionsOf(call: McpCallContext): ViewOptions {
  return { viewer: call.key, now: Date.now() };
}

async function executeCommand(
  call: McpCallContext,
  id: string,
  given: ClientCommand,
): Promise<Result<TaskResponse, Failure>> {
  const stub = taskStub(call.env.TASKS, id);
  const result = stub.ok ? await stub.value.command(senderOf(call.key), given) : stub;
  return result.ok ? ok(taskView(call.origin, id, result.value.task, viewOptionsOf(call))) : result;
}
