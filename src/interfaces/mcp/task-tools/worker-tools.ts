import * as z from "zod";
import { ok } from "../../../kernel/result.ts";
import { claimTasks } from "../../../tasks/workers/claim.ts";
import { sendReport } from "../../../tasks/workers/report.ts";
import { claimedTaskView } from "../../../tasks/workers/view.ts";
import * as schemas from "../../../tasks/workers/schemas.ts";
import { defineTaskTool, taskIdArgument, type TaskTool, WRITE_ANNOTATIONS } from "./task-tool.ts";

/** The tools of a worker process. */
export const WORKER_TOOLS: readonly TaskTool[] = [
  defineTaskTool({
    name: "claim_task",
    title: "Claim tasks",
    description:
      "Takes the most urgent tasks that wait for the agent, each under a lease. Report on each with its lease's token before the lease ends; `heartbeat` and `progress` renew it.",
    scope: "tasks:work",
    annotations: WRITE_ANNOTATIONS,
    input: schemas.claimBody,
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
      "Reports on the work on a claimed task. Each type has its own arguments: heartbeat none; progress: progress, phase, work; blocked: question, kind, work; completed and review: result, quality; failed: error; released: reason, work. Report released to return the task before the work is done, for example at shutdown: another worker continues it. If the response has stop, stop working on the task.",
    scope: "tasks:work",
    annotations: WRITE_ANNOTATIONS,
    input: z.intersection(z.strictObject({ taskId: taskIdArgument }), schemas.reportBody),
    execute(call, { taskId: id, ...body }) {
      return sendReport(call.env, call.key, id, body);
    },
  }),
];
