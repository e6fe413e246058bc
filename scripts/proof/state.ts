import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An in-memory file system if there is one, because runs should not depend on this machine's disk. */
export const STATE_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** A process that was just killed may still write while its folder is deleted. */
const RETRIES = 5;

/**
 * Creates a temporary folder and returns a function that deletes it. The folder is also deleted when this process
 * exits.
 */
export function stateFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(STATE_FOLDER, `bosun-${name}-`));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(path, { recursive: true, force: true, maxRetries: RETRIES });
  };
  process.once("exit", remove);
  return { path, remove };
}
