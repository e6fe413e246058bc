import type { TaskEventType } from "../../tasks/model/events.ts";
import type { FeedEvent, PositionedEvent } from "./feed.ts";
import {
  DELIVERY_ATTEMPTS_KEPT_MAX,
  DELIVERY_JITTER_MAX,
  DELIVERY_RETRY_DELAYS_MS,
  DELIVERY_RETRY_AFTER_MAX_MS,
} from "../limits.ts";

/** In the order of the codes that webhooks/log.ts writes. */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One try to deliver. `at` in milliseconds since 1970. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly durationMs: number;
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  /** What went wrong, as a sentence; null when it was delivered. */
  readonly error: string | null;
  /** How the body of the answer began. */
  readonly answer: string | null;
}

/** How an attempt ended, and how long the receiver asks to be left alone. */
export interface AttemptOutcome extends DeliveryAttempt {
  readonly retryAfterSeconds: number | null;
}

/** An event on its way to one webhook, as its log shows it. */
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
  /** Attempts made in this round, and when the first of them was. */
  readonly tries: number;
  readonly roundStartedAt: number | null;
  /** Why it failed for good, or was given up; null otherwise. */
  readonly reason: string | null;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface Delivery extends DeliveryLogEntry {
  readonly event: FeedEvent;
}

const GONE = 410;

/** A delivery of an event that has just come in, due at once. */
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
  const tried = {
    ...delivery,
    tries,
    roundStartedAt: delivery.roundStartedAt ?? attempt.at,
    attempts: [...delivery.attempts, attempt].slice(-DELIVERY_ATTEMPTS_KEPT_MAX),
  };
  if (isSuccessfulAttempt(attempt)) return endDelivery(tried, "delivered", null, now);
  if (attempt.status === GONE)
    return endDelivery(tried, "failed", "The receiver is gone (410).", now);
  const pauseMs = DELIVERY_RETRY_DELAYS_MS[tries];
  if (pauseMs === undefined) {
    return endDelivery(tried, "failed", `All ${tries} attempts failed.`, now);
  }
  const spreadMs = pauseMs * (1 + DELIVERY_JITTER_MAX * jitter);
  const askedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, DELIVERY_RETRY_AFTER_MAX_MS);
  return { ...tried, nextAt: now + Math.ceil(Math.max(spreadMs, askedMs)) };
}

/**
 * An attempt that was on its way when its delivery was settled, or begun anew, by somebody else: it is
 * told of, and a receiver that has the event has it.
 */
export function applyLateAttempt(
  delivery: DeliveryLogEntry,
  { retryAfterSeconds: _retryAfter, ...attempt }: AttemptOutcome,
  now: number,
): DeliveryLogEntry {
  const recorded = {
    ...delivery,
    attempts: [...delivery.attempts, attempt].slice(-DELIVERY_ATTEMPTS_KEPT_MAX),
  };
  return isSuccessfulAttempt(attempt) && delivery.status === "failed"
    ? endDelivery(recorded, "delivered", null, now)
    : recorded;
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

/** Why a webhook must be disabled after an attempt, or null: its receiver says that it is gone. */
export function findGoneReason({ status }: DeliveryAttempt): string | null {
  return status === GONE ? "The receiver answered 410 Gone." : null;
}

/**
 * The same, as a delivery has failed for good with its last attempt, and nothing else was delivered
 * since its first. It says nothing of a delivery that somebody else has ended.
 */
export function findExhaustedReason(
  after: DeliveryLogEntry,
  attempt: DeliveryAttempt,
  lastSuccessAt: number | null,
): string | null {
  if (after.status !== "failed" || after.roundStartedAt === null) return null;
  if (lastSuccessAt !== null && lastSuccessAt >= after.roundStartedAt) return null;
  const since = new Date(after.roundStartedAt).toISOString();
  return `All ${after.tries} attempts of a delivery failed, and none of any other has succeeded since ${since}. The last one: ${attempt.error ?? "no success"}`;
}

function endDelivery(
  delivery: DeliveryLogEntry,
  status: DeliveryStatus,
  reason: string | null,
  now: number,
): DeliveryLogEntry {
  return { ...delivery, status, nextAt: null, settledAt: now, reason };
}
