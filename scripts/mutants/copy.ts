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

/** What is made anew, is somebody's own, or is linked. */
const LEFT_OUT = new Set([".git", ".dev.vars", ".wrangler", "coverage", "demo-output", "dist"]);
/** Caches are written to; those of the project must not see what mutants make of its files. */
const CACHES = new Set([".cache", ".mf", ".vite", ".vite-temp", ".vitest"]);

export interface Copy {
  readonly root: string;
  remove(): void;
}

/** The project as it lies there, in a folder of its own; what is installed is linked, package by package. */
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
  return {
    root,
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}
