// npm run bench: this service, the limit and what a user would pick instead, measured in turns on this machine.
// BENCH_ROUNDS: how many rounds count. BENCH_ONLY=create,life,lists,tools: only these, and no page is written.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setting } from "../scripts/proof/setting.ts";
import { bundleBytes, startUpMs } from "../scripts/proof/weight.ts";
import { bundleOf, keepBundles } from "./bundles.ts";
import { leftOut, THIS } from "./field.ts";
import { writeReport } from "./report/write.ts";
import type { LifeUse, Results, Work } from "./results.ts";
import { targetsOf } from "./targets.ts";
import { counted, type Counted, type Use } from "./use.ts";
import { lists } from "./works/lists.ts";
import { creations, wholeLives } from "./works/tasks.ts";
import { invocations } from "./works/tools.ts";

const ROUNDS = 5;
const PROFILES = 4;
/** A profile this short needs no second one. */
const QUICK_MS = 60;
const WORKS = { create: creations, life: wholeLives, lists, tools: invocations };
/** What was measured, or measured with. */
const PACKAGES = [
  "wrangler",
  "workerd",
  "agents",
  "bullmq",
  "pg-boss",
  "hono",
  "autocannon",
  "undici",
];

const rounds = setting("BENCH_ROUNDS", ROUNDS, 1, 50);
const chosen = Object.entries(WORKS).filter(([name]) => isChosen(name));
const startedAt = performance.now();
const say = (words: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${String(seconds).padStart(4)} s  ${words}`);
};
for (const words of leftOut()) say(`LEFT OUT  ${words}`);

keepBundles();
say("Counting what each asks of the platform, which nobody times …");
const uses: Counted = await counted();
const works: Work[] = [];
for (const [name, work] of chosen) {
  say(`Measuring ${name} …`);
  works.push(...(await work({ rounds, say, counted: uses })));
}
if (chosen.length < Object.keys(WORKS).length) {
  say("These were not all works, and so no page is written.");
} else {
  const results = await resultsOf(works);
  writeReport(results, import.meta.dirname);
  for (const { what, asked, measured, isMet } of results.targets) {
    say(
      `${isMet ? "met   " : "MISSED"}  ${what}: ${measured?.toFixed(2) ?? "not measured"}, asked ${asked}`,
    );
  }
  say("bench/results.md is written.");
}
process.exit();

function isChosen(name: string): boolean {
  const names = process.env["BENCH_ONLY"] ?? "";
  return names === "" || names.split(",").includes(name);
}

async function resultsOf(all: readonly Work[]): Promise<Results> {
  const [processor] = cpus();
  const results = {
    at: new Date().toISOString(),
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    machine: {
      processor: processor?.model ?? "unknown",
      cores: cpus().length,
      memoryBytes: totalmem(),
    },
    versions: versions(),
    works: all,
    bundle: await weighed(),
    life: lifeUse(uses.get(THIS)?.get("life") ?? {}, all),
    leftOut: leftOut(),
  };
  return { ...results, targets: targetsOf(results) };
}

async function weighed(): Promise<Results["bundle"]> {
  const bundle = bundleOf("wrangler.toml");
  const startUp = await startUpMs(bundle, { profiles: PROFILES, enoughMs: QUICK_MS });
  return { ...(await bundleBytes(bundle)), startUpMs: startUp };
}

/** The runtime's processor time is more than the Worker's own, which alone is billed. */
function lifeUse(use: Use, all: readonly Work[]): LifeUse {
  const count = (name: string): number => use[name] ?? 0;
  const life = all.find(({ id }) => id === "life");
  const own = life?.entries.find(({ contestant }) => contestant === THIS);
  return {
    requests: count("requests"),
    objectRequests: count("objectRequests"),
    d1Queries: count("d1Queries"),
    d1RowsRead: count("d1RowsRead"),
    d1RowsWritten: count("d1RowsWritten"),
    objectRowsRead: count("objectRowsRead"),
    objectRowsWritten: count("objectRowsWritten"),
    r2Writes: count("r2Writes"),
    r2Reads: count("r2Reads"),
    queueMessages: count("queueMessages"),
    processorMs: own?.figures.processorMs ?? 0,
    objectMs: count("objectMs"),
  };
}

function versions(): Record<string, string> {
  const installed = PACKAGES.map((name) => {
    // Those that nobody else in the repository uses may lie in this folder.
    const files = [join(import.meta.dirname, "node_modules"), "node_modules"].map((folder) =>
      join(folder, name, "package.json"),
    );
    const { version }: { version: string } = JSON.parse(
      readFileSync(files.find((file) => existsSync(file)) ?? name, "utf8"),
    );
    return [name, version] as const;
  });
  return { node: process.versions.node, ...Object.fromEntries(installed) };
}
