/** A promise took longer than it may. What it was doing goes on, unheard. */
export class TimeoutError extends Error {}

/** The outcome of a promise, or TimedOut when it takes longer than `timeoutMs`. */
export async function withTimeout<Value>(
  timeoutMs: number,
  promise: Promise<Value>,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TimeoutError(`No answer in ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
