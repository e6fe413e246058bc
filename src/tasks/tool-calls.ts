import { invalid, type Failure } from "../domain/failure.ts";
import type { Viewer } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";
import type { Turn } from "../domain/turn.ts";
import { illegal } from "../domain/transitions.ts";
import { invoke, type Invocation, type Invoked, type InvokeEnv } from "../tools/invoke.ts";
import type { Purse } from "../tools/purse.ts";
import { taskOf, type ReservedCall, type TaskPort } from "./port.ts";

/**
 * Invokes a tool for a task that is worked on: the task's agent makes the call, and its budget pays.
 * `agentId` null stands for that agent; nobody else may be named. `turn`: the agent's own turn that
 * makes the call, null for a call beside them.
 */
export async function invokeForTask(
  env: InvokeEnv & Pick<Env, "TASKS">,
  viewer: Viewer,
  taskId: string,
  call: Omit<Invocation, "teamId" | "under">,
  turn: Turn | null = null,
): Promise<Result<Invoked, Failure>> {
  const port = taskOf(env.TASKS, taskId);
  if (!port.ok) return port;
  const task = await port.value.read(viewer);
  if (!task.ok) return task;
  const agentId = agentFor(task.value, call.agentId);
  if (!agentId.ok) return agentId;
  const under = { taskId, purse: purseOf(port.value, viewer, turn) };
  const { teamId } = task.value;
  return invoke(env, { ...call, agentId: agentId.value, teamId, under });
}

function agentFor(task: Task, named: string | null): Result<string, Failure> {
  if (task.agentId === null) return fail(illegal(task, "spend"));
  if (named === null || named === task.agentId) return ok(task.agentId);
  return fail(invalid("agentId", "must be the task's own agent, or left out"));
}

/** The budget of a task, as it lies in the task's object. */
function purseOf(port: TaskPort, viewer: Viewer, turn: Turn | null): Purse {
  let reserved: ReservedCall | null = null;
  return {
    async reserve(priceMax) {
      const answer = await port.reserveCall(viewer, priceMax, turn);
      if (!answer.ok) return answer;
      reserved = answer.value;
      return ok(reserved.costMax);
    },
    async pay(call) {
      if (reserved === null) return;
      try {
        await port.payCall(reserved, call);
      } catch (error) {
        // The call was made, and its answer matters more than a line of the log.
        console.warn({ event: "call_not_paid", toolId: call.toolId, error });
      }
    },
    async release(tooDear) {
      return reserved === null ? null : port.releaseCall(reserved, tooDear);
    },
  };
}
