import { unstable_getMiniflareWorkerOptions as workerOptionsIn } from "wrangler";

/** The Worker's settings in a `wrangler.toml`. Secrets are passed as bindings, because wrangler warns if .dev.vars lacks them. */
export function workerOptionsOf(config: string) {
  process.env["WRANGLER_LOG"] ??= "error";
  return workerOptionsIn(config).workerOptions;
}
