import type { LeaseGrant } from "../../tasks/model/lease.ts";
import { OFFER_TIMEOUT_MS } from "../limits.ts";
import { taskStub, type AdmissionResult, type TaskRpc } from "../../tasks/task.rpc.ts";
import { withTimeout } from "../../platform/promises.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId, runWithRequestId } from "../../platform/request-id.ts";

/** Why tasks are released: the agent was disabled or deleted, or has a different executor type. */
const AGENT_CLOSED_REASON = "The agent no longer accepts this task.";

/** Offers a task one of its agent's slots; null if the task did not respond. */
export function offerSlot(
  env: Env,
  agentId: string,
  taskId: string,
  grant: LeaseGrant | null,
): Promise<AdmissionResult | null> {
  const unknown: AdmissionResult = { admitted: false, isWorking: false };
  // A task that the queue starts is attributed to the request that last changed the task, not to the queue's current
  // caller.
  const requestId = grant === null ? null : currentRequestId();
  return callTask(env, taskId, unknown, (task) =>
    runWithRequestId(requestId, () => task.admit(agentId, grant)),
  );
}

/** Releases a waiting task; false if the task did not respond. */
export function releaseTask(env: Env, agentId: string, taskId: string): Promise<boolean> {
  return isAnswered(env, taskId, (task) => task.release(agentId, AGENT_CLOSED_REASON));
}

/** Tells a task that its agent is paused; false if the task did not respond. */
export function holdTask(env: Env, agentId: string, taskId: string): Promise<boolean> {
  return isAnswered(env, taskId, (task) => task.hold(agentId));
}

/** Ends a lease held with a key; false if the task did not respond. */
export function endTaskLease(env: Env, taskId: string, keyId: string): Promise<boolean> {
  return isAnswered(env, taskId, (task) => task.endLease(keyId));
}

async function isAnswered(
  env: Env,
  taskId: string,
  call: (task: TaskRpc) => Promise<unknown>,
): Promise<boolean> {
  return (await callTask(env, taskId, true, (task) => call(task).then(() => true))) === true;
}

/** Calls a task and returns its response; null if the call fails, `unknown` if the id is not a task id. */
async function callTask<Answer>(
  env: Env,
  taskId: string,
  unknown: Answer,
  call: (task: TaskRpc) => Promise<Answer>,
): Promise<Answer | null> {
  const found = taskStub(env.TASKS, taskId);
  if (!found.ok) return unknown;
  try {
    return await withTimeout(OFFER_TIMEOUT_MS, call(found.value));
  } catch (error) {
    log.error("task_call_failed", { taskId, error });
    return null;
  }
}
