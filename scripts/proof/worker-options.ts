import { unstable_getMiniflareWorkerOptions as workerOptionsIn } from "wrangler";

/** What a `wrangler.toml` says of its Worker. Secrets come as bindings here: wrangler would miss them in .dev.vars. */
export function workerOptionsOf(config: string) {
  process.env["WRANGLER_LOG"] ??= "error";
  return workerOptionsIn(config).workerOptions;
}
