import type { Failure } from "../../kernel/failure.ts";
import { sortKeys, type JsonObject } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { parseDuration } from "../../kernel/duration.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import type { AuthorizedContext } from "../../tools/authorize.ts";
import type {
  ApprovalDraft,
  ApprovalReceipt,
  ApprovedCall,
  CallPayer,
  Invocation,
  InvocationResult,
} from "../../tools/model/invocation.ts";
import {
  APPROVAL_DURATION_MAX_MS,
  APPROVAL_EXPIRY_DEFAULT,
  APPROVALS_PENDING_MAX,
} from "../limits.ts";
import {
  formatSettlement,
  isSatisfied,
  type Approval,
  type StoredCall,
} from "../model/approval.ts";
import { isSettled } from "../model/approval-status.ts";
import { isRemembered } from "../model/remembered-approval.ts";
import type { Policy } from "../model/policy.ts";
import { approvalStub } from "./approval.rpc.ts";
import { findEarlierApprovals } from "./approvals.store.ts";

type ApprovalEnv = Pick<Env, "APPROVALS" | "DB">;

/**
 * Stores a call that requires approval, unless an earlier approval covers it. Returns null if the call may be made now, or
 * the result if the call's task has already made an equal call.
 */
export async function requestCallApproval(
  env: ApprovalEnv,
  call: Invocation,
  context: AuthorizedContext,
  payer: CallPayer,
  policies: readonly Policy[],
): Promise<Result<InvocationResult | null, Failure>> {
  const now = Date.now();
  const { taskId } = payer;
  const since = now - APPROVAL_DURATION_MAX_MS;
  const earlier = await findEarlierApprovals(getDatabase(env.DB), call, since);
  const asking = policies.filter((policy) => !isRemembered(policy, taskId, earlier.approved, now));
  if (asking.length === 0) return ok(null);
  if (earlier.pending >= APPROVALS_PENDING_MAX)
    return fail({ kind: "too_many_approvals", max: APPROVALS_PENDING_MAX, agentId: call.agentId });
  const draft: ApprovalDraft = {
    call: await toStoredCall(call, context, payer),
    policies: asking.map(({ id, reason, approvers, approvals, remember }) => {
      return { id, reason, approvers, approvals, remember };
    }),
    expiresAt: Math.min(...asking.map((policy) => now + expiryMsOf(policy))),
  };
  const stored =
    payer.requestApproval === null
      ? ok(await storeCall(env, draft))
      : await payer.requestApproval(draft);
  return stored.ok ? toOutcome(env, stored.value, asking) : stored;
}

/** Checks that an approved call is still the call that people decided about, and that no policy requires more. */
export async function checkApprovedCall(
  { decisions, operationSha256 }: ApprovedCall,
  context: AuthorizedContext,
  asking: readonly Policy[],
): Promise<Result<null, Failure>> {
  if ((await hashOperation(context)) !== operationSha256) {
    const reason = `tool ${context.tool.id} has changed since the call was approved.`;
    return fail({ kind: "approval_outdated", reason });
  }
  const unsatisfied = asking.find((policy) => !isSatisfied([policy], decisions));
  if (unsatisfied === undefined) return ok(null);
  const reason = `policy ${unsatisfied.id} has changed and requires another approval.`;
  return fail({ kind: "approval_outdated", reason });
}

/** SHA-256 of the parts of a call that people decide about, in hex. */
export function hashCall(
  toolId: string,
  capability: string,
  parameters: JsonObject,
): Promise<string> {
  return sha256Hex(JSON.stringify({ toolId, capability, parameters }, sortKeys));
}

export function toReceipt(approval: Approval): ApprovalReceipt {
  const { id: approvalId, status, expiresAt } = approval;
  return { approvalId, status, expiresAt, message: formatSettlement(approval) };
}

async function storeCall(env: ApprovalEnv, draft: ApprovalDraft): Promise<ApprovalReceipt> {
  const id = crypto.randomUUID();
  return toReceipt(await approvalStub(env.APPROVALS, id).request(id, draft));
}

/** The result of a call that was made, otherwise a failure. */
async function toOutcome(
  env: ApprovalEnv,
  { approvalId, status, message, expiresAt }: ApprovalReceipt,
  policies: readonly Policy[],
): Promise<Result<InvocationResult, Failure>> {
  if (status === "executed") {
    const result = await approvalStub(env.APPROVALS, approvalId).readResult();
    if (result !== null) return ok({ result, cost: 0, durationMs: 0, window: null });
  }
  if (isSettled(status)) {
    const isDenied = status === "denied" || status === "expired" || status === "withdrawn";
    return fail({ kind: "approval_settled", approvalId, isDenied, message });
  }
  const { id: policyId = "", reason = "" } = policies[0] ?? {};
  return fail({ kind: "approval_pending", approvalId, policyId, reason, expiresAt });
}

async function toStoredCall(
  { toolId, capability, parameters, agentId, keyId, source }: Invocation,
  context: AuthorizedContext,
  { taskId, teamId }: CallPayer,
): Promise<StoredCall> {
  return {
    toolId,
    capability,
    parameters,
    sha256: await hashCall(toolId, capability, parameters),
    destination: destinationOf(context),
    operationSha256: await hashOperation(context),
    estimatedCost: context.tool.pricing.overage,
    agentId,
    taskId,
    teamId,
    keyId,
    source,
  };
}

/** SHA-256 of how the tool carries out the call, in hex. */
function hashOperation({ tool, capability }: AuthorizedContext): Promise<string> {
  const { connector } = tool;
  return sha256Hex(JSON.stringify([connector, capability.operation], sortKeys));
}

/** The origin that the call is sent to; null for a built-in tool. */
function destinationOf({ tool: { connector }, capability }: AuthorizedContext): string | null {
  switch (connector.type) {
    case "builtin":
      return null;
    case "mcp":
      return URL.parse(connector.url)?.origin ?? null;
    case "http": {
      const { operation } = capability;
      const own = operation?.type === "http" ? operation.request.baseUrl : undefined;
      return URL.parse(own ?? connector.baseUrl)?.origin ?? null;
    }
  }
}

function expiryMsOf({ expiresAfter }: Policy): number {
  return parseDuration(expiresAfter) ?? parseDuration(APPROVAL_EXPIRY_DEFAULT) ?? 0;
}
