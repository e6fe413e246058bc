import { T0 } from "../tasks/model/fixtures.ts";

/** Whose code runs. What one that is gone still had in mind does not happen any more. */
export interface Owner {
  readonly name: string;
  readonly isGone: boolean;
  /** Before each of its effects: this may be its end. */
  strike(effect: string): void;
  /** Lets a message go as soon as it may. */
  send(message: () => void): void;
}

/** Who is no object: nothing ends it, and it has nothing to keep. */
export function createBystander(name: string): Owner {
  return { name, isGone: false, strike: () => {}, send: (message) => message() };
}

const SYSTEM_OWNER = createBystander("world");

/** Many times what the longest life takes. */
const TURNS_MAX = 1_000_000;

interface Due {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner;
  /** Null once it was called off. */
  run: (() => void) | null;
  /** Nothing waits for what it does. */
  readonly isPlain: boolean;
}

/** Time that passes only where something is due. Everything that happens is one turn, done alone. */
export class VirtualClock {
  now = T0;
  /** Whose code runs in the present turn. */
  owner: Owner = SYSTEM_OWNER;
  /** Called when a turn is over, with whose it was. */
  afterTurn: (owner: Owner) => void = () => {};
  readonly #due: Due[] = [];
  #turns = 0;
  readonly #timers = new Map<number, Due>();
  #order = 0;

  after(ms: number, run: () => void, owner: Owner = SYSTEM_OWNER): void {
    this.#push({ at: this.now + ms, order: (this.#order += 1), owner, run, isPlain: false });
  }

  /** The same for what settles no promise, which saves a wait. */
  afterPlain(ms: number, run: () => void): void {
    this.#push({
      at: this.now + ms,
      order: (this.#order += 1),
      owner: SYSTEM_OWNER,
      run,
      isPlain: true,
    });
  }

  /** A timer of whoever runs now, which ends with him. */
  setTimer(run: () => void, ms: number): number {
    const order = (this.#order += 1);
    const due: Due = {
      at: this.now + Math.max(0, ms),
      order,
      owner: this.owner,
      run,
      isPlain: false,
    };
    this.#timers.set(order, due);
    this.#push(due);
    return order;
  }

  clearTimer(order: number): void {
    const due = this.#timers.get(order);
    if (due !== undefined) due.run = null;
    this.#timers.delete(order);
  }

  /** Lets happen what is due up to an instant; whatever comes of one turn is done before the next. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#due[0]; next !== undefined && next.at <= end; next = this.#due[0]) {
      this.#pop();
      this.#timers.delete(next.order);
      if (next.run === null || next.owner.isGone) continue;
      this.now = Math.max(this.now, next.at);
      this.owner = next.owner;
      this.#turns += 1;
      if (this.#turns > TURNS_MAX) throw new Error(`There is no end to this life at ${this.now}`);
      next.run();
      if (next.isPlain) continue;
      // oxlint-disable-next-line no-await-in-loop -- one turn after the other is the point
      await stillness();
      this.afterTurn(this.owner);
    }
    this.owner = SYSTEM_OWNER;
    this.now = Math.max(this.now, end);
  }

  #push(due: Due): void {
    const heap = this.#due;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isSooner(parent, due)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = due;
  }

  #pop(): void {
    const heap = this.#due;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      const right = heap[below + 1];
      if (child === undefined) break;
      if (right !== undefined && isSooner(right, child)) [below, child] = [below + 1, right];
      if (isSooner(last, child)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

function isSooner(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/**
 * Until every promise that can go on has gone on, which is all that the simulated objects wait for: what
 * waits for this machine's timers, its cryptography or `nextTick` would be overtaken.
 */
function stillness(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
