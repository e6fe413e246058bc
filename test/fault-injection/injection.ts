import type { Binding, CallInterceptor } from "./interpose-bindings.ts";

/**
 * `before`: the call fails without being executed. `after`: the call is executed and then fails.
 * `hang`: the call does not settle until the fault is lifted. `duplicate`: the call is executed
 * twice.
 */
export const FAULT_MODES = ["before", "after", "hang", "duplicate"] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/** A fault in the `nth` call to a binding, counted from 1. */
export interface Fault {
  readonly binding: Binding;
  readonly mode: FaultMode;
  readonly nth: number;
}

const LOOK_MS = 3;
const LANDING_MAX_MS = 100;

/**
 * Injects at most one fault into a scenario. Once lifted, the fault no longer occurs. Objects and
 * the test communicate through fields that they poll, because code that awaits a promise resolved
 * by another request would continue in that request and end with it.
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

  /** When a call started to hang, by `performance.now`. Infinity if none has hung. */
  get hungAt(): number {
    return this.#hungAt;
  }

  get isHung(): boolean {
    return this.#hungAt < Infinity;
  }

  /** Returns the mode of the fault that occurred at a binding, or null if none did. */
  modeOf(binding: Binding): FaultMode | null {
    return this.#hasFired && this.#fault?.binding === binding ? this.#fault.mode : null;
  }

  /** Returns the number of calls to a binding before the fault was lifted. */
  calls(binding: Binding): number {
    return this.#calls.get(binding) ?? 0;
  }

  /** Lifts the fault. No more calls fail, and hanging calls proceed. */
  lift(): void {
    this.#isLifted = true;
  }

  /** Waits briefly for the hung call to complete. Its caller may no longer exist. */
  async landed(): Promise<void> {
    const giveUpAt = performance.now() + LANDING_MAX_MS;
    while (this.#isLate && performance.now() < giveUpAt) await scheduler.wait(LOOK_MS);
  }

  /** Returns the result of the work, or undefined if a call has hung for `patienceMs`. */
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

/**
 * Returns an error with the same message and properties as the platform's own error for an
 * unavailable binding.
 */
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
