import { currentRequestId } from "./request-id.ts";

/** The alarm of a Durable Object, as far as this instance knows it. Instants in milliseconds since 1970. */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  #at: number | null = null;
  /** The id of the request that last set the alarm; null in a new instance. */
  requestId: string | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Reads the alarm from storage. A new instance awaits this before anything else. */
  async load(): Promise<void> {
    this.#at = await this.#storage.getAlarm();
  }

  isSet(): boolean {
    return this.#at !== null;
  }

  /** The alarm handler was called: no alarm is set any more. */
  markFired(): void {
    this.#at = null;
  }

  /** The alarm handler threw. Cloudflare retries it soon, and setting an alarm would replace the retry. */
  markRetrying(): void {
    this.#at = -Infinity;
  }

  /**
   * Sets the alarm unless an earlier one is set: an early alarm costs less than the row that setting it writes.
   * If a transaction around this rolls back, call the function of `createRollback`.
   */
  set(at: number): void {
    this.requestId = currentRequestId() ?? this.requestId;
    if (this.#at !== null && this.#at <= at) return;
    this.#at = at;
    void this.#storage.setAlarm(at);
  }

  /** Returns a function that restores what this instance knows now. */
  createRollback(): () => void {
    const before = this.#at;
    return () => {
      this.#at = before;
    };
  }
}
