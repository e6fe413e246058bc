import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** How long a process may take to exit before it is killed. */
const STOP_MAX_MS = 40_000;

/** Asks a process to exit and waits until it has; kills it after a timeout. */
export async function endProcess(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  ask();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
  await gone;
  clearTimeout(timer);
}
