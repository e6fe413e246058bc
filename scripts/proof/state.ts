import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In memory where there is a file system for that: what is measured is the service, not this machine's disk. */
const STATE_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** What was killed just now may still be writing while its folder goes. */
const RETRIES = 5;

/** A folder for the state of what is started here, and how to take it away; it goes with this process at the latest. */
export function stateFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(STATE_FOLDER, `bosun-${name}-`));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(path, { recursive: true, force: true, maxRetries: RETRIES });
  };
  process.once("exit", remove);
  return { path, remove };
}
