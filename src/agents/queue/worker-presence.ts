import { WORKERS_REMEMBERED_MAX, WORKERS_SHOWN_MAX } from "../limits.ts";
import type { ClaimRequest, WorkerState } from "./queue.rpc.ts";
import type { StoredQueueEntry } from "./queue.store.ts";

/** A task that a worker holds. */
type HeldTask = Pick<StoredQueueEntry, "taskId" | "keyId" | "worker">;

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

  /** Records the start of a claim. Call `endClaim` when it ends. */
  startClaim(claimant: Claimant, now: number): void {
    this.#see(claimant, 1, now);
    for (const [id, { openClaims }] of this.#workers) {
      if (this.#workers.size <= WORKERS_REMEMBERED_MAX) return;
      if (openClaims === 0) this.#workers.delete(id);
    }
  }

  endClaim(claimant: Claimant, now: number): void {
    this.#see(claimant, -1, now);
  }

  /** The workers that were seen or that hold tasks, most recently seen first. */
  list(held: readonly HeldTask[]): WorkerState[] {
    const states = new Map<string, WorkerState>();
    for (const [id, { worker, keyId, lastSeenAt, openClaims }] of this.#workers) {
      states.set(id, { worker, keyId, lastSeenAt, isWaiting: openClaims > 0, taskIds: [] });
    }
    for (const [id, tasks] of Map.groupBy(held, idOf)) {
      const [{ worker, keyId } = { worker: null, keyId: null }] = tasks;
      const unseen = { worker, keyId, lastSeenAt: null, isWaiting: false };
      const taskIds = tasks.map(({ taskId }) => taskId).slice(0, WORKERS_SHOWN_MAX);
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
