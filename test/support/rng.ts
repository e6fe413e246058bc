/**
 * A random number generator with an integer seed. A test case can therefore be a list of integers,
 * which fast-check can shrink.
 */
export class Rng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    // A Weyl sequence with mixing, so adjacent seeds give independent numbers.
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 (inclusive) to `count` (exclusive). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Returns an integer between `least` and `most`, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<const Values extends readonly [unknown, ...unknown[]]>(values: Values): Values[number] {
    return values[this.below(values.length)];
  }
}
