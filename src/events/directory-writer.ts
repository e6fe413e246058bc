import { log } from "../platform/log.ts";
import { withTimeout } from "../platform/promises.ts";
import { joinRequestIds, runWithRequestId } from "../platform/request-id.ts";
import type { DirectoryWrite } from "../tasks/model/listing.ts";
import { FEED_DIRECTORY_ROWS_MAX, FEED_DIRECTORY_TIMEOUT_MS } from "./limits.ts";

/** Writes directory rows in one transaction. Returns those that it wrote. */
export type SaveDirectoryRows = (
  writes: readonly DirectoryWrite[],
) => Promise<readonly DirectoryWrite[]>;

interface PendingRow {
  readonly write: DirectoryWrite;
  readonly requestId: string | null;
  readonly done: PromiseWithResolvers<boolean>;
}

/**
 * Writes directory rows, one transaction at a time: the rows that arrive during a transaction share the next one.
 */
export class DirectoryWriter {
  readonly #saveRows: SaveDirectoryRows;
  #pending: PendingRow[] = [];
  #isWriting = false;

  constructor(saveRows: SaveDirectoryRows) {
    this.#saveRows = saveRows;
  }

  /**
   * Returns whether the row is known to be written; false after FEED_DIRECTORY_TIMEOUT_MS. `requestId`: of the requests
   * that caused the row.
   */
  async write(write: DirectoryWrite, requestId: string | null): Promise<boolean> {
    const done = Promise.withResolvers<boolean>();
    this.#pending.push({ write, requestId, done });
    this.#writeNext();
    try {
      return await withTimeout(FEED_DIRECTORY_TIMEOUT_MS, done.promise);
    } catch {
      // Its task writes the row now.
      this.#pending = this.#pending.filter((row) => row.done !== done);
      return false;
    }
  }

  #writeNext(): void {
    if (this.#isWriting || this.#pending.length === 0) return;
    this.#isWriting = true;
    const batch = this.#pending.splice(0, FEED_DIRECTORY_ROWS_MAX);
    const requestIds = joinRequestIds(batch.map(({ requestId }) => requestId));
    void runWithRequestId(requestIds, () => this.#writeBatch(batch)).finally(() => {
      this.#isWriting = false;
      this.#writeNext();
    });
  }

  async #writeBatch(batch: readonly PendingRow[]): Promise<void> {
    try {
      const written = new Set(await this.#saveRows(batch.map(({ write }) => write)));
      for (const { write, done } of batch) done.resolve(written.has(write));
    } catch (error) {
      log.warn("directory_batch_failed", { error });
      for (const { done } of batch) done.resolve(false);
    }
  }
}
