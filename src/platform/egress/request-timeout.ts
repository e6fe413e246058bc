import type { EgressFailure } from "./contract.ts";

/** Ends one request and its response when the time is up or the caller aborts. */
export interface RequestTimeout {
  readonly signal: AbortSignal;
  /** Why the request ended early; null if it did not. */
  failure(): EgressFailure | null;
  /** Clears the timer. Call this after the last byte. */
  clear(): void;
}

/**
 * Starts a timeout that ends after `leftMs`; `timeoutMs` is the total time that the failure reports. The errors that
 * the runtime throws on abort are copies, so `failure` reads the signal instead.
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
      return { kind: "unreachable", reason: "the request was aborted" };
    },
    clear() {
      clearTimeout(timer);
    },
  };
}
