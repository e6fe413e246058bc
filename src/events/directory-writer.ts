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
 * Writes the directory rows that it accepts, in one transaction, and returns them. The directory then has each of them
 * or a newer version.
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
 * Writes directory rows in one transaction at a time. Up to FEED_DIRECTORY_ROWS_MAX rows that arrive during a
 * transaction share the next one.
 */
export class DirectoryWriter {
  readonly #saveRows: SaveDirectoryRows;
  #pending: PendingRow[] = [];
  /** When the open transaction started; null if none is open. */
  #startedAt: number | null = null;

  constructor(saveRows: SaveDirectoryRows) {
    this.#saveRows = saveRows;
  }

  /**
   * Returns whether the directory is known to have the row or a newer version: false after FEED_DIRECTORY_TIMEOUT_MS,
   * although a started transaction may still write the row, and at once while a transaction is overdue. `requestId`:
   * the joined ids of the requests that caused the row.
   */
  async write(write: DirectoryWrite, requestId: string | null): Promise<boolean> {
    if (this.#isOverdue()) return false;
    const confirmed = Promise.withResolvers<boolean>();
    this.#pending.push({ write, requestId, confirmed });
    this.#writeNext();
    try {
      return await withTimeout(FEED_DIRECTORY_TIMEOUT_MS, confirmed.promise);
    } catch {
      // The task now writes the row itself. A transaction that already includes it continues.
      this.#pending = this.#pending.filter((row) => row.confirmed !== confirmed);
      return false;
    }
  }

  /** Whether the open transaction has taken FEED_DIRECTORY_TIMEOUT_MS or longer. */
  #isOverdue(): boolean {
    const startedAt = this.#startedAt ?? Infinity;
    return performance.now() - startedAt >= FEED_DIRECTORY_TIMEOUT_MS;
  }

  #writeNext(): void {
    if (this.#startedAt !== null || this.#pending.length === 0) return;
    this.#startedAt = performance.now();
    const batch = this.#pending.splice(0, FEED_DIRECTORY_ROWS_MAX);
    const requestIds = joinRequestIds(batch.map(({ requestId }) => requestId));
    void runWithRequestId(requestIds, () => this.#writeBatch(batch)).finally(() => {
      this.#startedAt = null;
      this.#writeNext();
    });
  }

  async #writeBatch(batch: readonly PendingRow[]): Promise<void> {
    const writes = batch.map(({ write }) => write);
    try {
      const saving = this.#saveRows(writes);
      const saved = new Set(await withTimeout(FEED_DIRECTORY_TRANSACTION_MAX_MS, saving));
      for (const { write, confirmed } of batch) confirmed.resolve(saved.has(write));
    } catch (error) {
      log.warn("directory_batch_failed", { taskIds: writes.map(({ row }) => row.id), error });
      for (const { confirmed } of batch) confirmed.resolve(false);
    }
  }
}
