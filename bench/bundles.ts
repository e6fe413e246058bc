import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundleInto } from "../scripts/proof/bundle.ts";
import { stateFolder } from "../scripts/proof/state.ts";

/** The environment variable that passes the path of the bundle folder to contestants' processes. */
const VARIABLE = "BENCH_BUNDLES";

/** Creates the folder for all bundles, and deletes it when this process exits. */
export function createBundleFolder(): void {
  process.env[VARIABLE] = stateFolder("bundles").path;
}

/** Returns the folder of a Worker's bundle; builds the bundle on first use. */
export function bundleOf(config: string): string {
  const bundle = join(process.env[VARIABLE] ?? "", config.replaceAll("/", "-"));
  if (!existsSync(join(bundle, "index.js"))) bundleInto(bundle, config);
  return bundle;
}
