/** Shorter than any time after which the service itself gives a call up. */
const LONG_MS = 300;
/** What a call that hangs has left before the service's patience with it is taken to be over. */
const GRACE_MS = 25;
const LOOK_MS = 10;

type Timer = ReturnType<typeof setTimeout>;

/** When a call began to hang, by `performance.now`; Infinity until then. */
export interface Hang {
  readonly hungAt: number;
}

/**
 * Lets the service's patience end soon after a call has begun to hang, as a test cannot wait for as long
 * as the service would. Until then each timer takes the time that it was set for. Answers how to end it.
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
    // Whoever begins to wait later does not wait for the call that hangs.
    const isLater = performance.now() > hang.hungAt + LOOK_MS;
    if (ms < LONG_MS || isLater) return set(callback, ms, ...given);
    const id = ids;
    ids -= 1;
    const overAt = performance.now() + ms;
    let graceLeft = GRACE_MS;
    // In steps, as a timer can be set only by those for whom it is to go off.
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
