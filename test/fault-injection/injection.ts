import type { Binding, CallInterceptor } from "./interpose-bindings.ts";

/** `after`: the call is executed, then fails. `hang`: the call does not settle before the fault is lifted. */
export const FAULT_MODES = ["before", "after", "hang", "duplicate"] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/** The fault of the `nth` call of a binding, from 1. */
export interface Fault {
  readonly binding: Binding;
  readonly mode: FaultMode;
  readonly nth: number;
}

const LOOK_MS = 3;
const LANDING_MAX_MS = 100;

/**
 * One fault in a scenario; it occurs at most once, and never after it was lifted. Objects and the test
 * communicate through fields that they poll: code that awaits a promise resolved by another request would
 * continue in that request and end with it.
 */
export class Injection {
  readonly #fault: Fault | null;
  readonly #calls = new Map<Binding, number>();
  #isLifted = false;
  #hasFired = false;
  #hungAt = Infinity;
  #isLate = false;

  constructor(fault: Fault | null) {
    this.#fault = fault;
  }

  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** When a call started to hang, by `performance.now`. */
  get hungAt(): number {
    return this.#hungAt;
  }

  get isHung(): boolean {
    return this.#hungAt < Infinity;
  }

  /** The mode of the fault that occurred at a binding, or null. */
  modeOf(binding: Binding): FaultMode | null {
    return this.#hasFired && this.#fault?.binding === binding ? this.#fault.mode : null;
  }

  /** The number of calls of a binding. */
  calls(binding: Binding): number {
    return this.#calls.get(binding) ?? 0;
  }

  /** Lifts the fault: no more calls fail, and hanging calls proceed late. */
  lift(): void {
    this.#isLifted = true;
  }

  /** Waits briefly for a late call; its caller may be gone. */
  async landed(): Promise<void> {
    const giveUpAt = performance.now() + LANDING_MAX_MS;
    while (this.#isLate && performance.now() < giveUpAt) await scheduler.wait(LOOK_MS);
  }

  /** The result of the work, or undefined if a call has hung for this long. */
  async unlessHung<Value>(work: Promise<Value>, patienceMs: number): Promise<Value | undefined> {
    const beganAt = performance.now();
    const working = { isDone: false };
    const impatience = async (): Promise<Value | undefined> => {
      while (!working.isDone && performance.now() < Math.max(beganAt, this.#hungAt) + patienceMs)
        await scheduler.wait(LOOK_MS);
      return working.isDone ? work : undefined;
    };
    return Promise.race([work.finally(() => (working.isDone = true)), impatience()]);
  }

  readonly intercept: CallInterceptor = async (binding, real) => {
    if (this.#isLifted) return real();
    const nth = this.calls(binding) + 1;
    this.#calls.set(binding, nth);
    const fault = this.#fault;
    if (fault === null || fault.binding !== binding || fault.nth !== nth) return real();
    this.#hasFired = true;
    switch (fault.mode) {
      case "before":
        throw outageOf(binding);
      case "after":
        await real();
        throw outageOf(binding);
      case "hang":
        this.#hungAt = performance.now();
        this.#isLate = true;
        while (!this.#isLifted) await scheduler.wait(LOOK_MS);
        return real().finally(() => {
          this.#isLate = false;
        });
      case "duplicate": {
        const first = await real();
        // The caller receives only the first result.
        await real().catch(() => null);
        return first;
      }
    }
  };
}

/** An error with the text and properties of the platform's own when a binding is unavailable. */
function outageOf(binding: Binding): Error {
  switch (binding) {
    case "DB":
      return new Error("D1_ERROR: Network connection lost.");
    case "FILES":
      return new Error("put: We encountered an internal error. Please try again. (10001)");
    case "TURNS":
      return new Error("Queue sendBatch failed: Internal Server Error");
    default:
      return Object.assign(new Error("Network connection lost."), { retryable: true });
  }
}
