import type { LeaseGrant } from "../../domain/lease.ts";
import { OFFER_TIMEOUT_MS } from "../../domain/limits.ts";
import { taskOf, type Admission, type TaskPort } from "../../tasks/port.ts";
import { within } from "../../clock/within.ts";
import type { Claim } from "./port.ts";

/** Why a task that waited goes back: its agent is disabled, or has become another kind of agent. */
const CLOSED = "The agent does not take this work any more.";

/** The lease that a claim offers to one task. Its token is not to be guessed. */
export function grantOf({ worker, keyId, leaseSeconds }: Claim): LeaseGrant {
  const grant = { token: `lse_${crypto.randomUUID()}`, worker, seconds: leaseSeconds };
  return keyId === null ? grant : { ...grant, keyId };
}

/** Offers a task a place of its agent; null where it gave no answer. */
export function offerPlace(
  env: Env,
  agentId: string,
  taskId: string,
  grant: LeaseGrant | null,
): Promise<Admission | null> {
  const unknown: Admission = { admitted: false, isWorking: false };
  return asked(env, taskId, unknown, (port) => port.admit(agentId, grant));
}

/** Gives a waiting task back; false where it gave no answer. */
export async function release(env: Env, agentId: string, taskId: string): Promise<boolean> {
  const answer = await asked(env, taskId, true, (port) =>
    port.release(agentId, CLOSED).then(() => true),
  );
  return answer === true;
}

/** Ends a lease held with a key; false if the task did not answer. */
export async function endLease(env: Env, taskId: string, keyId: string): Promise<boolean> {
  const answer = await asked(env, taskId, true, (port) => port.endLease(keyId).then(() => true));
  return answer === true;
}

/** What a task answers, null where it does not; `unknown` for an id that no task ever had. */
async function asked<Answer>(
  env: Env,
  taskId: string,
  unknown: Answer,
  ask: (port: TaskPort) => Promise<Answer>,
): Promise<Answer | null> {
  const found = taskOf(env.TASKS, taskId);
  if (!found.ok) return unknown;
  try {
    return await within(OFFER_TIMEOUT_MS, ask(found.value));
  } catch (fault) {
    console.error({ event: "queue_unanswered", taskId, fault });
    return null;
  }
}
