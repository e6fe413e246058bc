import { unstable_getMiniflareWorkerOptions as workerOptionsIn } from "wrangler";

/**
 * Reads the Worker's settings from a `wrangler.toml`. Secrets are passed as bindings, because wrangler warns if
 * .dev.vars lacks them.
 */
export function workerOptionsOf(config: string) {
  process.env["WRANGLER_LOG"] ??= "error";
  return workerOptionsIn(config).workerOptions;
}
