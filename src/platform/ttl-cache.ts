interface CacheEntry<Value> {
  readonly value: Value;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** A cache of one isolate: values by name, for a limited time and a limited number of names. */
export class TtlCache<Value> {
  readonly #forMs: number;
  readonly #namesMax: number;
  readonly #entries = new Map<string, CacheEntry<Value>>();

  constructor(ttlMs: number, entriesMax: number) {
    this.#forMs = ttlMs;
    this.#namesMax = entriesMax;
  }

  /** Undefined if no value was set within `forMs`. A clock that was set back does not extend a value's life. */
  get(name: string, now: number, ttlMs = this.#forMs): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const ageMs = now - entry.at;
    return ageMs >= 0 && ageMs < ttlMs ? entry.value : undefined;
  }

  set(name: string, value: Value, now: number): void {
    if (!this.#entries.has(name) && this.#entries.size >= this.#namesMax) this.#entries.clear();
    this.#entries.set(name, { value, at: now });
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
