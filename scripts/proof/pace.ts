import { setTimeout as pause } from "node:timers/promises";

/** Waits until the time is up or the signal aborts; returns false if it aborted. */
export async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(ms, null, { signal });
    return true;
  } catch {
    return false;
  }
}
