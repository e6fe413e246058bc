import {
  WORKER_TASKS_REMEMBERED_MAX,
  WORKERS_REMEMBERED_MAX,
  WORKERS_SHOWN_MAX,
} from "../limits.ts";
import type { ClaimRequest, WorkerState } from "./queue.rpc.ts";

/** A task that a worker holds, and the key that it was claimed with, as in `StoredQueueEntry`. */
interface HeldTask {
  readonly taskId: string;
  readonly keyId: string | null;
}

type Claimant = Pick<ClaimRequest, "worker" | "keyId">;

interface SeenWorker extends Claimant {
  readonly lastSeenAt: number;
  readonly openClaims: number;
}

/**
 * The workers that have claimed since the queue's object was loaded. They are kept only in memory, so that a claim
 * writes no additional row. A worker is identified by its key and its name.
 */
export class WorkerPresence {
  readonly #workers = new Map<string, SeenWorker>();
  /** The names of the workers that hold tasks. */
  readonly #holders = new Map<string, string | null>();

  /** Records the start of a claim. Call `endClaim` when it ends. */
  startClaim(claimant: Claimant, now: number): void {
    this.#see(claimant, 1, now);
    for (const [id, { openClaims }] of this.#workers) {
      if (this.#workers.size <= WORKERS_REMEMBERED_MAX) return;
      if (openClaims === 0) this.#workers.delete(id);
    }
  }

  endClaim(claimant: Claimant, taskIds: readonly string[], now: number): void {
    this.#see(claimant, -1, now);
    for (const taskId of taskIds) this.#holders.set(taskId, claimant.worker);
    // `list` removes the tasks that are no longer held, but it may never be called.
    for (const taskId of this.#holders.keys()) {
      if (this.#holders.size <= WORKER_TASKS_REMEMBERED_MAX) return;
      this.#holders.delete(taskId);
    }
  }

  /** The workers that were seen or that hold tasks, most recently seen first. */
  list(held: readonly HeldTask[]): WorkerState[] {
    const heldIds = new Set(held.map(({ taskId }) => taskId));
    for (const taskId of this.#holders.keys()) {
      if (!heldIds.has(taskId)) this.#holders.delete(taskId);
    }
    const byWorker = Map.groupBy(held, ({ taskId, keyId }) =>
      idOf({ keyId, worker: this.#holders.get(taskId) ?? null }),
    );
    const states = new Map<string, WorkerState>();
    for (const [id, { worker, keyId, lastSeenAt, openClaims }] of this.#workers) {
      states.set(id, { worker, keyId, lastSeenAt, isWaiting: openClaims > 0, taskIds: [] });
    }
    for (const [id, tasks] of byWorker) {
      const [{ taskId, keyId } = { taskId: "", keyId: null }] = tasks;
      const worker = this.#holders.get(taskId) ?? null;
      const unseen = { worker, keyId, lastSeenAt: null, isWaiting: false };
      const taskIds = tasks.map((task) => task.taskId).slice(0, WORKERS_SHOWN_MAX);
      states.set(id, { ...(states.get(id) ?? unseen), taskIds });
    }
    return [...states.values()]
      .toSorted((one, other) => (other.lastSeenAt ?? 0) - (one.lastSeenAt ?? 0))
      .slice(0, WORKERS_SHOWN_MAX);
  }

  #see({ worker, keyId }: Claimant, change: 1 | -1, now: number): void {
    const id = idOf({ worker, keyId });
    const openClaims = (this.#workers.get(id)?.openClaims ?? 0) + change;
    // Move the worker to the end, because the oldest entries are forgotten first.
    this.#workers.delete(id);
    this.#workers.set(id, { worker, keyId, lastSeenAt: now, openClaims });
  }
}

function idOf({ worker, keyId }: Claimant): string {
  return JSON.stringify([keyId, worker]);
}
