import type { RateLimitWindow } from "../../kernel/failure.ts";
import { MINUTE_MS, SECOND_MS } from "../../kernel/units.ts";

const MINUTE_SECONDS = 60;

/** Requests of one key in the current minute, which begins with its first request. */
export interface RequestCount {
  readonly startedAt: number;
  readonly count: number;
}

/** The count after a request at `now`, and the window for the response. A rejected request does not count. */
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

/** A clock that was set back starts a new minute. */
function isWithinMinute({ startedAt }: RequestCount, now: number): boolean {
  return now >= startedAt && now - startedAt < MINUTE_MS;
}

/** Request counts by key in one isolate. A full table drops keys whose minute is over, then the oldest key. */
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

/** Requests that keys hold open in one isolate: streams and waiting requests. */
export class OpenStreams {
  readonly #lifeMs: number;
  /** When each key's streams have certainly ended, even if their end was never reported. */
  readonly #endsAt = new Map<string, Map<symbol, number>>();

  /** `lifeMs`: the longest life of a stream. */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  countOpen(keyId: string): number {
    return this.#endsAt.get(keyId)?.size ?? 0;
  }

  /** Adds a stream; null if the key has `max` streams. The returned function ends the stream; calls after the first have no effect. */
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
