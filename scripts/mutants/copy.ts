import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Generated and local files that are not copied. */
const LEFT_OUT = new Set([".git", ".dev.vars", ".wrangler", "coverage", "demo-output", "dist"]);
/** Cache folders that the copy must not share, or the project would see cached results for mutated files. */
const CACHES = new Set([".cache", ".mf", ".vite", ".vite-temp", ".vitest"]);

export interface Copy {
  readonly root: string;
  remove(): void;
}

/** Copies the project into a separate folder and links the installed packages individually. */
export function copyProject(project: string): Copy {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bosun-mutants-")));
  for (const name of readdirSync(project)) {
    if (LEFT_OUT.has(name) || name === "node_modules") continue;
    cpSync(join(project, name), join(root, name), {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
  }
  const installed = join(project, "node_modules");
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(installed)) {
    if (!CACHES.has(name)) symlinkSync(join(installed, name), join(root, "node_modules", name));
  }
  // The assets need the console, which has packages of its own.
  symlinkSync(join(project, "console/node_modules"), join(root, "console/node_modules"));
  return {
    root,
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}
