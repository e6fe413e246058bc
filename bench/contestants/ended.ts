import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Longer than the 30 s that pg-boss gives its jobs to finish, during which its server must run. */
const STOP_MAX_MS = 40_000;

/** Asks a process to end and waits until it has ended; kills it after a timeout. */
export async function endProcess(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  ask();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
  await gone;
  clearTimeout(timer);
}
