import { redactDatabaseError } from "../../platform/d1/client.ts";
import type { DirectoryDatabases } from "../../platform/d1/shards.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { toDirectoryRow } from "../directory/directory.store.ts";
import { deleteTaskRow, saveTaskRow } from "../directory/task-row.store.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import type { DirectoryRow } from "../model/listing.ts";
import type { Task } from "../model/task.ts";
import type { EventLog } from "./event-log.store.ts";
import type { OutboxTarget } from "./outbox-target.ts";

/** Writes the task's row in the directory. */
export class DirectoryTarget implements OutboxTarget {
  readonly #shards: DirectoryDatabases;
  readonly #taskId: string;
  readonly #eventLog: Pick<EventLog, "bytes">;
  /** The version that the row is known to have; 0 in a new instance. */
  #writtenVersion = 0;
  /** The row as it is stored; null during a write, and after a write without a response. */
  #storedRow: DirectoryRow | null = null;
  #latestRow: DirectoryRow | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(shards: DirectoryDatabases, taskId: string, eventLog: Pick<EventLog, "bytes">) {
    this.#shards = shards;
    this.#taskId = taskId;
    this.#eventLog = eventLog;
  }

  isBehind(task: Task): boolean {
    return task.directoryVersion > this.#writtenVersion;
  }

  async publish(task: Task): Promise<void> {
    if (!this.isBehind(task)) return;
    const row = toDirectoryRow(this.#taskId, task, this.#eventLog.bytes());
    const before = this.#storedRow;
    this.#storedRow = null;
    this.#latestRow = row;
    const writing = saveTaskRow(this.#shards, task.shard, row, before).then(() => {
      this.#writtenVersion = Math.max(row.seq, this.#writtenVersion);
      if (this.#latestRow === row) this.#storedRow = row;
    });
    this.#writing = Promise.allSettled([this.#writing, writing]).then(() => undefined);
    try {
      await withTimeout(PROJECTION_TIMEOUT_MS, writing);
    } catch (error) {
      const reason = redactDatabaseError(error);
      log.warn("directory_write_failed", { taskId: this.#taskId, seq: row.seq, error: reason });
    }
  }

  /** Deletes the row after pending writes have ended. */
  async remove(task: Task): Promise<void> {
    const writing = this.#writing;
    // If a pending write times out here, the next try does not wait for it.
    this.#writing = Promise.resolve();
    await withTimeout(STORE_TIMEOUT_MS, writing);
    const row = toDirectoryRow(this.#taskId, task, this.#eventLog.bytes());
    await withTimeout(STORE_TIMEOUT_MS, deleteTaskRow(this.#shards, task.shard, row));
    this.#writtenVersion = 0;
    this.#storedRow = null;
  }
}
