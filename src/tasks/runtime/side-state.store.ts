import type { Lease } from "../model/lease.ts";
import { isTerminal, type Task } from "../model/task.ts";
import type { AbandonedWork, DispatchedTurn } from "../model/turn.ts";

interface SideValues {
  /** The end of the current lease as renewed by heartbeats. */
  lease: { readonly seq: number; readonly expiresAt: number };
  turn: DispatchedTurn;
  abandoned: AbandonedWork;
  /** When the current platform outage began, in milliseconds since 1970. */
  faultSince: number;
}

/** State of the task that is not in its log, because no reader of the log needs it. Each value is one row. */
export class SideState {
  readonly #kv: SyncKvStorage;
  /** Values read or written before; cleared when a transaction rolls back. */
  readonly #cache = new Map<keyof SideValues, unknown>();

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The task with its lease as renewed by heartbeats. */
  withStoredLease(task: Task): Task {
    const { lease } = task;
    const renewed = lease === null ? null : this.get("lease");
    if (lease === null || renewed === null || renewed.seq !== lease.seq) return task;
    const expiresAt = Math.max(lease.expiresAt, renewed.expiresAt);
    return { ...task, lease: { ...lease, expiresAt } };
  }

  saveLease({ seq, expiresAt }: Lease): void {
    this.put("lease", { seq, expiresAt });
  }

  /** Called in the transaction of each change: records work that an A2A agent must cancel. */
  recordAbandonedWork(task: Task, before: Task): void {
    if (before.terms.executor !== "a2a" || before.agentId === null) return;
    const isGivenUp =
      ["cancelled", "failed"].includes(task.status) || task.attempt > before.attempt;
    if (!isGivenUp || isTerminal(before.status) || before.work["a2a"] === undefined) return;
    this.put("abandoned", { agentId: before.agentId, work: before.work });
  }

  get<Name extends keyof SideValues>(name: Name): SideValues[Name] | null {
    if (!this.#cache.has(name)) {
      this.#cache.set(name, this.#kv.get<SideValues[Name]>(name) ?? null);
    }
    return readCached(this.#cache, name);
  }

  put<Name extends keyof SideValues>(name: Name, value: SideValues[Name]): void {
    this.#kv.put(name, value);
    this.#cache.set(name, value);
  }

  delete(name: keyof SideValues): void {
    if (this.get(name) === null) return;
    this.#kv.delete(name);
    this.#cache.set(name, null);
  }

  clearCache(): void {
    this.#cache.clear();
  }
}

/** Only `get` and `put` fill the map, each name with its own type. */
function readCached<Name extends keyof SideValues>(
  cache: ReadonlyMap<keyof SideValues, unknown>,
  name: Name,
): SideValues[Name] | null {
  return cache.get(name) as SideValues[Name] | null;
}
