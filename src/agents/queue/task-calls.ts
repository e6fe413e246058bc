import type { LeaseGrant } from "../../tasks/model/lease.ts";
import { OFFER_TIMEOUT_MS } from "../limits.ts";
import { taskStub, type AdmissionResult, type TaskRpc } from "../../tasks/task.rpc.ts";
import { withTimeout } from "../../platform/promises.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId, runWithRequestId } from "../../platform/request-id.ts";

/** The reason of a release: the agent was disabled or has another executor. */
const AGENT_CLOSED_REASON = "The agent no longer takes this work.";

/** Offers a task a slot of its agent; null if the task did not answer. */
export function offerSlot(
  env: Env,
  agentId: string,
  taskId: string,
  grant: LeaseGrant | null,
): Promise<AdmissionResult | null> {
  const unknown: AdmissionResult = { admitted: false, isWorking: false };
  // The queue starts a task because of the request that last changed that task, not because of its caller.
  const requestId = grant === null ? null : currentRequestId();
  return callTask(env, taskId, unknown, (task) =>
    runWithRequestId(requestId, () => task.admit(agentId, grant)),
  );
}

/** Releases a waiting task; false if the task did not answer. */
export function releaseTask(env: Env, agentId: string, taskId: string): Promise<boolean> {
  return isAnswered(env, taskId, (task) => task.release(agentId, AGENT_CLOSED_REASON));
}

/** Ends a lease held with a key; false if the task did not answer. */
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

/** The answer of a task; null if there is none, `unknown` for an id that belongs to no task. */
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
