import { fill } from "../../scripts/proof/bosun.ts";
import { serveWorker } from "./worker.ts";

// Its D1 has the schema of a new Bosun: the same table with the same indexes.
await serveWorker({ config: "bench/workers/bare/wrangler.toml", fill });
