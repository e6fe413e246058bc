interface CacheEntry<Value> {
  readonly value: Value;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly ttlMs: number | undefined;
}

/** A cache in one isolate that keeps values by name for a limited time. When it is full, it drops the oldest entry. */
export class TtlCache<Value> {
  readonly #ttlMs: number;
  readonly #entriesMax: number;
  readonly #entries = new Map<string, CacheEntry<Value>>();

  constructor(ttlMs: number, entriesMax: number) {
    this.#ttlMs = ttlMs;
    this.#entriesMax = entriesMax;
  }

  /** Undefined if no value was set within `ttlMs`. Setting the clock back does not extend a value's lifetime. */
  get(name: string, now: number, ageMaxMs?: number): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const ageMs = now - entry.at;
    const ttlMs = ageMaxMs ?? entry.ttlMs ?? this.#ttlMs;
    return ageMs >= 0 && ageMs < ttlMs ? entry.value : undefined;
  }

  /** `ttlMs` is how long this value is valid; by default, the cache's own `ttlMs`. */
  set(name: string, value: Value, now: number, ttlMs?: number): void {
    this.#entries.delete(name);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#entriesMax)
      this.#entries.delete(oldest);
    this.#entries.set(name, { value, at: now, ttlMs });
  }

  /** Changes a value and keeps its expiry. */
  update(name: string, changed: (value: Value) => Value): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#entries.set(name, { ...entry, value: changed(entry.value) });
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  clear(): void {
    this.#entries.clear();
  }
}
