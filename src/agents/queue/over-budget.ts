import { CLAIM_TASKS_MAX } from "../../domain/limits.ts";

const PREFIX = "over-budget:";

/**
 * Tasks that left the queue because their budgets were used up, each with the `seq` of the event that stopped
 * it. A task notifies the queue when it is no longer stopped; until the queue knows, the entry is outdated.
 */
export class OverBudgetTasks {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The first tasks in the order of their ids. */
  page(): string[] {
    const entries = this.#kv.list<number>({ prefix: PREFIX, limit: CLAIM_TASKS_MAX });
    return [...entries].map(([key]) => key.slice(PREFIX.length));
  }

  /** Adds a task as of the event `seq` of its log, unless a newer event has added it. */
  add(taskId: string, seq: number): void {
    const key = `${PREFIX}${taskId}`;
    if ((this.#kv.get<number>(key) ?? -1) < seq) this.#kv.put(key, seq);
  }

  /** Removes a task as of the event `seq` of its log; an older event does not undo a newer stop. */
  remove(taskId: string, seq: number): void {
    const stoppedSeq = this.#kv.get<number>(`${PREFIX}${taskId}`);
    if (stoppedSeq !== undefined && stoppedSeq <= seq) this.#kv.delete(`${PREFIX}${taskId}`);
  }
}
