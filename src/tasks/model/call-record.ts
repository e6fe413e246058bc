import { CALL_LOST_AFTER_MS } from "../../tools/limits.ts";
import { shortenRecordedJson, type RecordedJson } from "../../tools/model/recorded-json.ts";
import { CALL_LISTED_VALUE_BYTES_MAX } from "../limits.ts";

/**
 * How a call reached the service: through the REST API or MCP, or made by the service itself in a turn of a model or a
 * step of a built-in agent.
 */
export const CALL_SOURCES = ["rest", "mcp", "turn", "step"] as const;
export type CallSource = (typeof CALL_SOURCES)[number];

/** `interrupted`: the call started, but its outcome was never recorded. */
export const CALL_OUTCOMES = ["ok", "failed", "rejected", "running", "interrupted"] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** The key and the turn that make a call. */
export interface CallOrigin {
  readonly source: CallSource;
  /** Null for a call that the service makes itself. */
  readonly keyId: string | null;
  /** The number of the turn; null for a call outside a turn. */
  readonly turn: number | null;
}

/** Why a call failed or was rejected, as in error responses. */
export interface CallError {
  readonly code: string;
  readonly message: string;
}

/** A call that has started. Times are in milliseconds since 1970. */
export interface StartedCall extends CallOrigin {
  /** A UUID. */
  readonly id: string;
  readonly toolId: string;
  readonly capability: string;
  readonly agentId: string | null;
  /** The id of the request that caused the call; null if no request did. */
  readonly requestId: string | null;
  readonly startedAt: number;
  readonly parameters: RecordedJson;
}

/** How a call ended. `cost` is in US dollars. */
export type CallEnd =
  | {
      readonly outcome: "ok";
      readonly durationMs: number;
      readonly cost: number;
      readonly result: RecordedJson;
    }
  | {
      readonly outcome: "failed" | "rejected";
      readonly durationMs: number;
      readonly cost: number;
      readonly error: CallError;
    };

/** What a task stores about one call. The stored text of `parameters` and `result` is limited. */
export interface CallRecord extends StartedCall {
  /** The task's attempt when the call was made. */
  readonly attempt: number;
  /** Absent while the call is running, and if its outcome was never recorded. */
  readonly end?: CallEnd;
}

/** A call to reserve budget for, and whether it changes nothing in another system. */
export interface ReservedCall {
  readonly started: StartedCall;
  readonly isSafe: boolean;
}

/** A call that was rejected before it reached the task's object. */
export interface RejectedCall extends StartedCall {
  readonly end: CallEnd;
}

/** A call of a task, as its object returns it. */
export interface TaskCall {
  readonly record: CallRecord;
  readonly outcome: CallOutcome;
  /** The `seq` of the event that charged the call; null if no event did. */
  readonly eventSeq: number | null;
}

/** The place of a call in a list, newest first. Calls that started at the same time are ordered by id. */
export interface CallPosition {
  readonly startedAt: number;
  readonly id: string;
}

/** The fields of a call that determine its place in a list. */
export interface CallIndexEntry extends CallPosition {
  readonly outcome: CallOutcome;
}

/** A call in a list, with shortened parameters and result. */
export function shortenCall(call: TaskCall): TaskCall {
  const { parameters, end } = call.record;
  const shorten = (value: RecordedJson): RecordedJson =>
    shortenRecordedJson(value, CALL_LISTED_VALUE_BYTES_MAX);
  const shortEnd = end?.outcome === "ok" ? { end: { ...end, result: shorten(end.result) } } : {};
  return { ...call, record: { ...call.record, parameters: shorten(parameters), ...shortEnd } };
}

/** The outcome of a call. A call that has been running for longer than any call takes was interrupted. */
export function callOutcomeOf(
  { startedAt }: Pick<CallRecord, "startedAt">,
  ended: CallEnd["outcome"] | null,
  now: number,
): CallOutcome {
  if (ended !== null) return ended;
  return startedAt > now - CALL_LOST_AFTER_MS ? "running" : "interrupted";
}

/**
 * Selects one page of calls, newest first. An entry with the id of an earlier entry is ignored. `before`: the last call
 * of the previous page; null for the first page. `outcome`: null selects every outcome.
 */
export function selectCalls<Entry extends CallIndexEntry>(
  entries: readonly Entry[],
  { outcome, before, limit }: CallSelection,
): { readonly page: readonly Entry[]; readonly hasMore: boolean } {
  const byId = new Map(entries.toReversed().map((entry) => [entry.id, entry]));
  const selected = [...byId.values()]
    .filter((entry) => outcome === null || entry.outcome === outcome)
    .filter((entry) => before === null || compareNewestFirst(before, entry) < 0)
    .toSorted(compareNewestFirst);
  return { page: selected.slice(0, limit), hasMore: selected.length > limit };
}

export interface CallSelection {
  readonly outcome: CallOutcome | null;
  readonly before: CallPosition | null;
  readonly limit: number;
}

function compareNewestFirst(one: CallPosition, other: CallPosition): number {
  if (one.startedAt !== other.startedAt) return other.startedAt - one.startedAt;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
