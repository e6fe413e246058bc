/** A system that requests depend on is out of reach: thrown, as an outage of the store is, and answered 503. */
export class Outage extends Error {
  /** What is out of reach, to be read before "cannot be reached". */
  readonly what: string;

  constructor(what: string, reason: string) {
    super(`${what} cannot be reached: ${reason}`);
    this.what = what;
  }
}
