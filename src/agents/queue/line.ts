/** Claims that wait for a task, the first come first. In memory alone, as those who wait are. */
export class Line {
  #waiting: Visitor[] = [];

  /** Somebody who is ready to wait this long in all, in milliseconds. */
  join(waitMs: number): Visitor {
    return new Visitor(this, waitMs);
  }

  /** Calls up the first, if anybody waits. */
  callNext(): void {
    this.#waiting.shift()?.called(true);
  }

  callAll(): void {
    for (const visitor of this.#waiting.splice(0)) visitor.called(true);
  }

  /** Who was called up in vain goes back to the front. */
  stand(visitor: Visitor, isFirst: boolean): void {
    if (isFirst) this.#waiting.unshift(visitor);
    else this.#waiting.push(visitor);
  }

  drop(visitor: Visitor): void {
    this.#waiting = this.#waiting.filter((one) => one !== visitor);
  }
}

/** One who waits; to be told `leave` at the end. */
export class Visitor {
  readonly #line: Line;
  readonly #timer: ReturnType<typeof setTimeout>;
  #isOver = false;
  #hasGivenUp = false;
  #hasStood = false;
  #answer: ((isMyTurn: boolean) => void) | null = null;

  constructor(line: Line, waitMs: number) {
    this.#line = line;
    this.#timer = setTimeout(() => this.#end(), waitMs);
    if (waitMs <= 0) this.#end();
  }

  /** Whether nobody is there any more to take what it gets. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** True when called up, false when the time is over. */
  async turn(): Promise<boolean> {
    if (this.#isOver) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#answer = resolve;
    this.#line.stand(this, this.#hasStood);
    this.#hasStood = true;
    return promise;
  }

  called(isMyTurn: boolean): void {
    this.#answer?.(isMyTurn);
    this.#answer = null;
  }

  leave(): void {
    this.#end();
  }

  giveUp(): void {
    this.#hasGivenUp = true;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#line.drop(this);
    this.called(false);
  }
}
