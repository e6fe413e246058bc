import { CLAIM_TASKS_MAX } from "../../domain/limits.ts";

const PREFIX = "over-budget:";

/**
 * Tasks that left their places because their budgets were used up, with the event that stopped each. Only a
 * candidate list: a task that has ended or was reassigned is removed when somebody finds that out.
 */
export class OverBudgetTasks {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  ids(): string[] {
    const entries = this.#kv.list<number>({ prefix: PREFIX, limit: CLAIM_TASKS_MAX });
    return [...entries].map(([key]) => key.slice(PREFIX.length));
  }

  add(taskId: string, seq: number): void {
    this.#kv.put(`${PREFIX}${taskId}`, seq);
  }

  /** Removes a task as of the event `seq` of its log; an older event does not undo a newer stop. */
  remove(taskId: string, seq: number): void {
    const stoppedSeq = this.#kv.get<number>(`${PREFIX}${taskId}`);
    if (stoppedSeq !== undefined && stoppedSeq <= seq) this.#kv.delete(`${PREFIX}${taskId}`);
  }
}
