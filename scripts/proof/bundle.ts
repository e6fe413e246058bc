import { spawnSync } from "node:child_process";
import { join } from "node:path";

const BUNDLED_WITHIN_MS = 90_000;

/** Bundles a Worker into a folder, as for a deployment. */
export function bundleInto(folder: string, config = "wrangler.toml"): void {
  const wrangler = join("node_modules", "wrangler", "bin", "wrangler.js");
  const args = ["deploy", "--dry-run", "--config", config, "--outdir", folder];
  const built = spawnSync(process.execPath, [wrangler, ...args], {
    encoding: "utf8",
    timeout: BUNDLED_WITHIN_MS,
  });
  if (built.status !== 0) throw new Error(`Bundling the Worker failed: ${built.stderr}`);
}
