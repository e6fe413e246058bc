// npm run deploy: migrations, seed and Worker, to the account that wrangler is logged in to.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedSql } from "./local.ts";

if (/database_id = "0{8}-/.test(readFileSync("wrangler.toml", "utf8"))) {
  console.error(
    "wrangler.toml still has the placeholder for database_id.\n" +
      "Create the database with `npx wrangler d1 create bosun` and put its id there (README, “Deploy”).",
  );
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "bosun-seed-"));
const seed = join(folder, "seed.sql");
writeFileSync(seed, seedSql());
try {
  wrangler("d1", "migrations", "apply", "DB", "--remote");
  wrangler("d1", "execute", "DB", "--remote", "--file", seed, "--yes");
  wrangler("deploy");
} finally {
  rmSync(folder, { recursive: true });
}

function wrangler(...args: string[]): void {
  const run = spawnSync("wrangler", args, { stdio: "inherit" });
  if (run.status !== 0) throw new Error(`wrangler ${args.join(" ")} ended with ${run.status}`);
}
