interface Entry<Value> {
  readonly value: Value;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** What an isolate has lately seen, by name: good for some time, and for no more names than there is room for. */
export class Lately<Value> {
  readonly #forMs: number;
  readonly #namesMax: number;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(forMs: number, namesMax: number) {
    this.#forMs = forMs;
    this.#namesMax = namesMax;
  }

  /** Undefined if no value was set within `forMs`. A clock that was set back does not extend a value's life. */
  get(name: string, now: number, forMs = this.#forMs): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const ageMs = now - entry.at;
    return ageMs >= 0 && ageMs < forMs ? entry.value : undefined;
  }

  set(name: string, value: Value, now: number): void {
    if (!this.#entries.has(name) && this.#entries.size >= this.#namesMax) this.#entries.clear();
    this.#entries.set(name, { value, at: now });
  }

  /** Changes what was seen, which is good for no longer by that. */
  change(name: string, changed: (value: Value) => Value): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#entries.set(name, { ...entry, value: changed(entry.value) });
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }

  forgetAll(): void {
    this.#entries.clear();
  }
}
