import type * as z from "zod";
import type { Failure } from "../../kernel/failure.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { isDescendantOf } from "../../keys/manage-keys.ts";
import type { Key } from "../../keys/model/key.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { offloadLargeResult } from "../../tools/large-results.ts";
import { RESULT_INLINE_BYTES_MAX } from "../../tools/limits.ts";
import type { Approval, Decider } from "../model/approval.ts";
import { approvalStub, type ApprovalRpc } from "./approval.rpc.ts";
import { listApprovals } from "./approvals.store.ts";
import type { ApprovalListResponse, ApprovalResponse, listApprovalsQuery } from "./schemas.ts";
import { approvalSummaryView, approvalView } from "./view.ts";

const APPROVAL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a key sees the calls of all callers, not only its own and those of its agents. */
function seesAllApprovals({ scopes, agentIds }: Pick<Key, "scopes" | "agentIds">): boolean {
  return agentIds === null && scopes.includes("approvals:decide");
}

export interface FoundApproval {
  readonly approval: Approval;
  readonly stub: ApprovalRpc;
}

/** An approval that the key may see, and its object. */
export async function findApproval(
  env: Pick<Env, "APPROVALS">,
  key: Key,
  id: string,
): Promise<Result<FoundApproval, Failure>> {
  const missing = fail<Failure>({ kind: "not_found", what: "approval", id });
  if (!APPROVAL_ID.test(id)) return missing;
  const stub = approvalStub(env.APPROVALS, id);
  const approval = await stub.read();
  if (approval === null) return missing;
  const { keyId, agentId } = approval.call;
  const isOwn = keyId === key.id || (agentId !== null && key.agentIds?.includes(agentId) === true);
  return isOwn || seesAllApprovals(key) ? ok({ approval, stub }) : missing;
}

/** An approval as a key sees it, with the result of the call, or a summary with a link if the result is large. */
export async function readApprovalView(
  env: Pick<Env, "FILES" | "SIGNING_KEY">,
  { approval, stub }: FoundApproval,
  key: Key,
  origin: string,
): Promise<ApprovalResponse> {
  const result = approval.status === "executed" ? await stub.readResult() : null;
  const isLarge = result !== null && jsonSizeOf(result) > RESULT_INLINE_BYTES_MAX;
  const { toolId } = approval.call;
  const shown = isLarge ? await offloadLargeResult(env, origin, toolId, result) : result;
  return approvalView(approval, shown, key);
}

/** One page of the approvals that a key may see. */
export async function listVisibleApprovals(
  env: Pick<Env, "DB">,
  key: Key,
  query: z.output<typeof listApprovalsQuery>,
): Promise<ApprovalListResponse> {
  const { status = null, agentId = null, taskId = null, toolId = null, limit, offset } = query;
  const caller = seesAllApprovals(key) ? null : { keyId: key.id, agentIds: key.agentIds ?? [] };
  const filter = { statuses: status, agentId, taskId, toolId, caller };
  const { approvals, total } = await listApprovals(getDatabase(env.DB), filter, query);
  return { approvals: approvals.map((row) => approvalSummaryView(row, key)), total, limit, offset };
}

/** Who the key is to the call. The keys that the calling key created, directly or indirectly, cannot decide either. */
export async function toDecider(
  env: Pick<Env, "DB">,
  { id, agentIds }: Pick<Key, "id" | "agentIds">,
  requesterId: string | null,
): Promise<Decider> {
  const isOfRequester = requesterId !== null && (await isDescendantOf(env, id, requesterId));
  return { id, agentIds, isOfRequester };
}
