/** Claims that wait for a task, in order of arrival. Like their requests, they exist only in memory. */
export class WaitQueue {
  #waiting: Waiter[] = [];

  wakeNext(): void {
    this.#waiting.shift()?.wake(true);
  }

  wakeAll(): void {
    for (const waiter of this.#waiting.splice(0)) waiter.wake(true);
  }

  /** `isFirst`: the waiter was woken but got no task, so it returns to the front. */
  add(waiter: Waiter, isFirst: boolean): void {
    if (isFirst) this.#waiting.unshift(waiter);
    else this.#waiting.push(waiter);
  }

  remove(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((one) => one !== waiter);
  }
}

/** A claim that waits up to `waitMs` in total. Call `close` when the claim ends. */
export class Waiter {
  /** Whether the client disconnected. */
  isCancelled = false;

  readonly #waitQueue: WaitQueue;
  readonly #timer: ReturnType<typeof setTimeout>;
  #isOver = false;
  #hasWaited = false;
  #resolve: ((isWoken: boolean) => void) | null = null;

  constructor(waitQueue: WaitQueue, waitMs: number) {
    this.#waitQueue = waitQueue;
    this.#timer = setTimeout(() => this.close(), waitMs);
    if (waitMs <= 0) this.close();
  }

  /** Resolves to true when woken, and to false when the time is up. */
  async wait(): Promise<boolean> {
    if (this.#isOver) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#resolve = resolve;
    this.#waitQueue.add(this, this.#hasWaited);
    this.#hasWaited = true;
    return promise;
  }

  wake(isWoken: boolean): void {
    this.#resolve?.(isWoken);
    this.#resolve = null;
  }

  cancel(): void {
    this.isCancelled = true;
    this.close();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#waitQueue.remove(this);
    this.wake(false);
  }
}
