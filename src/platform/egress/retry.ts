import { RETRY_BACKOFF_MS } from "../limits.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** Whether a request is safe (RFC 9110) and can be repeated. */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Whether a response status means that a retry may soon succeed. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status);
}

/**
 * The pause in milliseconds after attempt number `attempt`, starting at 1. It grows exponentially; its upper half is
 * jitter, scaled by `random` (0 to 1). It is at least `askedSeconds`, from the other system's `Retry-After`.
 */
export function computeRetryDelayMs(
  attempt: number,
  random: number,
  askedSeconds: number | null,
): number {
  const ceilingMs = RETRY_BACKOFF_MS * 2 ** (attempt - 1);
  const backoffMs = (ceilingMs * (1 + random)) / 2;
  return Math.max(backoffMs, (askedSeconds ?? 0) * 1_000);
}

/** Parses `Retry-After` (RFC 9110), a number of seconds or a date, into seconds from `now`; null for anything else. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  // Accept only dates with a month name, because Date.parse also reads "-1" and "1.5" as dates.
  const at = /[a-z]{3}/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
