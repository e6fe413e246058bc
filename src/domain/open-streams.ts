/** Requests that keys hold open in one isolate: streams, and requests that wait. */
export class OpenStreams {
  readonly #lifeMs: number;
  /** The instants by which the streams of each key have ended, even if their end was never reported. */
  readonly #endsAt = new Map<string, Map<symbol, number>>();

  /** `lifeMs`: what no stream outlives. */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  openOf(keyId: string): number {
    return this.#endsAt.get(keyId)?.size ?? 0;
  }

  /** Adds a stream; null when the key has `max` already. The returned function ends it, once. */
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
