import type { DirectoryRow } from "../model/listing.ts";
import { redactDatabaseError } from "../../platform/d1/client.ts";
import type { DirectoryDatabases } from "../../platform/d1/shards.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import type { Task } from "../model/task.ts";
import { toDirectoryRow } from "../directory/directory.store.ts";
import { deleteTaskRow, saveTaskRow } from "../directory/sharded-directory.store.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { log } from "../../platform/log.ts";

/** Keeps the task's row in the directory up with its log. */
export class DirectoryTarget {
  readonly #shards: DirectoryDatabases;
  readonly #taskId: string;
  readonly #logBytes: () => number;
  /** Up to which event the row is known to be written; a new instance knows of nothing. */
  #writtenSeq = 0;
  /** The row as it surely lies there: not while it is written, and not after a write that was not heard of. */
  #certain: DirectoryRow | null = null;
  #latest: DirectoryRow | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** `logBytes` returns the size of the task's log. */
  constructor(shards: DirectoryDatabases, taskId: string, logBytes: () => number) {
    this.#shards = shards;
    this.#taskId = taskId;
    this.#logBytes = logBytes;
  }

  isBehind(task: Task): boolean {
    return task.directoryVersion > this.#writtenSeq;
  }

  /** Brings the row up to the task; when the directory does not answer soon it stays behind. */
  async publish(task: Task): Promise<void> {
    if (!this.isBehind(task)) return;
    const row = toDirectoryRow(this.#taskId, task, this.#logBytes());
    const before = this.#certain;
    this.#certain = null;
    this.#latest = row;
    const writing = saveTaskRow(this.#shards, task.shard, row, before).then(() => {
      this.#writtenSeq = Math.max(row.seq, this.#writtenSeq);
      if (this.#latest === row) this.#certain = row;
    });
    this.#writing = Promise.allSettled([this.#writing, writing]).then(() => undefined);
    try {
      await withTimeout(PROJECTION_TIMEOUT_MS, writing);
    } catch (fault) {
      const reason = redactDatabaseError(fault);
      log.warn("directory_write_failed", { taskId: this.#taskId, seq: row.seq, error: reason });
    }
  }

  /** Takes the row away for good, after whatever is still being written. */
  async remove(task: Task): Promise<void> {
    const writing = this.#writing;
    // What has not answered by now never will: another try does not wait for it again.
    this.#writing = Promise.resolve();
    await withTimeout(STORE_TIMEOUT_MS, writing);
    const row = toDirectoryRow(this.#taskId, task, this.#logBytes());
    await withTimeout(STORE_TIMEOUT_MS, deleteTaskRow(this.#shards, task.shard, row));
    this.#writtenSeq = 0;
    this.#certain = null;
  }
}
