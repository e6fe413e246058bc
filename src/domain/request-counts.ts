import type { RateWindow } from "./failure.ts";

const SECOND_MS = 1_000;
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
): { readonly isAdmitted: boolean; readonly count: RequestCount; readonly window: RateWindow } {
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
      resetSeconds: Math.ceil((startedAt + MINUTE_SECONDS * SECOND_MS - now) / SECOND_MS),
    },
  };
}

/** A clock that was set back starts a new minute. */
function isWithinMinute({ startedAt }: RequestCount, now: number): boolean {
  return now >= startedAt && now - startedAt < MINUTE_SECONDS * SECOND_MS;
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
