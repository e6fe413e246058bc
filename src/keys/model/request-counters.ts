import type { RateLimitWindow } from "../../kernel/failure.ts";
import { MINUTE_MS, SECOND_MS } from "../../kernel/units.ts";

const MINUTE_SECONDS = 60;

/** A key's requests in the current minute, which starts with the first request. */
export interface RequestCount {
  readonly startedAt: number;
  readonly count: number;
}

/** Counts a request at `now`, and returns the window for the response. A rejected request does not count. */
export function countRequest(
  before: RequestCount | undefined,
  limit: number,
  now: number,
): {
  readonly isAdmitted: boolean;
  readonly count: RequestCount;
  readonly window: RateLimitWindow;
} {
  const isCurrent = before !== undefined && isWithinMinute(before, now);
  const { startedAt, count } = isCurrent ? before : { startedAt: now, count: 0 };
  const isAdmitted = count < limit;
  const after = isAdmitted ? count + 1 : count;
  return {
    isAdmitted,
    count: { startedAt, count: after },
    window: {
      limit,
      remaining: Math.max(0, limit - after),
      windowSeconds: MINUTE_SECONDS,
      resetSeconds: Math.ceil((startedAt + MINUTE_MS - now) / SECOND_MS),
    },
  };
}

/** Whether a key's current minute includes `now`; false if the clock has been set back. */
function isWithinMinute({ startedAt }: RequestCount, now: number): boolean {
  return now >= startedAt && now - startedAt < MINUTE_MS;
}

/**
 * Request counts by key in one isolate. When the table is full, it drops keys whose minute is over; if there are none,
 * it drops the oldest key.
 */
export class RequestCounts {
  readonly #keysMax: number;
  readonly #counts = new Map<string, RequestCount>();

  constructor(keysMax: number) {
    this.#keysMax = keysMax;
  }

  get size(): number {
    return this.#counts.size;
  }

  count(keyId: string, limit: number, now: number): ReturnType<typeof countRequest> {
    const before = this.#counts.get(keyId);
    if (before === undefined && this.#counts.size >= this.#keysMax) this.#makeRoom(now);
    const counted = countRequest(before, limit, now);
    this.#counts.set(keyId, counted.count);
    return counted;
  }

  #makeRoom(now: number): void {
    for (const [keyId, count] of this.#counts) {
      if (!isWithinMinute(count, now)) this.#counts.delete(keyId);
    }
    const [oldest] = this.#counts.keys();
    if (this.#counts.size >= this.#keysMax && oldest !== undefined) this.#counts.delete(oldest);
  }
}

/** The open streams and waiting requests in one isolate, by key. */
export class OpenStreams {
  readonly #lifeMs: number;
  /** For each key and stream, when the stream must have ended, even if its end was never reported. */
  readonly #endsAt = new Map<string, Map<symbol, number>>();

  /** `lifeMs`: how long a stream counts if its end is never reported. */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  countOpen(keyId: string): number {
    return this.#endsAt.get(keyId)?.size ?? 0;
  }

  /**
   * Adds a stream and returns a function that ends it; null if the key already has `max` streams. Calling the function
   * again has no effect.
   */
  begin(keyId: string, max: number, now: number): (() => void) | null {
    const open = this.#endsAt.get(keyId) ?? new Map<symbol, number>();
    if (open.size >= max) {
      for (const [stream, endsAt] of open) if (endsAt <= now) open.delete(stream);
    }
    if (open.size >= max) return null;
    const stream = Symbol(keyId);
    open.set(stream, now + this.#lifeMs);
    this.#endsAt.set(keyId, open);
    return () => {
      open.delete(stream);
      if (open.size === 0 && this.#endsAt.get(keyId) === open) this.#endsAt.delete(keyId);
    };
  }
}
