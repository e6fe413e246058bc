import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SEED_AGENTS, SEED_TEAMS } from "../src/agents/model/seed-agents.ts";
import { buildSeedStatements } from "../src/platform/d1/seed.ts";
import { BUILTIN_TOOLS } from "../src/builtin/tools/definitions.ts";
import { createSignInLink } from "../src/sessions/sign-in-link.ts";
import { boundDatabases } from "./databases.ts";
import { completeDevVars, valueOf } from "./dev-vars.ts";
import { randomSecrets } from "./secrets.ts";
import { ServiceLog } from "./service-log.ts";

const WRANGLER = join("node_modules", "wrangler", "bin", "wrangler.js");
const DEV_VARS = ".dev.vars";
const READY_WITHIN_MS = 60_000;
const POLL_MS = 100;
/** The id of the requests that check whether the service has started. Their log lines are hidden. */
const START_ID = "start-up";
/** Built-in agents pause this long before each step, so that people can watch them. */
const STEP_INTERVAL_MS = 500;

/** Environment variables that keep local runs private and prevent them from sending data to third parties. */
const OFFLINE = {
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // The Local Explorer would give every local user access to all stored data without a key.
  X_LOCAL_EXPLORER: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

/** A local Worker or an example server. */
export interface LocalService {
  readonly origin: string;
  readonly process: ChildProcess;
  /** Stops the process and waits for it to exit. */
  stop(): Promise<void>;
}

/** The seed data as a single SQL script. */
export function seedSql(): string {
  const seed = { tools: BUILTIN_TOOLS, teams: SEED_TEAMS, agents: SEED_AGENTS };
  return `${buildSeedStatements(seed, Date.now()).join("\n")}\n`;
}

/**
 * Creates .dev.vars with random secrets. If the file exists, adds missing variables and replaces secrets that earlier
 * releases published. Returns descriptions of the changes to print.
 */
export function ensureSecrets(): readonly string[] {
  const existing = existsSync(DEV_VARS) ? readFileSync(DEV_VARS, "utf8") : null;
  const fresh = randomSecrets(`local-${randomBytes(4).toString("hex")}`);
  const example = readFileSync(".dev.vars.example", "utf8");
  const { text, changes } = completeDevVars(existing, example, fresh);
  if (text !== existing) writeFileSync(DEV_VARS, text, { mode: 0o600 });
  return changes;
}

/** The local service's root key, from .dev.vars. */
export function developmentKey(): string {
  return readSecret("ROOT_API_KEY");
}

/** A link that signs in to the local service's console with the root key, until it expires after some hours. */
export function signInLink(origin: string): string {
  return origin + createSignInLink(readSecret("SIGNING_KEY"), Date.now());
}

function readSecret(name: string): string {
  const text = existsSync(DEV_VARS) ? readFileSync(DEV_VARS, "utf8") : "";
  const value = valueOf(text, name);
  if (value === null || value === "")
    throw new Error(`${name} is not set. Run \`npm run dev\` first.`);
  return value;
}

/** Applies the migrations to all local databases in `stateDir`, and then the seed data to the first one. */
export function prepareDatabase(stateDir: string): void {
  mkdirSync(stateDir, { recursive: true });
  for (const { binding } of boundDatabases().bound) {
    wrangler(["d1", "migrations", "apply", binding, "--local", "--persist-to", stateDir]);
  }
  const folder = mkdtempSync(join(tmpdir(), "bosun-seed-"));
  const file = join(folder, "seed.sql");
  writeFileSync(file, seedSql());
  wrangler(["d1", "execute", "DB", "--local", "--persist-to", stateDir, "--file", file]);
  rmSync(folder, { recursive: true });
}

/**
 * Starts the Worker and waits until it responds. With `log: "warnings"`, only warnings and errors are printed. With
 * "activity", each request, task change, tool call and webhook delivery attempt is printed too.
 */
export async function startService(options: {
  port: number;
  stateDir: string;
  log: "warnings" | "activity";
}): Promise<LocalService> {
  const { port, stateDir, log } = options;
  const args = ["dev", "--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"];
  args.push("--persist-to", stateDir, "--show-interactive-dev-session=false");
  args.push("--var", `AGENT_STEP_INTERVAL_MS:${STEP_INTERVAL_MS}`);
  args.push("--log-level", log === "activity" ? "info" : "warn");
  if (log === "activity") args.push("--var", "LOG_ACTIVITY:true");
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    env: { ...process.env, ...OFFLINE },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killWithParent = (): void => void child.kill();
  process.once("exit", killWithParent);
  child.once("exit", () => process.off("exit", killWithParent));
  const origin = `http://127.0.0.1:${port}`;
  let isReady = false;
  const output = new ServiceLog();
  createInterface(child.stdout).on("line", (line) => {
    if (line.endsWith(`request=${START_ID}`)) return;
    if (isReady) for (const shown of output.add(line)) console.log(shown);
  });
  const errors = new ServiceLog();
  createInterface(child.stderr).on("line", (line) => {
    for (const shown of errors.add(line)) console.error(shown);
  });
  await untilHealthy(origin, child);
  isReady = true;
  return { origin, process: child, stop: () => stop(child) };
}

/** Starts an example server, which prints `ready <url>`. With port 0, the system chooses the port. */
export async function startExample(name: string, port = 0): Promise<LocalService> {
  const child = spawn(process.execPath, [join("examples", `${name}.ts`), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    let printed = "";
    child.once("exit", (code) => reject(new Error(`examples/${name}.ts exited with code ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const ready = /^ready (\S+)$/m.exec(printed)?.[1];
      if (ready !== undefined) resolve(ready);
    });
  });
  return { origin, process: child, stop: () => stop(child) };
}

/** A currently unused port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string")
    throw new Error("The system did not assign a port");
  return address.port;
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function wrangler(args: readonly string[]): void {
  const run = spawnSync(process.execPath, [WRANGLER, ...args], {
    env: { ...process.env, ...OFFLINE },
    encoding: "utf8",
  });
  if (run.status === 0) return;
  throw new Error(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${run.stdout}\n${run.stderr}`);
}

async function untilHealthy(origin: string, child: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`The service exited while it was starting: ${ended}`);
    const headers = { "X-Request-Id": START_ID };
    const healthy = await fetch(`${origin}/health`, { headers }).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  child.kill();
  throw new Error(`The service did not respond at ${origin} within ${READY_WITHIN_MS / 1_000} s`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
