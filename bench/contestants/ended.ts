import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Longer than the 30 s that pg-boss gives its jobs at the most: its server must not be killed under it. */
const STOP_MAX_MS = 40_000;

/** Asks a process to end and waits until it has; one that takes too long is killed. */
export async function ended(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  ask();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
  await gone;
  clearTimeout(timer);
}
