import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundleInto } from "../../scripts/proof/bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that contains the Worker's bundle. */
    bundle: string;
  }
}

/** Bundles the Worker once for all test files that start it as a process. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "bosun-bundle-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    bundleInto(folder);
  } catch (error) {
    remove();
    throw error;
  }
  project.provide("bundle", folder);
  project.onTestsRerun(() => bundleInto(folder));
  return remove;
}
