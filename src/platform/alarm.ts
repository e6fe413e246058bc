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

  /** The alarm of a new instance, which handles no event before the alarm has been read from storage. */
  static load(ctx: DurableObjectState): ObjectAlarm {
    const alarm = new ObjectAlarm(ctx.storage);
    void ctx.blockConcurrencyWhile(() => alarm.load());
    return alarm;
  }

  /** Reads the alarm from storage. A new instance awaits this before anything else. */
  async load(): Promise<void> {
    this.#at = await this.#storage.getAlarm();
  }

  isSet(): boolean {
    return this.#at !== null;
  }

  /** The alarm handler was called, so no alarm is set. */
  markFired(): void {
    this.#at = null;
  }

  /** The alarm handler threw. Cloudflare retries it soon, and setting an alarm would replace the retry. */
  markRetrying(): void {
    this.#at = -Infinity;
  }

  /**
   * Sets the alarm unless an earlier one is set: an early alarm costs less than the row that setting it writes.
   * Inside a transaction, use `transactionSync` of this class.
   */
  setNoLaterThan(at: number): void {
    if (this.#at !== null && this.#at <= at) return;
    this.requestId = currentRequestId() ?? this.requestId;
    this.#at = at;
    void this.#storage.setAlarm(at);
  }

  /** A transaction of storage. If it rolls back, so does the alarm; then `onRollback` is called. */
  transactionSync(write: () => void, onRollback: () => void): void {
    const before = this.#at;
    try {
      this.#storage.transactionSync(write);
    } catch (error) {
      this.#at = before;
      onRollback();
      throw error;
    }
  }
}
