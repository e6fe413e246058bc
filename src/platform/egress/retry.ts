import { RETRY_BACKOFF_MS } from "../limits.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** Whether a request is safe (RFC 9110) and can be repeated. */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Whether a response means that a retry may succeed soon. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status);
}

/**
 * The pause after attempt `attempt` (from 1), in milliseconds: exponential, with jitter in its upper half by
 * `random` (0..1), and at least the `askedSeconds` of the system's `Retry-After`.
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

/** `Retry-After` (RFC 9110) in seconds from `now`: a count, or a date; null for anything else. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  // Only dates: Date.parse also accepts "-1" and "1.5" for years and months.
  const at = /[a-z]{3}/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
