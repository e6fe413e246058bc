import type { EgressFailure } from "./contract.ts";

/** The end of one request and of the body that answers it: its time is up, or its caller has gone. */
export interface RequestTimeout {
  readonly signal: AbortSignal;
  /** What ended it, or null while it runs. */
  failure(): EgressFailure | null;
  /** Lets the timer go; after the last byte nothing is left to end. */
  clear(): void;
}

/**
 * Starts a deadline `leftMs` from now; `timeoutMs` is the whole time, as a fault tells it. Errors that
 * the runtime throws on abort are copies, so `fault` looks at the clock's own signal, not at them.
 */
export function startTimeout(
  leftMs: number,
  timeoutMs: number,
  caller: AbortSignal | null = null,
): RequestTimeout {
  const timeoutController = new AbortController();
  function abort(): void {
    timeoutController.abort(new Error("The time is up"));
  }
  const timer = setTimeout(abort, leftMs);
  if (leftMs <= 0) abort();
  return {
    signal:
      caller === null
        ? timeoutController.signal
        : AbortSignal.any([timeoutController.signal, caller]),
    failure() {
      if (timeoutController.signal.aborted) return { kind: "timeout", timeoutMs };
      if (caller?.aborted !== true) return null;
      return { kind: "unreachable", reason: "the request was called off" };
    },
    clear() {
      clearTimeout(timer);
    },
  };
}
