import { currentRequestId } from "./request-id.ts";

/** A Durable Object's alarm, as far as this instance knows. Times are in milliseconds since 1970. */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  #at: number | null = null;
  /** The id of the request that last set the alarm; null in a new instance. */
  requestId: string | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Loads the alarm of a new instance, which handles no events until the alarm has been read from storage. */
  static load(ctx: DurableObjectState): ObjectAlarm {
    const alarm = new ObjectAlarm(ctx.storage);
    void ctx.blockConcurrencyWhile(() => alarm.load());
    return alarm;
  }

  /** Reads the alarm from storage. A new instance must await this before anything else. */
  async load(): Promise<void> {
    this.#at = await this.#storage.getAlarm();
  }

  isSet(): boolean {
    return this.#at !== null;
  }

  /** Call this when the alarm handler runs, because the alarm is no longer set. */
  markFired(): void {
    this.#at = null;
  }

  /**
   * Call this when the alarm handler throws. Cloudflare retries it soon, and setting an alarm would replace the retry.
   */
  markRetrying(): void {
    this.#at = -Infinity;
  }

  /**
   * Sets the alarm unless an earlier one is already set. An alarm that fires too early costs less than the row write to
   * move it. Inside a transaction, use this class's `transactionSync`.
   */
  setNoLaterThan(at: number): void {
    if (this.#at !== null && this.#at <= at) return;
    this.requestId = currentRequestId() ?? this.requestId;
    this.#at = at;
    void this.#storage.setAlarm(at);
  }

  /** Runs a storage transaction. If it rolls back, so does the alarm, and `onRollback` is called. */
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
