import type { EgressFault } from "./contract.ts";

/** The end of one request and of the body that answers it: its time is up, or its caller has gone. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What ended it, or null while it runs. */
  fault(): EgressFault | null;
  /** Lets the timer go; after the last byte nothing is left to end. */
  clear(): void;
}

/**
 * Starts a deadline `leftMs` from now; `timeoutMs` is the whole time, as a fault tells it. Errors that
 * the runtime throws on abort are copies, so `fault` looks at the clock's own signal, not at them.
 */
export function startDeadline(
  leftMs: number,
  timeoutMs: number,
  caller: AbortSignal | null = null,
): Deadline {
  const clock = new AbortController();
  function stop(): void {
    clock.abort(new Error("The time is up"));
  }
  const timer = setTimeout(stop, leftMs);
  if (leftMs <= 0) stop();
  return {
    signal: caller === null ? clock.signal : AbortSignal.any([clock.signal, caller]),
    fault() {
      if (clock.signal.aborted) return { kind: "timeout", timeoutMs };
      if (caller?.aborted !== true) return null;
      return { kind: "unreachable", reason: "the request was called off" };
    },
    clear() {
      clearTimeout(timer);
    },
  };
}
