import type { Chance } from "./chance.ts";

/** How many of the newest tasks get most of the attention. */
const RECENT = 40;
const RECENT_SHARE = 0.8;

/** The tasks that clients know of, and whether the load is over. */
export class Board {
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

  /** Mostly one of those that came last; null while there is none. */
  draw(chance: Chance): string | null {
    if (this.#list.length === 0) return null;
    const isRecent = chance.isHit(RECENT_SHARE);
    return chance.pick(isRecent ? this.#list.slice(-RECENT) : this.#list);
  }
}
