import type { Rng } from "./rng.ts";

/** How many of the latest tasks count as recent. */
const RECENT = 40;
const RECENT_SHARE = 0.8;

/** The tasks that clients know, and whether the load is over. */
export class KnownTasks {
  readonly #ids = new Set<string>();
  readonly #list: string[] = [];
  readonly over = new AbortController();

  get isOver(): boolean {
    return this.over.signal.aborted;
  }

  get ids(): readonly string[] {
    return this.#list;
  }

  add(taskId: string): void {
    if (this.#ids.has(taskId)) return;
    this.#ids.add(taskId);
    this.#list.push(taskId);
  }

  /** Draws a task, mostly a recent one; null if there is none. */
  draw(rng: Rng): string | null {
    if (this.#list.length === 0) return null;
    const isRecent = rng.isHit(RECENT_SHARE);
    return rng.pick(isRecent ? this.#list.slice(-RECENT) : this.#list);
  }
}
