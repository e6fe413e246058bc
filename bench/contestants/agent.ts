import { serveWorker } from "./worker.ts";

await serveWorker({ config: "bench/workers/agent/wrangler.toml" });
