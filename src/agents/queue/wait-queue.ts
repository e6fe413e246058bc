/** Claims that wait for a task, the first come first. In memory alone, as those who wait are. */
export class WaitQueue {
  #waiting: Waiter[] = [];

  /** Somebody who is ready to wait this long in all, in milliseconds. */
  createWaiter(waitMs: number): Waiter {
    return new Waiter(this, waitMs);
  }

  /** Calls up the first, if anybody waits. */
  wakeNext(): void {
    this.#waiting.shift()?.wake(true);
  }

  wakeAll(): void {
    for (const visitor of this.#waiting.splice(0)) visitor.wake(true);
  }

  /** Who was called up in vain goes back to the front. */
  add(visitor: Waiter, isFirst: boolean): void {
    if (isFirst) this.#waiting.unshift(visitor);
    else this.#waiting.push(visitor);
  }

  remove(visitor: Waiter): void {
    this.#waiting = this.#waiting.filter((one) => one !== visitor);
  }
}

/** One who waits; to be told `leave` at the end. */
export class Waiter {
  readonly #waitQueue: WaitQueue;
  readonly #timer: ReturnType<typeof setTimeout>;
  #isOver = false;
  #isCancelled = false;
  #hasWaited = false;
  #resolve: ((isMyTurn: boolean) => void) | null = null;

  constructor(line: WaitQueue, waitMs: number) {
    this.#waitQueue = line;
    this.#timer = setTimeout(() => this.#end(), waitMs);
    if (waitMs <= 0) this.#end();
  }

  /** Whether nobody is there any more to take what it gets. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** True when called up, false when the time is over. */
  async wait(): Promise<boolean> {
    if (this.#isOver) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#resolve = resolve;
    this.#waitQueue.add(this, this.#hasWaited);
    this.#hasWaited = true;
    return promise;
  }

  wake(isMyTurn: boolean): void {
    this.#resolve?.(isMyTurn);
    this.#resolve = null;
  }

  close(): void {
    this.#end();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#waitQueue.remove(this);
    this.wake(false);
  }
}
