import {
  applyD1Migrations,
  type D1Migration,
  listDurableObjectIds,
  reset,
  runInDurableObject,
} from "cloudflare:test";
import { env, type DurableObject } from "cloudflare:workers";
import { vi } from "vitest";
import { CREW, TEAMS } from "../../src/agents/crew.ts";
import { seedStatements } from "../../src/db/seed.ts";
import { BUILTIN_TOOLS } from "../../src/tools/connectors/builtin/definitions.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      MIGRATIONS: D1Migration[];
    }
  }
}

/** `reset` forgets only what runs: a named object that sleeps would greet the next file as it was. */
async function wakeAll<T extends DurableObject>(
  namespace: DurableObjectNamespace<T>,
): Promise<void> {
  const ids = await listDurableObjectIds(namespace);
  await Promise.all(ids.map((id) => runInDurableObject(namespace.get(id), () => {})));
}

// Files share a runtime, and yet each starts from what a fresh Bosun holds.
vi.useRealTimers();
vi.restoreAllMocks();
const { METERS, KEEPERS, QUEUES, FEED, ONCE } = env;
await Promise.all([
  wakeAll(METERS),
  wakeAll(KEEPERS),
  wakeAll(QUEUES),
  wakeAll(FEED),
  wakeAll(ONCE),
]);
await reset();
await applyD1Migrations(env.DB, env.MIGRATIONS);
const seed = { tools: BUILTIN_TOOLS, teams: TEAMS, crew: CREW };
await env.DB.batch(seedStatements(seed, Date.now()).map((sql) => env.DB.prepare(sql)));
