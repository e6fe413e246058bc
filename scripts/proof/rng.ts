/** A random number generator whose results depend only on its seed, not on timing. */
export class Rng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A separate generator, so that one client's pace does not change another's draws. */
  branch(name: string): Rng {
    let seed = this.#state;
    for (const character of name) seed = Math.imul(seed ^ character.charCodeAt(0), 0x01000193);
    return new Rng(seed);
  }

  /** A number from 0 to less than 1, generated with mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  isHit(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new Error("There must be at least one item to pick");
    return item;
  }

  /** Draws a name with a probability proportional to its weight. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = namesOf(weights).map((name) => ({ name, weight: weights[name] }));
    let left = this.next() * entries.reduce((sum, { weight }) => sum + weight, 0);
    for (const { name, weight } of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries).name;
  }

  /**
   * Returns a function that draws names like cards. Each round contains every name as often as `counts` says, in random
   * order, so even a short run draws rare names.
   */
  deck<Name extends string>(counts: Readonly<Record<Name, number>>): () => Name {
    const cards = namesOf(counts).flatMap((name) => Array<Name>(counts[name]).fill(name));
    let left: Name[] = [];
    return () => {
      if (left.length === 0) left = [...cards];
      const [drawn] = left.splice(this.integer(0, left.length - 1), 1);
      if (drawn === undefined) throw new Error("A deck must have at least one card");
      return drawn;
    };
  }
}

/** The keys of a complete record. */
function namesOf<Name extends string>(record: Readonly<Record<Name, number>>): Name[] {
  return Object.keys(record) as Name[];
}
