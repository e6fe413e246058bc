import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Key } from "../../keys/model/key.ts";
import type { Actor } from "./audit-entry.ts";
import type { CallSource } from "../../tasks/model/call-record.ts";
import type { ApprovalEventType, ApprovalStatus } from "./approval-status.ts";
import type { Policy } from "./policy.ts";

/** The call that is stored until people decide about it. It is made exactly as it is stored. */
export interface StoredCall {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
  /** SHA-256 of the tool, the capability and the parameters, in hex. */
  readonly sha256: string;
  /** The origin that the call is sent to; null for a built-in tool. */
  readonly destination: string | null;
  /** SHA-256 of how the tool carries out the call. If the tool has changed since, the call is not made. */
  readonly operationSha256: string;
  /** The highest possible price of the call, in US dollars. */
  readonly estimatedCost: number;
  readonly agentId: string | null;
  readonly taskId: string | null;
  readonly teamId: string | null;
  /** The key with which the call was made; null for a call that the service made for an agent. */
  readonly keyId: string | null;
  readonly source: CallSource;
}

/** A policy that requires approval, as it was when the call was made. */
export type AskingPolicy = Pick<Policy, "id" | "reason" | "approvers" | "approvals" | "remember">;

/** One key's decision. `viaLink`: it was made with a signed link that the key created. */
export interface ApprovalDecision {
  readonly keyId: string;
  readonly kind: "approve" | "deny";
  readonly at: number;
  readonly viaLink: boolean;
  readonly message: string | null;
  /** Who decided, and from where, for the audit log. */
  readonly actor: Actor;
}

/** The outcome of a call that was made or could not be made. */
export type ApprovalOutcome =
  | { readonly ok: true; readonly cost: number; readonly durationMs: number }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** A call that requires approval, and what was decided. Times are in milliseconds since 1970. */
export interface Approval {
  readonly id: string;
  /** Increases with each change. */
  readonly version: number;
  readonly status: ApprovalStatus;
  readonly call: StoredCall;
  readonly policies: readonly AskingPolicy[];
  readonly decisions: readonly ApprovalDecision[];
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** When the call was approved, denied, withdrawn or expired. */
  readonly decidedAt: number | null;
  /** When the call ended or could not be made. */
  readonly endedAt: number | null;
  readonly outcome: ApprovalOutcome | null;
}

export function requestApproval(
  id: string,
  { call, policies, expiresAt }: Pick<Approval, "call" | "policies" | "expiresAt">,
  now: number,
): Approval {
  return {
    id,
    version: 1,
    status: "pending",
    call,
    policies,
    decisions: [],
    requestedAt: now,
    expiresAt,
    decidedAt: null,
    endedAt: null,
    outcome: null,
  };
}

/** Who decides: a key, and whether the key that made the call created it, directly or indirectly. */
export type Decider = Pick<Key, "id" | "agentIds"> & { readonly isOfRequester: boolean };

/** Why a key cannot decide about a call; null if it can. */
export function findDeciderFailure(
  { id: approvalId, call, policies }: Pick<Approval, "id" | "call" | "policies">,
  decider: Decider,
): Failure | null {
  const isOwn =
    decider.id === call.keyId ||
    decider.isOfRequester ||
    (call.agentId !== null && decider.agentIds !== null && decider.agentIds.includes(call.agentId));
  if (isOwn) return { kind: "approval_of_own_call", approvalId };
  if (policies.some((policy) => isApprover(policy, decider.id))) return null;
  return { kind: "not_an_approver", approvalId, policyIds: policies.map(({ id }) => id) };
}

function isApprover({ approvers }: Pick<AskingPolicy, "approvers">, keyId: string): boolean {
  return approvers.length === 0 || approvers.includes(keyId);
}

/** Whether enough different keys have approved the call for each policy. */
export function isSatisfied(
  policies: readonly Pick<AskingPolicy, "approvers" | "approvals">[],
  decisions: readonly Pick<ApprovalDecision, "keyId" | "kind">[],
): boolean {
  const approving = new Set(
    decisions.filter(({ kind }) => kind === "approve").map(({ keyId }) => keyId),
  );
  return policies.every(
    (policy) =>
      [...approving].filter((keyId) => isApprover(policy, keyId)).length >= policy.approvals,
  );
}

