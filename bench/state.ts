import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** All contestants keep their state in memory where there is a file system for that: disks differ too much. */
export const STATE_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A folder for a contestant's state, and how to take it away again. */
export function stateFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(STATE_FOLDER, "bosun-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
