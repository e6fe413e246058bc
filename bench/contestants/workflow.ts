import { serveWorker } from "./worker.ts";

await serveWorker({ config: "bench/workers/workflow/wrangler.toml" });
