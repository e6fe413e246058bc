import { fill } from "../../scripts/proof/bosun.ts";
import { serveWorker } from "./worker.ts";

// Its D1 database has the same schema as a new Bosun deployment, so it has the same directory table and indexes.
await serveWorker({ config: "bench/workers/bare/wrangler.toml", fill });
