import { setTimeout as pause } from "node:timers/promises";

/** Waits, or less long when it is called off; false when it was. */
export async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(ms, null, { signal });
    return true;
  } catch {
    return false;
  }
}
