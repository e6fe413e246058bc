/** Shorter than every timeout of the service. */
const LONG_MS = 300;
/** How long a call hangs before the service's timeout is simulated. */
const GRACE_MS = 25;
const LOOK_MS = 10;

type Timer = ReturnType<typeof setTimeout>;

/** When a call started to hang, by `performance.now`. Infinity if none has hung yet. */
export interface Hang {
  readonly hungAt: number;
}

/**
 * Ends the service's timeouts soon after a call starts to hang, because a test cannot wait for the
 * real ones. Before that, timers run normally. Returns a function that restores the timers.
 */
export function shortenTimeouts(hang: Hang): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const running = new Map<number | Timer, Timer>();
  let ids = -1;
  function later(
    callback: (...given: unknown[]) => void,
    ms = 0,
    ...given: unknown[]
  ): Timer | number {
    // A timer that starts after the hang is not the hanging call's timeout.
    const isLater = performance.now() > hang.hungAt + LOOK_MS;
    if (ms < LONG_MS || isLater) return set(callback, ms, ...given);
    const id = ids;
    ids -= 1;
    const overAt = performance.now() + ms;
    let graceLeft = GRACE_MS;
    // Poll with short timers, because a timer fires only in the request context that set it.
    function step(): void {
      if (hang.hungAt < Infinity) graceLeft -= LOOK_MS;
      if (graceLeft > 0 && performance.now() < overAt) {
        running.set(id, set(step, LOOK_MS));
        return;
      }
      running.delete(id);
      callback(...given);
    }
    running.set(id, set(step, LOOK_MS));
    return id;
  }
  function never(id: Timer | number): void {
    clear(running.get(id) ?? id);
  }
  Object.assign(globalThis, { setTimeout: later, clearTimeout: never });
  return () => void Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
}
