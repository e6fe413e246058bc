import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In memory where there is a file system for that: what is measured is the service, not this machine's disk. */
const STATE_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A folder for the state of what is started here, and how to take it away again. */
export function stateFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(STATE_FOLDER, `bosun-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
