import { applyD1Migrations, type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { SEED_AGENTS, SEED_TEAMS } from "../../src/agents/model/seed-agents.ts";
import { invalidateAgents } from "../../src/agents/agent-cache.ts";
import { clearCountCache } from "../../src/tasks/directory/sharded-directory.store.ts";
import { buildSeedStatements } from "../../src/platform/d1/seed.ts";
import { listDirectoryDatabases } from "../../src/platform/d1/client.ts";
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

/** Resets the clock and all mocks, and restores storage to the state of a new deployment. */
export async function resetService(): Promise<void> {
  vi.useRealTimers();
  vi.restoreAllMocks();
  // The isolate still has the previous file's caches of agents and totals.
  invalidateAgents();
  clearCountCache();
  // Later files may reuse object names, and `reset` clears only objects in memory.
  await wakeNamedObjects();
  // Start recording the objects that the next file uses.
  forgetUsedObjects();
  await reset();
  for (const database of listDirectoryDatabases(env))
    await applyD1Migrations(database, env.MIGRATIONS);
  const seed = { tools: BUILTIN_TOOLS, teams: SEED_TEAMS, agents: SEED_AGENTS };
  await env.DB.batch(buildSeedStatements(seed, Date.now()).map((sql) => env.DB.prepare(sql)));
}

/**
 * Deletes the alarms of the feed and the webhooks, because an alarm that ran between two test files
 * could not load its modules. (Calling `reset` instead might stop a running alarm, which crashes
 * the runtime.)
 */
export async function endAlarms(): Promise<void> {
  await forEachUsedObject([env.FEED, env.WEBHOOKS], ({ storage }) => storage.deleteAlarm());
}
