import type { RecordedJson } from "../../tools/model/recorded-json.ts";
import type { CallRecord, StartedCall } from "./call-record.ts";

/** A recorded call about which policies decided, without its result. */
export type RecordedCall = Pick<
  StartedCall,
  "id" | "toolId" | "capability" | "agentId" | "startedAt" | "parameters"
>;

/** Which of a task's calls to select. `from`: the earliest start. `toolIds`: null for all tools. */
export interface RecordedCallSelection {
  readonly from: number;
  readonly toolIds: readonly string[] | null;
  readonly bytesMax: number;
}

export interface RecordedCalls {
  readonly calls: readonly RecordedCall[];
  /** Whether a call was left out because the task has too many, or because they are too large. */
  readonly isCut: boolean;
}

/** The codes of calls that waited for approval or whose approval was settled. */
const APPROVAL_CODES: ReadonlySet<string> = new Set([
  "APPROVAL_PENDING",
  "APPROVAL_DENIED",
  "APPROVED_CALL_FAILED",
]);

/**
 * The calls that reached the policies: those that were made, and those that a policy denied or stored. Other rejected
 * calls, such as those without a grant, did not. `records`: newest first; `hasMore`: whether there are older ones.
 */
export function selectRecordedCalls(
  records: readonly CallRecord[],
  hasMore: boolean,
  { from, toolIds, bytesMax }: RecordedCallSelection,
): RecordedCalls {
  const inPeriod = records.filter(({ startedAt }) => startedAt >= from);
  const ofTools = inPeriod.filter(({ toolId }) => toolIds === null || toolIds.includes(toolId));
  const calls: RecordedCall[] = [];
  let bytes = 0;
  for (const record of withoutRepetitions(ofTools.filter(reachedPolicies))) {
    bytes += record.parameters.text.length;
    if (bytes > bytesMax) return { calls, isCut: true };
    calls.push(toRecordedCall(record));
  }
  // If the oldest record is older than the period, no call of the period is missing.
  return { calls, isCut: hasMore && inPeriod.length === records.length };
}

function reachedPolicies({ end }: CallRecord): boolean {
  if (end === undefined || end.outcome !== "rejected") return true;
  return end.error.code === "POLICY_DENIED" || APPROVAL_CODES.has(end.error.code);
}

/**
 * A call that needed approval has a record for each time it was requested, and one if it was made. Of these equal calls,
 * one remains.
 */
function withoutRepetitions(records: readonly CallRecord[]): readonly CallRecord[] {
  const kept = new Set(records.filter((one) => !waitedForApproval(one)).map(identityOf));
  return records.filter((record) => {
    if (!waitedForApproval(record)) return true;
    const identity = identityOf(record);
    if (kept.has(identity)) return false;
    kept.add(identity);
    return true;
  });
}

function waitedForApproval({ end }: CallRecord): boolean {
  return end?.outcome === "rejected" && APPROVAL_CODES.has(end.error.code);
}

function identityOf({ toolId, capability, parameters }: CallRecord): string {
  return JSON.stringify([toolId, capability, parameters.text, parameters.sha256]);
}

function toRecordedCall(record: CallRecord): RecordedCall {
  const { id, toolId, capability, agentId, startedAt, parameters } = record;
  return { id, toolId, capability, agentId, startedAt, parameters };
}

/** Whether a record contains all parameters as they were sent, and not only their beginning or a masked secret. */
export function hasAllParameters(parameters: RecordedJson): boolean {
  const isCut = parameters.isCut === true || parameters.sha256 !== undefined;
  return !isCut && !parameters.text.includes("***");
}
