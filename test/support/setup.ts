import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
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

// Every test file starts from what a fresh Bosun holds.
await applyD1Migrations(env.DB, env.MIGRATIONS);
const seed = { tools: BUILTIN_TOOLS, teams: TEAMS, crew: CREW };
await env.DB.batch(seedStatements(seed, Date.now()).map((sql) => env.DB.prepare(sql)));
