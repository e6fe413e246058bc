import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import { withRequestId } from "../../platform/request-id.ts";
import type { ApprovalDraft } from "../../tools/model/invocation.ts";
import type { Approval, ApprovalDecision, Decider } from "../model/approval.ts";

/** The object of one call that requires approval. It makes the call, at most once. */
export interface ApprovalRpc {
  /** Stores the call. Returns the approval as it is if the call is already stored. */
  request(id: string, draft: ApprovalDraft): Promise<Approval>;
  read(): Promise<Approval | null>;
  /** The result of a call that was made; null if there is none. */
  readResult(): Promise<JsonObject | null>;
  /** Records a decision; null if the approval does not exist. */
  decide(
    decider: Decider,
    decision: Omit<ApprovalDecision, "at" | "keyId">,
  ): Promise<Result<Approval, Failure> | null>;
  /** Withdraws the call unless it has been decided about. */
  withdraw(): Promise<void>;
}

export function approvalStub(approvals: Env["APPROVALS"], id: string): ApprovalRpc {
  return withRequestId<ApprovalRpc>(approvals.get(approvals.idFromName(id)));
}

/** The outcome of a call that was made. `cost` is in US dollars. */
export interface MadeCall {
  readonly result: JsonObject;
  readonly cost: number;
  readonly durationMs: number;
}

/**
 * Checks an approved call again and makes it. `begin` is called immediately before the call is sent; if it throws, the
 * call must not be sent.
 */
export type MakeApprovedCall = (
  env: Env,
  approval: Approval,
  begin: () => void,
) => Promise<Result<MadeCall, Failure>>;
