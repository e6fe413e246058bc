import { feedSourceOf, type FeedEvent, type FeedEventType, type PositionedEvent } from "./feed.ts";
import { toIsoTime } from "../../kernel/text.ts";
import {
  DELIVERY_ATTEMPTS_KEPT_MAX,
  DELIVERY_JITTER_MAX,
  DELIVERY_RETRY_DELAYS_MS,
  DELIVERY_RETRY_AFTER_MAX_MS,
} from "../limits.ts";

/** The order matches the status codes in `delivery-log.store.ts`. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One delivery attempt. `at` is in milliseconds since 1970. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly durationMs: number;
  /** The response's status; null if there was no response. */
  readonly status: number | null;
  /** The error as a sentence; null if the attempt succeeded. */
  readonly error: string | null;
  /** The beginning of the response body. */
  readonly answer: string | null;
}

/** An attempt with the receiver's `Retry-After`. */
export interface AttemptOutcome extends DeliveryAttempt {
  readonly retryAfterSeconds: number | null;
}

/** The delivery of an event to one webhook, as shown in the webhook's delivery log. */
export interface DeliveryLogEntry {
  /** The event's position in the feed. */
  readonly id: number;
  /** The id of the task or the approval that the event belongs to. */
  readonly sourceId: string;
  readonly seq: number;
  readonly type: FeedEventType;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** When the next attempt is due; null unless the delivery is pending. */
  readonly nextAt: number | null;
  readonly settledAt: number | null;
  /** The number of rounds of attempts: one, plus one for each redelivery. */
  readonly round: number;
  /** The number of attempts in this round; `roundStartedAt` is the time of the first. */
  readonly tries: number;
  readonly roundStartedAt: number | null;
  /** Why the delivery failed permanently; null if it did not. */
  readonly reason: string | null;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface Delivery extends DeliveryLogEntry {
  readonly event: FeedEvent;
}

const GONE = 410;

/** Creates a delivery for a new event, due immediately. */
export function createDelivery({ position, ...event }: PositionedEvent, now: number): Delivery {
  const { seq, type } = event;
  return {
    id: position,
    sourceId: feedSourceOf(event),
    seq,
    type,
    status: "pending",
    createdAt: now,
    nextAt: now,
    settledAt: null,
    round: 1,
    tries: 0,
    roundStartedAt: null,
    reason: null,
    attempts: [],
    event,
  };
}

export function isSuccessfulAttempt({ status, error }: DeliveryAttempt): boolean {
  return error === null && status !== null;
}

/** The delivery after an attempt that ended at `now`. `jitter`, from 0 to 1, delays the next attempt. */
export function applyAttempt(
  delivery: DeliveryLogEntry,
  { retryAfterSeconds, ...attempt }: AttemptOutcome,
  jitter: number,
  now: number,
): DeliveryLogEntry {
  const tries = delivery.tries + 1;
  const roundStartedAt = delivery.roundStartedAt ?? attempt.at;
  const tried = { ...addAttempt(delivery, attempt), tries, roundStartedAt };
  if (isSuccessfulAttempt(attempt)) return endDelivery(tried, "delivered", null, now);
  if (attempt.status === GONE)
    return endDelivery(tried, "failed", "The receiver is gone (410).", now);
  const pauseMs = DELIVERY_RETRY_DELAYS_MS[tries];
  if (pauseMs === undefined) {
    return endDelivery(tried, "failed", `All ${tries} attempts failed.`, now);
  }
  const spreadMs = pauseMs * (1 + DELIVERY_JITTER_MAX * jitter);
  const requestedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, DELIVERY_RETRY_AFTER_MAX_MS);
  return { ...tried, nextAt: now + Math.ceil(Math.max(spreadMs, requestedMs)) };
}

/**
 * Records an attempt that ended after another call had settled or restarted its delivery. If the attempt succeeded, a
 * failed delivery counts as delivered.
 */
export function applyLateAttempt(
  delivery: DeliveryLogEntry,
  { retryAfterSeconds: _retryAfter, ...attempt }: AttemptOutcome,
  now: number,
): DeliveryLogEntry {
  const recorded = addAttempt(delivery, attempt);
  return isSuccessfulAttempt(attempt) && delivery.status === "failed"
    ? endDelivery(recorded, "delivered", null, now)
    : recorded;
}

function addAttempt(delivery: DeliveryLogEntry, attempt: DeliveryAttempt): DeliveryLogEntry {
  const attempts = [...delivery.attempts, attempt].slice(-DELIVERY_ATTEMPTS_KEPT_MAX);
  return { ...delivery, attempts };
}

/** Starts a new round of attempts, due immediately. */
export function startNewRound(delivery: DeliveryLogEntry, now: number): DeliveryLogEntry {
  return {
    ...delivery,
    status: "pending",
    nextAt: now,
    settledAt: null,
    round: delivery.round + 1,
    tries: 0,
    roundStartedAt: null,
    reason: null,
  };
}

/** Returns the reason to disable a webhook if an attempt shows that its receiver is gone; otherwise null. */
export function findGoneReason({ status }: DeliveryAttempt): string | null {
  return status === GONE ? "The receiver responded with 410 Gone." : null;
}

/**
 * Returns the reason to disable a webhook if all attempts of a delivery failed and no delivery has succeeded since the
 * first of them. Otherwise returns null.
 */
export function findExhaustedReason(
  after: DeliveryLogEntry,
  attempt: DeliveryAttempt,
  lastSuccessAt: number | null,
): string | null {
  if (after.status !== "failed" || after.roundStartedAt === null) return null;
  if (lastSuccessAt !== null && lastSuccessAt >= after.roundStartedAt) return null;
  const since = toIsoTime(after.roundStartedAt);
  return `All ${after.tries} attempts of a delivery failed, and no other delivery has succeeded since ${since}. The last error: ${attempt.error ?? "no success"}`;
}

function endDelivery(
  delivery: DeliveryLogEntry,
  status: DeliveryStatus,
  reason: string | null,
  now: number,
): DeliveryLogEntry {
  return { ...delivery, status, nextAt: null, settledAt: now, reason };
}
