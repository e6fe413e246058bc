import {
  findExhaustedReason,
  findGoneReason,
  isSuccessfulAttempt,
  type Delivery,
  type DeliveryLogEntry,
  type AttemptOutcome,
} from "./delivery.ts";

/**
 * How a subscription closes: it is disabled because of failures at its address, or it ends with its last delivery.
 * `isTaskEnded` means that the delivery of the task's last event has ended; the webhook's row is kept.
 */
export type SubscriptionClosure =
  | { readonly kind: "disable"; readonly url: string; readonly reason: string; readonly at: number }
  | { readonly kind: "end"; readonly isTaskEnded?: true };

/** The state of a webhook's object without its deliveries. Times are in milliseconds since 1970. */
export interface SubscriptionState {
  readonly webhookId: string;
  /** Whether the webhook has started and has not been disabled since. */
  readonly isOpen: boolean;
  /** The position up to which the webhook has read the feed. Its newest delivery may be at a later position. */
  readonly position: number;
  /** Whether events wait in the feed because too many deliveries are pending. */
  readonly isBehind: boolean;
  /** The number of failed attempts since the last success. */
  readonly failures: number;
  /** The time of the last success that followed a failure. First-attempt successes are in the log. */
  readonly lastSuccessAt: number | null;
  readonly closing: SubscriptionClosure | null;
  readonly pruneAt: number | null;
  /**
   * When to read the feed even without a notification, because the feed may use outdated settings for a while after a
   * webhook is opened or its filter changes. Absent in rows from earlier releases.
   */
  readonly rereadAt?: number | null;
  /** Absent if nothing was missed. */
  readonly missed?: MissedRange;
  /** The request that last changed the state; absent in rows from earlier releases. */
  readonly requestId?: string | null;
}

/**
 * A part of the feed that was dropped before the webhook read it: the events after `after`, up to and including `upTo`.
 */
export interface MissedRange {
  readonly after: number;
  readonly upTo: number;
}

/**
 * The range that a webhook has missed when it continues after a position. A webhook that was up to date has missed
 * nothing, even if its position is older than the dropped events.
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

/** A delivery before and after an attempt, and the time of the last success of any delivery. */
export interface AppliedAttempt {
  readonly sent: Delivery;
  readonly after: DeliveryLogEntry;
  /** Whether another call settled or restarted the delivery during the attempt. */
  readonly isOvertaken: boolean;
  readonly lastSuccessAt: number | null;
}

/** The state after an attempt. Consecutive first-attempt successes usually change nothing, which saves a row write. */
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
