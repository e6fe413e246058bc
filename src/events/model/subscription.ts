import {
  findExhaustedReason,
  findGoneReason,
  isSuccessfulAttempt,
  type Delivery,
  type DeliveryLogEntry,
  type AttemptOutcome,
} from "./delivery.ts";

/**
 * The end of a subscription: failures at an address disable the webhook, or the webhook ends with its last delivery.
 * `isTaskEnded`: the webhook of one task has delivered the end of the task, and its row stays.
 */
export type SubscriptionClosure =
  | { readonly kind: "disable"; readonly url: string; readonly reason: string; readonly at: number }
  | { readonly kind: "end"; readonly isTaskEnded?: true };

/** The state of a webhook's object without its deliveries. Instants in milliseconds since 1970. */
export interface SubscriptionState {
  readonly webhookId: string;
  /** Whether it has started and has not been disabled since. */
  readonly isOpen: boolean;
  /** The position in the feed that it has read; the newest delivery may be later. */
  readonly position: number;
  /** Events wait in the feed because too many deliveries are pending. */
  readonly isBehind: boolean;
  /** Attempts that failed since one succeeded. */
  readonly failures: number;
  /** The last success after a failure; the log has the successes at the first attempt. */
  readonly lastSuccessAt: number | null;
  readonly closing: SubscriptionClosure | null;
  readonly pruneAt: number | null;
  /**
   * When to read the feed even if it announced no event: after a webhook is opened or its filter changes, the
   * feed may use its earlier state for a while. Absent in rows of earlier releases.
   */
  readonly rereadAt?: number | null;
  /** Absent if nothing was missed. */
  readonly missed?: MissedRange;
  /** The request that last changed the state; absent in rows of earlier releases. */
  readonly requestId?: string | null;
}

/** A part of the feed that was dropped before the webhook read it: after one position, up to another. */
export interface MissedRange {
  readonly after: number;
  readonly upTo: number;
}

/**
 * What a webhook has missed when it continues after a position. A webhook that had read all its events has
 * missed nothing, even if its position is older than the dropped events.
 */
export function extendMissedRange(
  { isBehind, missed }: Pick<SubscriptionState, "isBehind" | "missed">,
  position: number,
  droppedTo: number,
): MissedRange | undefined {
  if (!isBehind || droppedTo <= position) return missed;
  return { after: missed?.after ?? position, upTo: droppedTo };
}

/** The result of sending an event; `outcome` is null if the event needs no message. */
export interface SendResult {
  readonly outcome: AttemptOutcome | null;
  readonly isLast: boolean;
  readonly url: string;
}

/** A delivery before and after an attempt, and the last success of any delivery. */
export interface AppliedAttempt {
  readonly sent: Delivery;
  readonly after: DeliveryLogEntry;
  /** Another call settled or restarted the delivery during the attempt. */
  readonly isOvertaken: boolean;
  readonly lastSuccessAt: number | null;
}

/** The state after an attempt. A success after a success changes nothing, which saves a row. */
export function updateSubscription(
  state: SubscriptionState,
  applied: AppliedAttempt,
  result: SendResult & { readonly outcome: AttemptOutcome },
  now: number,
): SubscriptionState {
  const { outcome } = result;
  const { failures } = state;
  const closing = state.closing ?? findClosure(applied, result, now);
  if (!isSuccessfulAttempt(outcome)) return { ...state, failures: failures + 1, closing };
  if (failures === 0 && applied.sent.attempts.length === 0) return { ...state, closing };
  return { ...state, failures: 0, lastSuccessAt: now, closing };
}

export function findLatestInstant(...instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function findClosure(
  { after, isOvertaken, lastSuccessAt }: AppliedAttempt,
  { outcome, isLast, url }: SendResult & { readonly outcome: AttemptOutcome },
  now: number,
): SubscriptionClosure | null {
  const exhausted = isOvertaken ? null : findExhaustedReason(after, outcome, lastSuccessAt);
  const reason = findGoneReason(outcome) ?? exhausted;
  if (reason !== null) return { kind: "disable", url, reason, at: now };
  return isLast && after.status !== "pending" ? { kind: "end", isTaskEnded: true } : null;
}
