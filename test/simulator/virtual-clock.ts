import { T0 } from "../tasks/model/fixtures.ts";

/** The owner of running code. Once an owner has ended, its remaining work never runs. */
export interface Owner {
  readonly name: string;
  readonly isGone: boolean;
  /** Called before each effect, and may end the owner. */
  strike(effect: string): void;
  /** Sends a message as soon as the owner's output gate allows it. */
  send(message: () => void): void;
}

/** Creates an owner that is not an object. It never ends and has no storage. */
export function createBystander(name: string): Owner {
  return { name, isGone: false, strike: () => {}, send: (message) => message() };
}

const SYSTEM_OWNER = createBystander("world");

/** Far more turns than the longest run needs. */
const TURNS_MAX = 1_000_000;

interface Due {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner;
  /** Null after cancellation. */
  run: (() => void) | null;
  /** Whether the turn settles no promises. */
  readonly isPlain: boolean;
}

/** A clock that advances only to the next due turn. Turns run one at a time. */
export class VirtualClock {
  now = T0;
  /** The owner of the current turn. */
  owner: Owner = SYSTEM_OWNER;
  /** Called with the current owner after each turn that may settle promises. */
  afterTurn: (owner: Owner) => void = () => {};
  readonly #due: Due[] = [];
  #turns = 0;
  readonly #timers = new Map<number, Due>();
  #order = 0;

  after(ms: number, run: () => void, owner: Owner = SYSTEM_OWNER): void {
    this.#push({ at: this.now + ms, order: (this.#order += 1), owner, run, isPlain: false });
  }

  /** Like `after`, for a callback that settles no promises. Saves a wait. */
  afterPlain(ms: number, run: () => void): void {
    this.#push({
      at: this.now + ms,
      order: (this.#order += 1),
      owner: SYSTEM_OWNER,
      run,
      isPlain: true,
    });
  }

  /** Sets a timer that belongs to the current owner and ends with it. */
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

  /** Runs all turns due by `end`. Each turn completes before the next one starts. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#due[0]; next !== undefined && next.at <= end; next = this.#due[0]) {
      this.#pop();
      this.#timers.delete(next.order);
      if (next.run === null || next.owner.isGone) continue;
      this.now = Math.max(this.now, next.at);
      this.owner = next.owner;
      this.#turns += 1;
      if (this.#turns > TURNS_MAX)
        throw new Error(`The run does not end: more than ${TURNS_MAX} turns until ${this.now}`);
      next.run();
      if (next.isPlain) continue;
      await untilIdle();
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
 * Resolves once all runnable promise callbacks have run. Simulated objects await nothing else. If
 * code waited for real timers, cryptography or `nextTick`, the clock would not wait for it.
 */
function untilIdle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
