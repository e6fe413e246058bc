import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { MadeCall } from "../../governance/approvals/approval.rpc.ts";
import { hashCall } from "../../governance/approvals/request-approval.ts";
import type { Approval } from "../../governance/model/approval.ts";
import { hasKeyEnded } from "../../keys/authenticate.ts";
import { invokeTool, UNLIMITED_BUDGET } from "../../tools/invoke.ts";
import { invokeForTask, type Caller } from "./invoke-for-task.ts";

/** The service itself, which makes approved calls. */
const SERVICE = { agentId: null, teamId: null };

/**
 * Makes a call that people have approved, exactly as it was stored. The key, the grant, the policies, the budget, the
 * limits and the circuit breaker are checked again. `begin` is called immediately before the call is sent.
 */
export async function makeApprovedCall(
  env: Env,
  { id, call, decisions }: Approval,
  begin: () => void,
): Promise<Result<MadeCall, Failure>> {
  const { toolId, capability, parameters, agentId, taskId, teamId, keyId, source } = call;
  if (keyId !== null && (await hasKeyEnded(env, { id: keyId }))) {
    const reason = `the key ${keyId}, with which the call was made, has ended.`;
    return fail({ kind: "approval_outdated", reason });
  }
  if ((await hashCall(toolId, capability, parameters)) !== call.sha256)
    throw new Error("A stored call must not change");
  const approval = { id, decisions, operationSha256: call.operationSha256, begin };
  const made = { toolId, capability, parameters, agentId, keyId, source, approval };
  const caller: Caller = {
    origin: { source, keyId, turn: null },
    turn: null,
    approvalId: id,
  };
  const outcome =
    taskId === null
      ? await invokeTool(env, {
          ...made,
          visibleAgentIds: null,
          payer: {
            taskId,
            teamId,
            keyId,
            labels: null,
            budget: UNLIMITED_BUDGET,
            requestApproval: null,
          },
        })
      : await invokeForTask(env, SERVICE, taskId, { ...made, visibleAgentIds: null }, caller);
  if (!outcome.ok) return outcome;
  const { result, cost, durationMs } = outcome.value;
  return ok({ result, cost, durationMs });
}
