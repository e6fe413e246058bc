import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import type { TurnOutcome, TurnRequest } from "../contract.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import { createFailOutcome } from "../fail-outcome.ts";
import type { A2aFailure } from "./failure.ts";
import { serializeA2aCheckpoint, type A2aCheckpoint } from "./checkpoint.ts";
import { computeA2aRetryDelayMs } from "./intervals.ts";
import { toAgentAuthorization } from "../authorization.ts";
import { log } from "../../platform/log.ts";

const MESSAGE_PREFIX = "The A2A agent cannot be worked with: ";

/**
 * The outcome of a turn that failed. Once the agent works on the task (`isUnderWay`), every failure except
 * "not_found" and "unauthorized" is retried, because it may concern one response only.
 */
export function toA2aErrorOutcome(
  { taskId, task, secret }: Pick<TurnRequest<A2aExecutorConfig>, "taskId" | "task" | "secret">,
  checkpoint: A2aCheckpoint,
  failure: A2aFailure,
  isUnderWay: boolean,
): TurnOutcome {
  const redaction = createRedactor(toAgentAuthorization(secret));
  const reason = redaction.text(failure.reason);
  if (failure.internalReason !== undefined) {
    const { agentId } = task;
    const internal = redaction.text(failure.internalReason);
    log.warn("a2a_request_failed", { taskId, agentId, error: internal });
  }
  switch (failure.kind) {
    case "unauthorized": {
      // The next answer is to this question of ours, so it is not sent to the agent.
      const own = [...checkpoint.own, task.answers.length];
      return {
        kind: "block",
        why: "auth",
        question: formatAuthQuestion(reason, secret !== null, task.agentId),
        work: serializeA2aCheckpoint({ ...checkpoint, own }),
      };
    }
    case "not_found": {
      const prefix = isUnderWay ? "The A2A agent no longer knows the task: " : MESSAGE_PREFIX;
      return createFailOutcome(`${prefix}${reason}`, true);
    }
    case "transient":
      return createRetryOutcome(
        checkpoint,
        `${MESSAGE_PREFIX}${reason}`,
        failure.retryAfterSeconds,
      );
    case "unsupported":
    case "terminal":
    case "permanent":
      return isUnderWay
        ? createRetryOutcome(checkpoint, `${MESSAGE_PREFIX}${reason}`, null)
        : createFailOutcome(`${MESSAGE_PREFIX}${reason}`, false);
  }
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
