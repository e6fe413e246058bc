import { fill, SECRETS } from "../../scripts/proof/bosun.ts";
import { serveWorker } from "./worker.ts";

// BENCH_PAUSE_MS is the pause before each step, including the first. BENCH_DATABASES is the number of directory
// databases.
const databases = Number(process.env["BENCH_DATABASES"] ?? "1");
await serveWorker({
  config: "wrangler.toml",
  bindings: {
    ...SECRETS,
    AGENT_STEP_INTERVAL_MS: process.env["BENCH_PAUSE_MS"] ?? "0",
    ALLOW_PRIVATE_EGRESS: "true",
    DIRECTORY_SHARDS: String(databases),
  },
  fill,
  databases: Array.from({ length: databases - 1 }, (_, place) => `DIRECTORY_${place + 1}`),
});
