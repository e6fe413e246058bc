import { withdrawnIdsOf } from "../model/approvals.ts";
import type { SideValues } from "../model/side-values.ts";
import { isAwaitingAgent, type Task } from "../model/task.ts";
import { abandonedWorkOf } from "../model/turn.ts";

/** Task state that is not in the log because no reader of the log needs it. Each value is one row. */
export class SideState {
  readonly #kv: SyncKvStorage;
  /** Values that have already been read or written. Cleared when a transaction is rolled back. */
  #cache: { [Name in keyof SideValues]?: SideValues[Name] | null } = {};

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The task with its lease as last renewed by a heartbeat. */
  withStoredLease(task: Task): Task {
    const { lease } = task;
    const renewed = lease === null ? null : this.get("lease");
    if (lease === null || renewed === null || renewed.seq !== lease.seq) return task;
    const expiresAt = Math.max(lease.expiresAt, renewed.expiresAt);
    return { ...task, lease: { ...lease, expiresAt } };
  }

  get<Name extends keyof SideValues>(name: Name): SideValues[Name] | null {
    const cached = this.#cache[name];
    if (cached !== undefined) return cached;
    const stored = this.#kv.get<SideValues[Name]>(name) ?? null;
    this.#cache[name] = stored;
    return stored;
  }

  put<Name extends keyof SideValues>(name: Name, value: SideValues[Name]): void {
    this.#kv.put(name, value);
    this.#cache[name] = value;
  }

  delete(name: keyof SideValues): void {
    if (this.get(name) === null) return;
    this.#kv.delete(name);
    this.#cache[name] = null;
  }

  clearCache(): void {
    this.#cache = {};
  }

  /** Records a platform failure at `now` and returns how long the outage has lasted, in milliseconds. */
  recordOutage(now: number): number {
    const since = this.get("faultSince");
    if (since === null) this.put("faultSince", now);
    return now - (since ?? now);
  }

  /**
   * Records the work that an A2A agent must cancel and the approvals to withdraw. Ends the outage if the attempt is over
   * or the task is waiting for people.
   */
  recordChange(before: Task, task: Task): void {
    const abandoned = abandonedWorkOf(task, before);
    if (abandoned !== null) this.put("abandoned", abandoned);
    const withdrawn = withdrawnIdsOf(task, before);
    if (withdrawn !== null) this.put("withdrawn", [...(this.get("withdrawn") ?? []), ...withdrawn]);
    if (!isAwaitingAgent(task.status) || task.attempt > before.attempt) this.endOutage();
  }

  endOutage(): void {
    this.delete("faultSince");
  }
}
