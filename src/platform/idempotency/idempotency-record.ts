import { IDEMPOTENCY_RETENTION_MS, IDEMPOTENCY_LOCK_MAX_MS } from "../limits.ts";
import type { Result } from "../../kernel/result.ts";

/** The request that took an idempotency key. Instants in milliseconds since 1970. */
export interface IdempotencyRecord {
  /** What was asked for: a repeat has the same. */
  readonly fingerprint: string;
  /** Names this one try, which alone may end it. */
  readonly ticket: string;
  readonly at: number;
  /** Set when the try has broken off, and nobody knows how far it came. */
  readonly isLost?: true;
}

/** How a key stands, to a request that comes with it. */
export type IdempotencyStatus =
  /** Nobody has it: the request takes it, and is carried out. */
  | "free"
  /** The same request was answered: it gets that answer again. */
  | "answered"
  /** It was taken for another request. */
  | "reused"
  /** The same request is being carried out. */
  | "at_work"
  /** The same request broke off, or was begun and never ended: nobody knows what has become of it. */
  | "lost";

/** How a key stands at `now`; `taking` null for one that nobody took. */
export function idempotencyStatusOf(
  taking: IdempotencyRecord | null,
  isAnswered: boolean,
  fingerprint: string,
  now: number,
): IdempotencyStatus {
  if (taking === null || now >= recordExpiresAt(taking)) return "free";
  if (taking.fingerprint !== fingerprint) return "reused";
  if (isAnswered) return "answered";
  if (taking.isLost) return "lost";
  return now < taking.at + IDEMPOTENCY_LOCK_MAX_MS ? "at_work" : "lost";
}

/** When a key is forgotten, with its answer. */
export function recordExpiresAt({ at }: IdempotencyRecord): number {
  return at + IDEMPOTENCY_RETENTION_MS;
}

/** Whether the try of this ticket may still keep its answer, give the key back, or break off. */
export function isLockHolder(
  taking: IdempotencyRecord | null,
  isAnswered: boolean,
  ticket: string,
): boolean {
  return taking?.ticket === ticket && !taking.isLost && !isAnswered;
}

/**
 * Whether an outcome is what every repeat gets. What a later try may mend gives the key back, unless it
 * may have been carried out all the same.
 */
export function isReplayable(
  outcome: Result<unknown, { readonly retryable: boolean; readonly mayBeDone: boolean }>,
): boolean {
  return outcome.ok || !outcome.failure.retryable || outcome.failure.mayBeDone;
}
