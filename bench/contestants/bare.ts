import { fill } from "../../scripts/proof/bosun.ts";
import { serveWorker } from "./worker.ts";

// Its D1 is a fresh Bosun's: the same table with the same indexes.
await serveWorker({ config: "bench/workers/bare/wrangler.toml", fill });