/**
 * Records a decision. The first denial decides, and the approval that satisfies every policy. A key that repeats its
 * own decision changes nothing.
 */
export function decideApproval(
  before: Approval,
  decision: ApprovalDecision,
): Result<Approval, Failure> {
  const approval = expireIfDue(before, decision.at);
  const own = approval.decisions.findLast(({ keyId }) => keyId === decision.keyId);
  if (own?.kind === decision.kind) return ok(approval);
  const isUsedLink = own !== undefined && decision.viaLink;
  if (approval.status !== "pending" || isUsedLink) {
    return fail({ kind: "approval_decided", approvalId: approval.id, status: approval.status });
  }
  const decisions = [...approval.decisions, decision];
  const decided = { ...approval, version: approval.version + 1, decisions };
  if (decision.kind === "deny") return ok({ ...decided, status: "denied", decidedAt: decision.at });
  return isSatisfied(approval.policies, decisions)
    ? ok({ ...decided, status: "approved", decidedAt: decision.at })
    : ok(decided);
}

/** The approval as expired if nobody decided in time. */
export function expireIfDue(approval: Approval, now: number): Approval {
  if (approval.status !== "pending" || now < approval.expiresAt) return approval;
  return { ...approval, version: approval.version + 1, status: "expired", decidedAt: now };
}

/** Withdraws a call that nobody has decided about, because its task ended. */
export function withdrawApproval(approval: Approval, now: number): Approval {
  if (approval.status !== "pending") return approval;
  return { ...approval, version: approval.version + 1, status: "withdrawn", decidedAt: now };
}

/** Marks an approved call as being made. Throws in any other state, because then the call must not be made. */
export function beginExecution(approval: Approval): Approval {
  if (approval.status !== "approved") {
    throw new Error(`A call that is ${approval.status} must not be made`);
  }
  return { ...approval, version: approval.version + 1, status: "executing" };
}

/** Records the outcome of an approved call, which was made or could not be made. */
export function endExecution(approval: Approval, outcome: ApprovalOutcome, now: number): Approval {
  if (approval.status !== "approved" && approval.status !== "executing") return approval;
  const status = outcome.ok ? "executed" : "failed";
  return { ...approval, version: approval.version + 1, status, endedAt: now, outcome };
}

/** Ends a call whose object crashed while it was being made. It is never made again. */
export function loseExecution(approval: Approval, now: number): Approval {
  if (approval.status !== "executing") return approval;
  return { ...approval, version: approval.version + 1, status: "unknown", endedAt: now };
}

/** What happened to a call that is settled, for its agent and for people. */
export function formatSettlement({
  status,
  decisions,
  outcome,
}: Pick<Approval, "status" | "decisions" | "outcome">): string {
  const reason = outcome?.ok === false ? ` ${outcome.message}` : "";
  switch (status) {
    case "denied": {
      const message = decisions.findLast(({ kind }) => kind === "deny")?.message ?? null;
      return `A person denied the call${message === null ? "." : `: ${message}`}`;
    }
    case "expired":
      return "Nobody approved the call in time, so it was denied.";
    case "withdrawn":
      return "The call was withdrawn because its task ended.";
    case "executed":
      return "The call was approved and made.";
    case "failed":
      return `The call was approved, but it failed.${reason}`;
    case "unknown":
      return "The call was approved and started, but its outcome was lost. It may have been made; check before you request it again.";
    case "pending":
    case "approved":
    case "executing":
      return "The call is waiting for approval or is being made.";
  }
}

/** One event of a call that requires approval. `seq` is 1, 2 or 3. */
export interface ApprovalEvent {
  readonly seq: number;
  readonly type: ApprovalEventType;
  readonly at: number;
}

/** The events so far. A denied, expired or withdrawn call has no third event. */
export function listApprovalEvents({
  requestedAt,
  decidedAt,
  endedAt,
}: Pick<Approval, "requestedAt" | "decidedAt" | "endedAt">): ApprovalEvent[] {
  const events: ApprovalEvent[] = [{ seq: 1, type: "approval.requested", at: requestedAt }];
  if (decidedAt !== null) events.push({ seq: 2, type: "approval.decided", at: decidedAt });
  if (endedAt !== null) events.push({ seq: 3, type: "approval.executed", at: endedAt });
  return events;
}
