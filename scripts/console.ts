import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { filesIn } from "./files-in.ts";

const ROOT = join(import.meta.dirname, "..");
const CONSOLE = join(ROOT, "console");
const BUILDS = join(ROOT, "dist/console");
/** The types of the API, generated from its OpenAPI document. */
const API_TYPES = "generated/api.d.ts";
const { resolve } = createRequire(join(CONSOLE, "package.json"));

/**
 * Builds the console, unless its sources, its dependencies and the API are the same as in an earlier build. Returns its
 * files by their path under `/console`.
 */
export function buildConsole(openApiDocument: string): Map<string, string> {
  const build = join(BUILDS, hashOfSources(openApiDocument));
  if (!existsSync(build) || !existsSync(join(CONSOLE, API_TYPES))) {
    mkdirSync(BUILDS, { recursive: true });
    const draft = `${build}.${process.pid}`;
    mkdirSync(dirname(join(CONSOLE, API_TYPES)), { recursive: true });
    const document = `${draft}.json`;
    writeFileSync(document, openApiDocument);
    run("openapi-typescript", "bin/cli.js", [document, "--output", API_TYPES]);
    run("vite", "bin/vite.js", ["build", "--outDir", draft, "--logLevel", "warn"]);
    rmSync(document);
    // Another process may have made the same build in the meantime.
    if (existsSync(build)) rmSync(draft, { recursive: true });
    else renameSync(draft, build);
    removeEarlierBuilds(build);
  }
  return new Map(filesIn(build).map((name) => [name, readFileSync(join(build, name), "utf8")]));
}

/** Drafts of other processes have a dot in their names. */
function removeEarlierBuilds(build: string): void {
  for (const name of readdirSync(BUILDS)) {
    const path = join(BUILDS, name);
    if (path !== build && !name.includes(".")) rmSync(path, { recursive: true, force: true });
  }
}

function hashOfSources(openApiDocument: string): string {
  const hash = createHash("sha256").update(openApiDocument);
  const names = filesIn(CONSOLE).filter(
    (name) => !name.startsWith("node_modules") && name !== API_TYPES,
  );
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(CONSOLE, name)));
  hash.update(readFileSync(join(ROOT, "package-lock.json")));
  return hash.digest("hex").slice(0, 16);
}

/** Runs a program of one of the console's packages in the console's folder. */
function run(packageName: string, program: string, args: readonly string[]): void {
  const path = join(dirname(resolve(`${packageName}/package.json`)), program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    cwd: CONSOLE,
    encoding: "utf8",
    // The tests set another value, with which React's development build would be used.
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (status !== 0) throw new Error(`${packageName} failed:\n${stdout}${stderr}`);
}
