import { IDEMPOTENCY_RETENTION_MS, IDEMPOTENCY_LOCK_MAX_MS } from "../limits.ts";

/** The request that acquired an idempotency key. `at` is in milliseconds since 1970. */
export interface IdempotencyRecord {
  /** Identifies the request. A repeat has the same fingerprint. */
  readonly fingerprint: string;
  /** The `holderId` of the attempt that acquired the key. Only this attempt may settle the record. */
  readonly ticket: string;
  readonly at: number;
  /** Set if the attempt failed at an unknown point. */
  readonly isLost?: true;
}

export type IdempotencyStatus =
  /** The request acquires the key and runs. */
  | "free"
  /** The same request has a response, which is replayed. */
  | "answered"
  /** A different request used the key. */
  | "reused"
  /** The same request is running. */
  | "in_progress"
  /** The same request failed or never ended, so its effect is unknown. */
  | "lost";

/** The status of a key at `now`; `record` is null for an unused key. */
export function idempotencyStatusOf(
  record: IdempotencyRecord | null,
  isAnswered: boolean,
  fingerprint: string,
  now: number,
): IdempotencyStatus {
  if (record === null || now >= recordExpiresAt(record)) return "free";
  if (record.fingerprint !== fingerprint) return "reused";
  if (isAnswered) return "answered";
  if (record.isLost) return "lost";
  return now < record.at + IDEMPOTENCY_LOCK_MAX_MS ? "in_progress" : "lost";
}

/** When a key and its response are deleted. */
export function recordExpiresAt({ at }: IdempotencyRecord): number {
  return at + IDEMPOTENCY_RETENTION_MS;
}

/** Whether the attempt with this id holds the lock and can still settle the key. */
export function isLockHolder(
  record: IdempotencyRecord | null,
  isAnswered: boolean,
  holderId: string,
): boolean {
  return record?.ticket === holderId && !record.isLost && !isAnswered;
}
