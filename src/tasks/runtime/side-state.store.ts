import type { Lease } from "../model/lease.ts";
import { isTerminal, type Task } from "../model/task.ts";
import type { AbandonedWork, DispatchedTurn } from "../model/turn.ts";

interface Values {
  /** The end of the last lease that a heartbeat has put off. */
  lease: { readonly seq: number; readonly expiresAt: number };
  turn: DispatchedTurn;
  abandoned: AbandonedWork;
}

/**
 * What the object keeps beside its log, as no line of the log would tell anybody anything: heartbeats,
 * turns on their way, word that is still to be sent. Each is one row, written in the log's transaction.
 */
export class SideState {
  readonly #kv: SyncKvStorage;
  /** What was read or written before; a transaction that fails clears it. */
  readonly #known = new Map<keyof Values, unknown>();

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The task with its lease as heartbeats have left it. */
  withStoredLease(task: Task): Task {
    const { lease } = task;
    const beat = lease === null ? null : this.get("lease");
    if (lease === null || beat === null || beat.seq !== lease.seq) return task;
    const expiresAt = Math.max(lease.expiresAt, beat.expiresAt);
    return { ...task, lease: { ...lease, expiresAt } };
  }

  saveLease({ seq, expiresAt }: Lease): void {
    this.put("lease", { seq, expiresAt });
  }

  /** To be called in the transaction of each change, whoever it is that ends an agent's work elsewhere. */
  recordAbandonedWork(task: Task, before: Task): void {
    if (before.terms.executor !== "a2a" || before.agentId === null) return;
    const isGivenUp =
      ["cancelled", "failed"].includes(task.status) || task.attempt > before.attempt;
    if (!isGivenUp || isTerminal(before.status) || before.work["a2a"] === undefined) return;
    this.put("abandoned", { agentId: before.agentId, work: before.work });
  }

  get<Name extends keyof Values>(name: Name): Values[Name] | null {
    if (!this.#known.has(name)) this.#known.set(name, this.#kv.get<Values[Name]>(name) ?? null);
    return knownValue(this.#known, name);
  }

  put<Name extends keyof Values>(name: Name, value: Values[Name]): void {
    this.#kv.put(name, value);
    this.#known.set(name, value);
  }

  delete(name: keyof Values): void {
    if (this.get(name) === null) return;
    this.#kv.delete(name);
    this.#known.set(name, null);
  }

  /** What was put is undone with its transaction. */
  clearCache(): void {
    this.#known.clear();
  }
}

/** Only `get` and `put` fill the map, each name with its own type. */
function knownValue<Name extends keyof Values>(
  known: ReadonlyMap<keyof Values, unknown>,
  name: Name,
): Values[Name] | null {
  return known.get(name) as Values[Name] | null;
}
