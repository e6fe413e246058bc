import { database } from "../db/client.ts";
import { PROJECTION_WAIT_MS } from "../domain/limits.ts";
import type { Task } from "../domain/task.ts";
import { deleteRow, putRow, rowOf, type DirectoryRow } from "./directory.ts";
import { within } from "../clock/within.ts";

/** Keeps the task's row in the directory up with its log, one write at a time. */
export class Projection {
  readonly #db: D1Database;
  readonly #taskId: string;
  /** The row as this instance knows it to be written; a new instance knows of none. */
  #written: DirectoryRow | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: D1Database, taskId: string) {
    this.#db = db;
    this.#taskId = taskId;
  }

  isBehind(task: Task): boolean {
    return task.listedSeq > (this.#written?.seq ?? 0);
  }

  /** Brings the row up to the task; when the directory does not answer soon it stays behind. */
  async publish(task: Task): Promise<void> {
    if (!this.isBehind(task)) return;
    const row = rowOf(this.#taskId, task);
    const writing = putRow(database(this.#db), row, this.#written).then(() => {
      if (row.seq > (this.#written?.seq ?? 0)) this.#written = row;
    });
    this.#writing = Promise.allSettled([this.#writing, writing]).then(() => undefined);
    try {
      await within(PROJECTION_WAIT_MS, writing);
    } catch (fault) {
      const reason = fault instanceof Error ? (fault.cause ?? fault.name) : fault;
      console.warn({ event: "directory_behind", taskId: this.#taskId, seq: row.seq, reason });
    }
  }

  /** Takes the row away for good, after whatever is still being written. */
  async remove(task: Task): Promise<void> {
    await this.#writing;
    await deleteRow(database(this.#db), rowOf(this.#taskId, task));
    this.#written = null;
  }
}
