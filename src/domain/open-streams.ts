/** Requests that keys hold open in one isolate: streams and waiting requests. */
export class OpenStreams {
  readonly #lifeMs: number;
  /** When each key's streams have certainly ended, even if their end was never reported. */
  readonly #endsAt = new Map<string, Map<symbol, number>>();

  /** `lifeMs`: the longest life of a stream. */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  openOf(keyId: string): number {
    return this.#endsAt.get(keyId)?.size ?? 0;
  }

  /** Adds a stream; null if the key has `max` streams. The returned function ends the stream and can be repeated. */
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
