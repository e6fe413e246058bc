// npm run deploy: applies the migrations and the seed data and deploys the Worker, with Wrangler's current login.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boundDatabases, databaseProblem } from "./databases.ts";
import { seedSql } from "./local.ts";

const databases = boundDatabases();
const problem = databaseProblem(databases);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "bosun-seed-"));
const seed = join(folder, "seed.sql");
writeFileSync(seed, seedSql());
try {
  for (const { binding } of databases.bound) {
    wrangler("d1", "migrations", "apply", binding, "--remote");
  }
  wrangler("d1", "execute", "DB", "--remote", "--file", seed, "--yes");
  wrangler("deploy");
} finally {
  rmSync(folder, { recursive: true });
}

function wrangler(...args: string[]): void {
  const run = spawnSync("wrangler", args, { stdio: "inherit" });
  if (run.status !== 0)
    throw new Error(`wrangler ${args.join(" ")} failed with exit code ${run.status}`);
}
