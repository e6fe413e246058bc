import type { Binding, CallInterceptor } from "./interpose-bindings.ts";

/** `after`: the effect has happened and an error is answered. `hang`: no answer before the fault is lifted. */
export const FAULT_MODES = ["before", "after", "hang", "duplicate"] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/** What is to befall the `nth` call of a binding, from 1. */
export interface Fault {
  readonly binding: Binding;
  readonly mode: FaultMode;
  readonly nth: number;
}

const LOOK_MS = 3;
const LANDING_MAX_MS = 100;

/**
 * One fault on its way into a journey; it strikes once, and never after it was lifted. Objects and the test
 * tell each other by what is written down here, and look for it themselves: who waits for a promise that
 * another's request resolves goes on within that request, and ends with it.
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

  /** When a call began to hang, by `performance.now`. */
  get hungAt(): number {
    return this.#hungAt;
  }

  get isHung(): boolean {
    return this.#hungAt < Infinity;
  }

  /** In what manner a call of a binding was befallen; null: in none. */
  modeOf(binding: Binding): FaultMode | null {
    return this.#hasFired && this.#fault?.binding === binding ? this.#fault.mode : null;
  }

  /** How often a binding was called. */
  calls(binding: Binding): number {
    return this.#calls.get(binding) ?? 0;
  }

  /** No call fails any more, and those that hang go on: late, as messages that were held up do. */
  lift(): void {
    this.#isLifted = true;
  }

  /** Waits for a call that went on late; not for long, as whoever made it may be gone. */
  async landed(): Promise<void> {
    const giveUpAt = performance.now() + LANDING_MAX_MS;
    while (this.#isLate && performance.now() < giveUpAt) await scheduler.wait(LOOK_MS);
  }

  /** What the work comes to, or undefined where a call has hung for so long meanwhile. */
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
        // Whoever called hears of the first alone.
        await real().catch(() => null);
        return first;
      }
    }
  };
}

/** An error as the platform words it, and marks it, when a binding is out of reach. */
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
