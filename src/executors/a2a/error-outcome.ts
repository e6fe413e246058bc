import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import type { TurnOutcome, TurnRequest } from "../contract.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import type { A2aFailure } from "./failure.ts";
import { serializeA2aCheckpoint, type A2aCheckpoint } from "./checkpoint.ts";
import { computeA2aRetryDelayMs } from "./intervals.ts";
import { toAgentAuthorization } from "../authorization.ts";

const MESSAGE_PREFIX = "The A2A agent cannot be worked with: ";

/**
 * What a turn comes to that met a fault. Once the agent works on the task (`isUnderWay`), a fault of
 * any kind but that it is gone may be of this one answer alone, so it is looked at again.
 */
export function toA2aErrorOutcome(
  { taskId, task, secret }: Pick<TurnRequest<A2aExecutorConfig>, "taskId" | "task" | "secret">,
  checkpoint: A2aCheckpoint,
  fault: A2aFailure,
  isUnderWay: boolean,
): TurnOutcome {
  const redaction = createRedactor(toAgentAuthorization(secret));
  const reason = redaction.text(fault.reason);
  if (fault.internalReason !== undefined) {
    const { agentId } = task;
    const internal = redaction.text(fault.internalReason);
    console.warn({ event: "a2a_address_failed", taskId, agentId, reason: internal });
  }
  switch (fault.kind) {
    case "auth": {
      // The next answer is to this question, which is ours: the agent is not told of it.
      const own = [...checkpoint.own, task.answers.length];
      return {
        kind: "block",
        why: "auth",
        question: formatAuthQuestion(reason, secret !== null, task.agentId),
        work: serializeA2aCheckpoint({ ...checkpoint, own }),
      };
    }
    case "gone": {
      const prefix = isUnderWay ? "The A2A agent no longer knows the task: " : MESSAGE_PREFIX;
      return createFailOutcome(`${prefix}${reason}`, true);
    }
    case "passing":
      return createRetryOutcome(checkpoint, `${MESSAGE_PREFIX}${reason}`, fault.retryAfterSeconds);
    case "unsupported":
    case "ended":
    case "lasting":
      return isUnderWay
        ? createRetryOutcome(checkpoint, `${MESSAGE_PREFIX}${reason}`, null)
        : createFailOutcome(`${MESSAGE_PREFIX}${reason}`, false);
  }
}

export function createFailOutcome(message: string, retryable: boolean): TurnOutcome {
  return { kind: "fail", error: { code: "AGENT_ERROR", message, retryable } };
}

function createRetryOutcome(
  checkpoint: A2aCheckpoint,
  fault: string,
  retryAfterSeconds: number | null,
): TurnOutcome {
  const afterMs = computeA2aRetryDelayMs(Date.now() - checkpoint.since, retryAfterSeconds);
  return { kind: "again", afterMs, fault };
}

function formatAuthQuestion(reason: string, hasKey: boolean, agentId: string | null): string {
  const what = hasKey ? "does not take the key that is kept for it" : "wants a key";
  return `The A2A agent ${what}: ${reason} Set its API key with PATCH /agents/${agentId ?? "{agentId}"}, then respond to this to go on. Do not put the key into the response.`;
}
