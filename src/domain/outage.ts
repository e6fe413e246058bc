/** Thrown if a system that requests depend on cannot be reached. Answered with 503. */
export class Outage extends Error {
  /** The system, as the subject of "cannot be reached". */
  readonly what: string;

  constructor(what: string, reason: string) {
    super(`${what} cannot be reached: ${reason}`);
    this.what = what;
  }
}
