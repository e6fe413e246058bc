import { applyD1Migrations, type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { SEED_AGENTS, SEED_TEAMS } from "../../src/agents/model/seed-agents.ts";
import { invalidateAgents } from "../../src/agents/agent-cache.ts";
import { clearCountCache } from "../../src/tasks/directory/sharded-directory.store.ts";
import { buildSeedStatements } from "../../src/platform/d1/seed.ts";
import { listDirectoryDatabases } from "../../src/platform/d1/shards.ts";
import { BUILTIN_TOOLS } from "../../src/builtin/tools/definitions.ts";
import { forEachUsedObject, forgetUsedObjects, wakeNamedObjects } from "./used-objects.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      MIGRATIONS: D1Migration[];
      SHARD_1: D1Database;
      SHARD_2: D1Database;
    }
  }
}

/** Makes everything what it is in a fresh Bosun: storage, clock, mocks. */
export async function resetService(): Promise<void> {
  vi.useRealTimers();
  vi.restoreAllMocks();
  // What the isolate remembers of agents and totals is of the file before.
  invalidateAgents();
  clearCountCache();
  // Later files may ask for these by the same name, and `reset` forgets only what runs.
  await wakeNamedObjects();
  // Whoever is asked for from here on is used by what comes.
  forgetUsedObjects();
  await reset();
  for (const database of listDirectoryDatabases(env))
    await applyD1Migrations(database, env.MIGRATIONS);
  const seed = { tools: BUILTIN_TOOLS, teams: SEED_TEAMS, agents: SEED_AGENTS };
  await env.DB.batch(buildSeedStatements(seed, Date.now()).map((sql) => env.DB.prepare(sql)));
}

/**
 * Ends the alarms by which the feed and webhooks talk to each other: between two files nobody would load
 * their modules. (What a `reset` would end with them may be under way, which the runtime does not survive.)
 */
export async function endAlarms(): Promise<void> {
  await forEachUsedObject([env.FEED, env.WEBHOOKS], ({ storage }) => storage.deleteAlarm());
}
