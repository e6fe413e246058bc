import { existsSync } from "node:fs";
import { join } from "node:path";
import { bundleInto } from "../scripts/proof/bundle.ts";
import { stateFolder } from "../scripts/proof/state.ts";

/** How contestants' processes learn where bundles lie. */
const VARIABLE = "BENCH_BUNDLES";

/** Makes the folder of all bundles, which lasts as long as this process. */
export function keepBundles(): void {
  process.env[VARIABLE] = stateFolder("bundles").path;
}

/** The folder of a Worker's bundle, which is made once in a benchmark. */
export function bundleOf(config: string): string {
  const bundle = join(process.env[VARIABLE] ?? "", config.replaceAll("/", "-"));
  if (!existsSync(join(bundle, "index.js"))) bundleInto(bundle, config);
  return bundle;
}
