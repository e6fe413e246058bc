import { fill } from "../../scripts/proof/bosun.ts";
import { serveWorker } from "./worker.ts";

// Its D1 database has the schema of a new Bosun deployment, so the table and its indexes are the same.
await serveWorker({ config: "bench/workers/bare/wrangler.toml", fill });
