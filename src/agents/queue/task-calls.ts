import type { LeaseGrant } from "../../tasks/model/lease.ts";
import { OFFER_TIMEOUT_MS } from "../limits.ts";
import { taskStub, type SlotOffer, type TaskRpc } from "../../tasks/task.rpc.ts";
import { withTimeout } from "../../platform/timeout.ts";
import type { ClaimRequest } from "./queue.rpc.ts";
import { log } from "../../platform/log.ts";
import { currentRequestId, runWithRequestId } from "../../platform/request-id.ts";

/** Why a task that waited goes back: its agent is disabled, or has become another kind of agent. */
const AGENT_CLOSED_REASON = "The agent does not take this work any more.";

/** The lease that a claim offers to one task. Its token is not to be guessed. */
export function createLeaseGrant({ worker, keyId, leaseSeconds }: ClaimRequest): LeaseGrant {
  const grant = { token: `lse_${crypto.randomUUID()}`, worker, seconds: leaseSeconds };
  return keyId === null ? grant : { ...grant, keyId };
}

/** Offers a task a place of its agent; null where it gave no answer. */
export function offerSlot(
  env: Env,
  agentId: string,
  taskId: string,
  grant: LeaseGrant | null,
): Promise<SlotOffer | null> {
  const unknown: SlotOffer = { admitted: false, isWorking: false };
  // The queue starts a task because of the request that last changed that task, not because of its caller.
  const requestId = grant === null ? null : currentRequestId();
  return callTask(env, taskId, unknown, (port) =>
    runWithRequestId(requestId, () => port.admit(agentId, grant)),
  );
}

/** Gives a waiting task back; false where it gave no answer. */
export async function releaseTask(env: Env, agentId: string, taskId: string): Promise<boolean> {
  const answer = await callTask(env, taskId, true, (port) =>
    port.release(agentId, AGENT_CLOSED_REASON).then(() => true),
  );
  return answer === true;
}

/** Ends a lease held with a key; false if the task did not answer. */
export async function endTaskLease(env: Env, taskId: string, keyId: string): Promise<boolean> {
  const answer = await callTask(env, taskId, true, (port) => port.endLease(keyId).then(() => true));
  return answer === true;
}

/** What a task answers, null where it does not; `unknown` for an id that no task ever had. */
async function callTask<Answer>(
  env: Env,
  taskId: string,
  unknown: Answer,
  ask: (port: TaskRpc) => Promise<Answer>,
): Promise<Answer | null> {
  const found = taskStub(env.TASKS, taskId);
  if (!found.ok) return unknown;
  try {
    return await withTimeout(OFFER_TIMEOUT_MS, ask(found.value));
  } catch (fault) {
    log.error("task_call_failed", { taskId, error: fault });
    return null;
  }
}
