import { reasonOf } from "../db/reason.ts";
import type { Shards } from "../db/shards.ts";
import { PROJECTION_WAIT_MS, STORE_WAIT_MS } from "../domain/limits.ts";
import type { Task } from "../domain/task.ts";
import { rowOf, type DirectoryRow } from "./directory.ts";
import { deleteTaskRow, putTaskRow } from "./shards.ts";
import { within } from "../clock/within.ts";

/** Keeps the task's row in the directory up with its log. */
export class Projection {
  readonly #shards: Shards;
  readonly #taskId: string;
  readonly #logBytes: () => number;
  /** Up to which event the row is known to be written; a new instance knows of nothing. */
  #writtenSeq = 0;
  /** The row as it surely lies there: not while it is written, and not after a write that was not heard of. */
  #certain: DirectoryRow | null = null;
  #latest: DirectoryRow | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** `logBytes` returns the size of the task's log. */
  constructor(shards: Shards, taskId: string, logBytes: () => number) {
    this.#shards = shards;
    this.#taskId = taskId;
    this.#logBytes = logBytes;
  }

  isBehind(task: Task): boolean {
    return task.listedSeq > this.#writtenSeq;
  }

  /** Brings the row up to the task; when the directory does not answer soon it stays behind. */
  async publish(task: Task): Promise<void> {
    if (!this.isBehind(task)) return;
    const row = rowOf(this.#taskId, task, this.#logBytes());
    const before = this.#certain;
    this.#certain = null;
    this.#latest = row;
    const writing = putTaskRow(this.#shards, task.shard, row, before).then(() => {
      this.#writtenSeq = Math.max(row.seq, this.#writtenSeq);
      if (this.#latest === row) this.#certain = row;
    });
    this.#writing = Promise.allSettled([this.#writing, writing]).then(() => undefined);
    try {
      await within(PROJECTION_WAIT_MS, writing);
    } catch (fault) {
      const reason = reasonOf(fault);
      console.warn({ event: "directory_behind", taskId: this.#taskId, seq: row.seq, reason });
    }
  }

  /** Takes the row away for good, after whatever is still being written. */
  async remove(task: Task): Promise<void> {
    const writing = this.#writing;
    // What has not answered by now never will: another try does not wait for it again.
    this.#writing = Promise.resolve();
    await within(STORE_WAIT_MS, writing);
    const row = rowOf(this.#taskId, task, this.#logBytes());
    await within(STORE_WAIT_MS, deleteTaskRow(this.#shards, task.shard, row));
    this.#writtenSeq = 0;
    this.#certain = null;
  }
}
