// npm run bench: measures Bosun, the baseline and alternatives in turn on this machine. BENCH_ROUNDS is the number of
// rounds; lifecycles have that many rounds after each of three starts, and lists have at most three. BENCH_ONLY names
// the operations to measure (create, life, lists or tools, separated by commas). With it, the page is not written.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setting } from "../scripts/proof/setting.ts";
import { bundleBytes, startUpMs } from "../scripts/proof/bundle-metrics.ts";
import { bundleOf, createBundleFolder } from "./bundles.ts";
import { versionOf } from "./contestants/servers.ts";
import { leftOut, THIS } from "./field.ts";
import { exitOnSignals } from "./leave.ts";
import { lifeUseOf } from "./life-use.ts";
import { pacedLife } from "./paced-life.ts";
import { writeReport } from "./report/write.ts";
import type { Results, Work } from "./results.ts";
import { targetsOf } from "./targets.ts";
import { countUses, type Counted } from "./use.ts";
import { lists } from "./works/lists.ts";
import { creations, wholeLives } from "./works/tasks.ts";
import { invocations } from "./works/tools.ts";

const ROUNDS = 5;
const PROFILES = 4;
/** No more profiles are needed once one shows a start-up time of at most this. */
const QUICK_MS = 60;
const WORKS = { create: creations, life: wholeLives, lists, tools: invocations };
/** The packages whose versions the page lists. */
const PACKAGES = [
  "wrangler",
  "workerd",
  "agents",
  "bullmq",
  "ioredis",
  "pg-boss",
  "pg",
  "hono",
  "@hono/node-server",
  "autocannon",
  "undici",
];

const rounds = setting("BENCH_ROUNDS", ROUNDS, 1, 50);
const named = (process.env["BENCH_ONLY"] ?? "").split(",").filter((name) => name !== "");
const unknown = named.filter((name) => !Object.hasOwn(WORKS, name));
if (unknown.length > 0) {
  throw new Error(
    `BENCH_ONLY contains unknown names: ${unknown.join(", ")}. Choose from: ${Object.keys(WORKS).join(", ")}`,
  );
}
const chosen = Object.entries(WORKS).filter(([name]) => named.length === 0 || named.includes(name));
const startedAt = performance.now();
const say = (words: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${String(seconds).padStart(4)} s  ${words}`);
};
for (const words of leftOut()) say(`OMITTED  ${words}`);

exitOnSignals();
createBundleFolder();
say("Counting the platform operations of each contestant (not timed) …");
const uses: Counted = await countUses();
const works: Work[] = [];
for (const [name, work] of chosen) {
  say(`Measuring ${name} …`);
  works.push(...(await work({ rounds, say, counted: uses })));
}
if (chosen.length < Object.keys(WORKS).length) {
  say("Only some operations were measured, so bench/results.md was not written.");
} else {
  const results = await resultsOf(works);
  writeReport(results, import.meta.dirname);
  for (const { what, asked, measured, isMet } of results.targets) {
    say(
      `${isMet ? "met   " : "MISSED"}  ${what}: ${measured?.toFixed(2) ?? "not measured"}, bound ${asked}`,
    );
  }
  say("Wrote bench/results.md.");
}
process.exit();

async function resultsOf(all: readonly Work[]): Promise<Results> {
  const [processor] = cpus();
  const life = all.find(({ id }) => id === "life");
  const own = life?.entries.find(({ contestant }) => contestant === THIS);
  say("Counting a lifecycle with a pause between steps …");
  const results = {
    at: new Date().toISOString(),
    commit: commit(),
    machine: {
      processor: processor?.model ?? "unknown",
      cores: cpus().length,
      memoryBytes: totalmem(),
    },
    versions: versions(),
    works: all,
    bundle: await measureBundle(),
    life: lifeUseOf(uses.get(THIS)?.get("life"), own?.figures.processorMs),
    pacedLife: await pacedLife(),
    leftOut: leftOut(),
  };
  return { ...results, targets: targetsOf(results) };
}

/** The commit's hash, marked as dirty if there are uncommitted changes. */
function commit(): string {
  const asked = ["describe", "--always", "--dirty", "--exclude=*"];
  return execFileSync("git", asked, { encoding: "utf8" }).trim();
}

async function measureBundle(): Promise<Results["bundle"]> {
  const bundle = bundleOf("wrangler.toml");
  const startUp = await startUpMs(bundle, { profiles: PROFILES, enoughMs: QUICK_MS });
  return { ...(await bundleBytes(bundle)), startUpMs: startUp };
}

function versions(): Record<string, string> {
  const installed = PACKAGES.map((name) => {
    // Packages that only the benchmark uses can be installed in this folder.
    const files = [join(import.meta.dirname, "node_modules"), "node_modules"].map((folder) =>
      join(folder, name, "package.json"),
    );
    const { version }: { version: string } = JSON.parse(
      readFileSync(files.find((file) => existsSync(file)) ?? name, "utf8"),
    );
    return [name, version] as const;
  });
  const servers = Object.entries({
    PostgreSQL: versionOf("postgres"),
    Redis: versionOf("redis"),
  }).flatMap(([name, version]) => (version === null ? [] : [[name, version] as const]));
  return { node: process.versions.node, ...Object.fromEntries([...installed, ...servers]) };
}
