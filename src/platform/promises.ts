/** Thrown when a promise exceeds its timeout. The work continues, but its result is ignored. */
export class TimeoutError extends Error {}

/** Settles like `promise`, or rejects with a TimeoutError after `timeoutMs`. */
export function withTimeout<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const message = `No response within ${timeoutMs} ms`;
  const timer = setTimeout(() => reject(new TimeoutError(message)), timeoutMs);
  return Promise.race([promise, timedOut]).finally(() => clearTimeout(timer));
}

/** A promise that resolves when `signal` aborts. `clear` removes its listener. */
export function onAbort(signal: AbortSignal): {
  readonly aborted: Promise<null>;
  readonly clear: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = (): void => resolve(null);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return { aborted: promise, clear: () => signal.removeEventListener("abort", end) };
}

/** Waits for `ms`, or until `signal` aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  const { aborted, clear } = onAbort(signal);
  await Promise.race([elapsed, aborted]);
  clearTimeout(timer);
  clear();
}

/** Runs `step` in `loops` concurrent loops; each loop ends when `step` returns false. */
export async function runConcurrently(loops: number, step: () => Promise<boolean>): Promise<void> {
  const run = async (): Promise<void> => {
    for (let goesOn = true; goesOn;) goesOn = await step();
  };
  await Promise.all(Array.from({ length: loops }, run));
}
