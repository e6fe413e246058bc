import {
  findExhaustedReason,
  findGoneReason,
  isSuccessfulAttempt,
  type Delivery,
  type DeliveryLogEntry,
  type AttemptOutcome,
} from "./delivery.ts";

/** How a webhook is to end: disabled for its failures at an address, or with its last delivery. */
export type SubscriptionClosure =
  | { readonly kind: "disable"; readonly url: string; readonly reason: string; readonly at: number }
  | { readonly kind: "end" };

/** What a webhook's object remembers beside its deliveries. Instants in milliseconds since 1970. */
export interface SubscriptionState {
  readonly webhookId: string;
  /** Whether it has begun, and was not disabled since. */
  readonly isOpen: boolean;
  /** Where it began in the feed, or has come to without an event; the newest delivery may be further. */
  readonly position: number;
  /** Events wait in the feed, as too many deliveries are pending. */
  readonly isBehind: boolean;
  /** Attempts that failed since one succeeded. */
  readonly failures: number;
  /** Of what had failed before; those that went well at once are found in the log. */
  readonly lastSuccessAt: number | null;
  readonly closing: SubscriptionClosure | null;
  readonly pruneAt: number | null;
  /**
   * When to read the feed although it announced no event: after a webhook is opened or its filter changes, the
   * feed may use its earlier state for a while. Absent in rows of earlier releases.
   */
  readonly rereadAt?: number | null;
  /** Absent if nothing was missed. */
  readonly missed?: MissedRange;
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

/** What came of an attempt: null when there was nothing to tell of the event. */
export interface SendResult {
  readonly outcome: AttemptOutcome | null;
  readonly isLast: boolean;
  readonly url: string;
}

/** A delivery before and after an attempt, and when the last success of any was. */
export interface AppliedAttempt {
  readonly sent: Delivery;
  readonly after: DeliveryLogEntry;
  /** It was settled, or begun anew, while the attempt was on its way. */
  readonly isOvertaken: boolean;
  readonly lastSuccessAt: number | null;
}

/** What an attempt changes; a success among successes changes nothing, which saves a row. */
export function updateSubscription(
  standing: SubscriptionState,
  step: AppliedAttempt,
  ending: SendResult & { readonly outcome: AttemptOutcome },
  now: number,
): SubscriptionState {
  const { outcome } = ending;
  const { failures } = standing;
  const closing = standing.closing ?? findClosure(step, ending, now);
  if (!isSuccessfulAttempt(outcome)) return { ...standing, failures: failures + 1, closing };
  if (failures === 0 && step.sent.attempts.length === 0) return { ...standing, closing };
  return { ...standing, failures: 0, lastSuccessAt: now, closing };
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
  return isLast && after.status !== "pending" ? { kind: "end" } : null;
}
