import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundleInto } from "../scripts/proof/bundle.ts";
import { stateFolder } from "../scripts/proof/state.ts";

/** The environment variable that passes the folder of all bundles to contestants' processes. */
const VARIABLE = "BENCH_BUNDLES";

/** Creates the folder of all bundles, which is deleted when this process exits. */
export function createBundleFolder(): void {
  process.env[VARIABLE] = stateFolder("bundles").path;
}

/** The folder of a Worker's bundle, which is built once per benchmark. */
export function bundleOf(config: string): string {
  const bundle = join(process.env[VARIABLE] ?? "", config.replaceAll("/", "-"));
  if (!existsSync(join(bundle, "index.js"))) bundleInto(bundle, config);
  return bundle;
}
