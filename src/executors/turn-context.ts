import type { ExecutionContext } from "./contract.ts";
import type { Viewer } from "../keys/model/key.ts";
import { fail, ok } from "../kernel/result.ts";
import type { Task } from "../tasks/model/task.ts";
import type { ExecutorTurn } from "../tasks/model/turn.ts";
import { searchGrantedCapabilities } from "../tools/access.ts";
import { toCallFailure } from "./execution-context.ts";
import { saveDeliverable } from "../tasks/api/deliverables.ts";
import type { TaskRpc } from "../tasks/task.rpc.ts";
import { invokeForTask } from "../tasks/api/invoke-for-task.ts";

/** The service itself, which acts for the task's agent. */
const OURSELVES: Viewer = { agentId: null, teamId: null };

/**
 * The hands of an agent for one turn, which is done far from the task's object. Each call is paid, and
 * in the log, before its result is seen, so that a turn that breaks off has lost nothing.
 */
export function createTurnContext(
  env: Env,
  port: TaskRpc,
  taskId: string,
  task: Task,
  turn: ExecutorTurn,
): ExecutionContext {
  const { agentId } = task;
  if (agentId === null) throw new Error("A task that is worked on must have an agent");
  return {
    listCapabilities: (search, limit) => searchGrantedCapabilities(env, agentId, { search, limit }),
    async callTool(toolId, capability, parameters) {
      const call = { toolId, capability, parameters, agentId, visibleAgentIds: null };
      const outcome = await invokeForTask(env, OURSELVES, taskId, call, turn);
      return outcome.ok ? ok(outcome.value.result) : fail(toCallFailure(task, outcome.failure));
    },
    // A turn that was given up for lost must not write over what the next one stores.
    saveFile: (file) =>
      saveDeliverable(env.FILES, taskId, task, file, `${turn.openedSeq}-${turn.number}`),
    reportProgress: (progress) => port.progressTurn(turn, progress),
  };
}
