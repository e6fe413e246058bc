import {
  exhaustedReason,
  goneReason,
  isSuccess,
  type Delivery,
  type DeliveryLine,
  type Outcome,
} from "../domain/delivery.ts";

/** How a webhook is to end: disabled for its failures at an address, or with its last delivery. */
export type Closing =
  | { readonly kind: "disable"; readonly url: string; readonly reason: string; readonly at: number }
  | { readonly kind: "end" };

/** What a webhook's object remembers beside its deliveries. Instants in milliseconds since 1970. */
export interface Standing {
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
  readonly closing: Closing | null;
  readonly pruneAt: number | null;
  /**
   * When to read the feed although it announced no event: after a webhook is opened or its filter changes, the
   * feed may use its earlier state for a while. Absent in rows of earlier releases.
   */
  readonly rereadAt?: number | null;
  /** Absent if nothing was missed. */
  readonly missed?: MissedSpan;
}

/** A part of the feed that was dropped before the webhook read it: after one position, up to another. */
export interface MissedSpan {
  readonly after: number;
  readonly upTo: number;
}

/**
 * What a webhook has missed when it continues after a position. A webhook that had read all its events has
 * missed nothing, even if its position is older than the dropped events.
 */
export function missedAfter(
  { isBehind, missed }: Pick<Standing, "isBehind" | "missed">,
  position: number,
  droppedTo: number,
): MissedSpan | undefined {
  if (!isBehind || droppedTo <= position) return missed;
  return { after: missed?.after ?? position, upTo: droppedTo };
}

/** What came of an attempt: null when there was nothing to tell of the event. */
export interface Ending {
  readonly outcome: Outcome | null;
  readonly isLast: boolean;
  readonly url: string;
}

/** A delivery before and after an attempt, and when the last success of any was. */
export interface Step {
  readonly sent: Delivery;
  readonly after: DeliveryLine;
  /** It was settled, or begun anew, while the attempt was on its way. */
  readonly isOvertaken: boolean;
  readonly lastSuccessAt: number | null;
}

/** What an attempt changes; a success among successes changes nothing, which saves a row. */
export function standingAfter(
  standing: Standing,
  step: Step,
  ending: Ending & { readonly outcome: Outcome },
  now: number,
): Standing {
  const { outcome } = ending;
  const { failures } = standing;
  const closing = standing.closing ?? closingAfter(step, ending, now);
  if (!isSuccess(outcome)) return { ...standing, failures: failures + 1, closing };
  if (failures === 0 && step.sent.attempts.length === 0) return { ...standing, closing };
  return { ...standing, failures: 0, lastSuccessAt: now, closing };
}

export function latest(...instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function closingAfter(
  { after, isOvertaken, lastSuccessAt }: Step,
  { outcome, isLast, url }: Ending & { readonly outcome: Outcome },
  now: number,
): Closing | null {
  const exhausted = isOvertaken ? null : exhaustedReason(after, outcome, lastSuccessAt);
  const reason = goneReason(outcome) ?? exhausted;
  if (reason !== null) return { kind: "disable", url, reason, at: now };
  return isLast && after.status !== "pending" ? { kind: "end" } : null;
}
