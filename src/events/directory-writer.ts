import { log } from "../platform/log.ts";
import { withTimeout } from "../platform/promises.ts";
import { joinRequestIds, runWithRequestId } from "../platform/request-id.ts";
import type { DirectoryWrite } from "../tasks/model/listing.ts";
import {
  FEED_DIRECTORY_ROWS_MAX,
  FEED_DIRECTORY_TIMEOUT_MS,
  FEED_DIRECTORY_TRANSACTION_MAX_MS,
} from "./limits.ts";

/**
 * In one transaction, writes the rows that it accepts. Returns those rows; the directory then contains each of them or
 * a newer version.
 */
export type SaveDirectoryRows = (
  writes: readonly DirectoryWrite[],
) => Promise<readonly DirectoryWrite[]>;

interface PendingRow {
  readonly write: DirectoryWrite;
  readonly requestId: string | null;
  readonly confirmed: PromiseWithResolvers<boolean>;
}

/**
 * Writes directory rows, one transaction at a time. Up to FEED_DIRECTORY_ROWS_MAX rows that arrive during a transaction
 * share the next one. While a transaction is open, the writer immediately rejects a row that it probably cannot confirm
 * within FEED_DIRECTORY_TIMEOUT_MS. While none is open, it accepts any row, because writing the row shows how fast the
 * directory is now.
 */
export class DirectoryWriter {
  readonly #saveRows: SaveDirectoryRows;
  #pending: PendingRow[] = [];
  /** When the open transaction started; null if none is open. */
  #startedAt: number | null = null;
  /** The duration of the last transaction. */
  #durationMs = 0;

  constructor(saveRows: SaveDirectoryRows) {
    this.#saveRows = saveRows;
  }

  /**
   * Returns whether the directory is known to contain the row or a newer version. After FEED_DIRECTORY_TIMEOUT_MS, the
   * result is false, even though a running transaction may still write the row. `requestId` contains the joined ids of
   * the requests that caused the row.
   */
  async write(write: DirectoryWrite, requestId: string | null): Promise<boolean> {
    if (!this.#hasCapacity()) return false;
    const confirmed = Promise.withResolvers<boolean>();
    this.#pending.push({ write, requestId, confirmed });
    this.#writeNext();
    try {
      return await withTimeout(FEED_DIRECTORY_TIMEOUT_MS, confirmed.promise);
    } catch {
      // From now on, the task is responsible for writing the row. A transaction that already includes the row
      // continues.
      this.#pending = this.#pending.filter((row) => row.confirmed !== confirmed);
      return false;
    }
  }

  /** Whether another row can probably be confirmed in time, that is, after the open transaction and the next one. */
  #hasCapacity(): boolean {
    if (this.#startedAt === null) return true;
    const lastMs = this.#durationMs;
    const elapsedMs = performance.now() - this.#startedAt;
    // A transaction that has already taken longer than the last one will probably take much longer.
    const waitMs = elapsedMs < lastMs ? lastMs - elapsedMs + lastMs : 2 * elapsedMs;
    return waitMs < FEED_DIRECTORY_TIMEOUT_MS && this.#pending.length < FEED_DIRECTORY_ROWS_MAX;
  }

  #writeNext(): void {
    if (this.#startedAt !== null || this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    const requestIds = joinRequestIds(batch.map(({ requestId }) => requestId));
    void runWithRequestId(requestIds, () => this.#writeBatch(batch)).finally(() => {
      this.#startedAt = null;
      this.#writeNext();
    });
  }

  async #writeBatch(batch: readonly PendingRow[]): Promise<void> {
    const startedAt = performance.now();
    this.#startedAt = startedAt;
    const writes = batch.map(({ write }) => write);
    const taskIds = writes.map(({ row }) => row.id);
    try {
      const saving = this.#saveRows(writes);
      const saved = new Set(await withTimeout(FEED_DIRECTORY_TRANSACTION_MAX_MS, saving));
      for (const { write, confirmed } of batch) confirmed.resolve(saved.has(write));
    } catch (error) {
      log.warn("directory_batch_failed", { taskIds, error });
      for (const { confirmed } of batch) confirmed.resolve(false);
    }
    const durationMs = performance.now() - startedAt;
    this.#durationMs = durationMs;
    if (durationMs > FEED_DIRECTORY_TIMEOUT_MS) {
      log.warn("directory_batch_slow", { taskIds, durationMs });
    }
  }
}
