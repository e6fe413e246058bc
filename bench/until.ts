import { setTimeout as pause } from "node:timers/promises";

/** Checks a condition every `everyMs` until it holds. After `withinMs`, throws an error that starts with `what`. */
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
