import { currentRequestId } from "./request-id.ts";

/** The object's one alarm, and what this instance knows of it. Instants in milliseconds since 1970. */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  #at: number | null = null;
  /** The id of the request that last set the alarm; null in a new instance. */
  requestId: string | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Learns what is set already; to be awaited before anything else happens in a new instance. */
  async load(): Promise<void> {
    this.#at = await this.#storage.getAlarm();
  }

  isSet(): boolean {
    return this.#at !== null;
  }

  /** The platform has called: nothing is set any more. */
  markFired(): void {
    this.#at = null;
  }

  /** The alarm has thrown, and the platform repeats it soon: what is set meanwhile would take its place. */
  markRetrying(): void {
    this.#at = -Infinity;
  }

  /**
   * Sets the alarm unless one is set that comes no later: an early wake-up is cheaper than a row.
   * Within a transaction it is undone with it; then `undo` makes this instance forget it too.
   */
  set(at: number): void {
    this.requestId = currentRequestId() ?? this.requestId;
    if (this.#at !== null && this.#at <= at) return;
    this.#at = at;
    void this.#storage.setAlarm(at);
  }

  /** A way back to what was known before, for when the transaction fails. */
  createRollback(): () => void {
    const before = this.#at;
    return () => {
      this.#at = before;
    };
  }
}
