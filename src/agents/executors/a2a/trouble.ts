import type { A2aExecutor } from "../../../domain/agent.ts";
import type { TurnOutcome, TurnWork } from "../contract.ts";
import { redactionOf } from "../../../secrets/redact.ts";
import type { Fault } from "./fault.ts";
import { workOf, type Held } from "./held.ts";
import { faultPauseMs } from "./pace.ts";
import { authorisationOf } from "../authorisation.ts";

const LEAD = "The A2A agent cannot be worked with: ";

/**
 * What a turn comes to that met a fault. Once the agent works on the task (`isUnderWay`), a fault of
 * any kind but that it is gone may be of this one answer alone, so it is looked at again.
 */
export function troubled(
  { taskId, task, secret }: Pick<TurnWork<A2aExecutor>, "taskId" | "task" | "secret">,
  held: Held,
  fault: Fault,
  isUnderWay: boolean,
): TurnOutcome {
  const redaction = redactionOf(authorisationOf(secret));
  const reason = redaction.text(fault.reason);
  if (fault.internalReason !== undefined) {
    const { agentId } = task;
    const internal = redaction.text(fault.internalReason);
    console.warn({ event: "a2a_address_failed", taskId, agentId, reason: internal });
  }
  switch (fault.kind) {
    case "auth": {
      // The next answer is to this question, which is ours: the agent is not told of it.
      const own = [...held.own, task.answers.length];
      return {
        kind: "block",
        why: "auth",
        question: authQuestion(reason, secret !== null, task.agentId),
        work: workOf({ ...held, own }),
      };
    }
    case "gone": {
      const lead = isUnderWay ? "The A2A agent no longer knows the task: " : LEAD;
      return failed(`${lead}${reason}`, true);
    }
    case "passing":
      return again(held, `${LEAD}${reason}`, fault.retryAfterSeconds);
    case "unsupported":
    case "ended":
    case "lasting":
      return isUnderWay ? again(held, `${LEAD}${reason}`, null) : failed(`${LEAD}${reason}`, false);
  }
}

export function failed(message: string, retryable: boolean): TurnOutcome {
  return { kind: "fail", error: { code: "AGENT_ERROR", message, retryable } };
}

function again(held: Held, fault: string, retryAfterSeconds: number | null): TurnOutcome {
  const afterMs = faultPauseMs(Date.now() - held.since, retryAfterSeconds);
  return { kind: "again", afterMs, fault };
}

function authQuestion(reason: string, hasKey: boolean, agentId: string | null): string {
  const what = hasKey ? "does not take the key that is kept for it" : "wants a key";
  return `The A2A agent ${what}: ${reason} Set its API key with PATCH /agents/${agentId ?? "{agentId}"}, then respond to this to go on. Do not put the key into the response.`;
}
