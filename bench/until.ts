import { setTimeout as pause } from "node:timers/promises";

/** Waits until something is so, and looks every `everyMs`; an error that begins with `what` when it is not in time. */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`${what} within ${withinMs} ms`);
    await pause(everyMs);
  }
}
