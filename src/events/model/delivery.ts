import type { TaskEventType } from "../../tasks/model/events.ts";
import type { FeedEvent, PositionedEvent } from "./feed.ts";
import { toIsoTime } from "../../kernel/text.ts";
import {
  DELIVERY_ATTEMPTS_KEPT_MAX,
  DELIVERY_JITTER_MAX,
  DELIVERY_RETRY_DELAYS_MS,
  DELIVERY_RETRY_AFTER_MAX_MS,
} from "../limits.ts";

/** In the order of the codes in `delivery-log.store.ts`. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt to deliver. `at` in milliseconds since 1970. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly durationMs: number;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** The error as a sentence; null if the attempt succeeded. */
  readonly error: string | null;
  /** The beginning of the response body. */
  readonly answer: string | null;
}

/** An attempt with the `Retry-After` of the receiver. */
export interface AttemptOutcome extends DeliveryAttempt {
  readonly retryAfterSeconds: number | null;
}

/** An event for one webhook, as its delivery log shows it. */
export interface DeliveryLogEntry {
  /** The event's position in the feed. */
  readonly id: number;
  readonly taskId: string;
  readonly seq: number;
  readonly type: TaskEventType;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** When the next attempt is due; null unless pending. */
  readonly nextAt: number | null;
  readonly settledAt: number | null;
  /** Rounds of attempts: the first, and one more for each redelivery. */
  readonly round: number;
  /** The number of attempts in this round; `roundStartedAt` is the time of the first. */
  readonly tries: number;
  readonly roundStartedAt: number | null;
  /** Why the delivery failed permanently; null otherwise. */
  readonly reason: string | null;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface Delivery extends DeliveryLogEntry {
  readonly event: FeedEvent;
}

const GONE = 410;

/** A delivery of a new event, due at once. */
export function createDelivery({ position, ...event }: PositionedEvent, now: number): Delivery {
  const { taskId, seq, type } = event;
  return {
    id: position,
    taskId,
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

/** The delivery after an attempt that ended at `now`; `jitter` from 0 to 1 spreads the next one. */
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
 * Records an attempt that ended after its delivery was settled or restarted by another call. If it succeeded, a
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

/** A new round of attempts, due at once. */
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

/** Why a webhook must be disabled after an attempt, because its receiver is gone; null otherwise. */
export function findGoneReason({ status }: DeliveryAttempt): string | null {
  return status === GONE ? "The receiver answered 410 Gone." : null;
}

/**
 * Why a webhook must be disabled after the last attempt of a delivery failed: no delivery has succeeded since the first
 * attempt. Null otherwise, and for a delivery that another call ended.
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
