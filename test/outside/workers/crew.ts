import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { unstable_getMiniflareWorkerOptions as workerOptionsIn } from "wrangler";
import { CREW, TEAMS } from "../../../src/agents/crew.ts";
import { seedStatements } from "../../../src/db/seed.ts";
import { BUILTIN_TOOLS } from "../../../src/tools/connectors/builtin/definitions.ts";

export const ROOT_KEY = "bsn_root_for-tests-only";
const SECRETS = {
  ROOT_API_KEY: ROOT_KEY,
  SIGNING_KEY: "signing-key-for-tests-only",
  CREDENTIALS_KEY: `test-1:${btoa("credentials-key-of-32-bytes-long")}`,
};
const POLL_MS = 100;
/** What is measured is the service, not the disk of this machine, which syncs for each of its writes. */
const STATE_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A Bosun of its own on this machine, with nothing in it but the seed. */
export interface Bosun {
  readonly origin: string;
  readonly stop: () => Promise<void>;
  /** Kills the runtime's process as it stands, and starts it again over what lies on the disk. */
  readonly crash: () => Promise<void>;
}

/**
 * Bundles and starts the Worker as it is deployed, in the runtime that `wrangler dev` starts too, but
 * without the proxy that wrangler puts before it: that ends everything when a client is killed.
 */
export async function startBosun(variables: Record<string, string> = {}): Promise<Bosun> {
  const folder = mkdtempSync(join(STATE_FOLDER, "bosun-test-"));
  const bundle = join(folder, "bundle");
  const state = join(folder, "state");
  const wrangler = join("node_modules", "wrangler", "bin", "wrangler.js");
  const built = spawnSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", bundle], {
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(`The Worker was not bundled: ${built.stderr}`);
  const { workerOptions } = workerOptionsIn("wrangler.toml");
  const runtimeAt = (port: number): Miniflare =>
    new Miniflare(
      convertV4MiniflareOptions({
        ...workerOptions,
        name: "bosun",
        modules: [{ type: "ESModule", path: join(bundle, "index.js") }],
        modulesRoot: bundle,
        rootPath: bundle,
        host: "127.0.0.1",
        port,
        resourcePersistencePath: state,
        bindings: Object.assign({}, workerOptions.bindings, SECRETS, variables),
      }),
    );
  let runtime = runtimeAt(0);
  const { origin, port } = await runtime.ready;
  await fill(await runtime.getD1Database("DB"));
  return {
    origin,
    async stop() {
      await runtime.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
    async crash() {
      killChildren("workerd");
      await runtime.dispose();
      runtime = runtimeAt(Number(port));
      await runtime.ready;
    },
  };
}

/** Kills this process's own children of a name, at once and without a word. */
function killChildren(name: string): void {
  const found = spawnSync("pgrep", ["-P", String(process.pid), name], { encoding: "utf8" });
  const pids = found.stdout.trim().split("\n").filter(Boolean).map(Number);
  if (pids.length === 0) throw new Error(`There is no ${name} to be killed`);
  for (const pid of pids) process.kill(pid, "SIGKILL");
}

/** Brings an empty database to what a fresh Bosun holds. */
async function fill(db: Pick<D1Database, "prepare">): Promise<void> {
  const migrations = await readD1Migrations("./migrations");
  const seed = { tools: BUILTIN_TOOLS, teams: TEAMS, crew: CREW };
  const made = migrations.flatMap(({ queries }) => queries);
  for (const sql of [...made, ...seedStatements(seed, Date.now())]) await db.prepare(sql).run();
}

/** Calls the API with the root key and gives its data; what is not a success throws. */
export async function call(
  { origin }: Bosun,
  method: string,
  path: string,
  body?: object,
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
): Promise<any> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${ROOT_KEY}`,
      "Content-Type": "application/json",
      // The service closes connections after five seconds of rest, perhaps just as one is used again.
      Connection: "close",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- likewise
  const answer: any = await response.json();
  if (answer.success !== true) throw new Error(`${method} ${path}: ${answer.error.message}`);
  return answer.data;
}

/** Registers an agent that works by workers, and issues a key that is bound to it. */
export async function hire(bosun: Bosun, agentId: string): Promise<{ key: string }> {
  await call(bosun, "POST", "/agents", { id: agentId, executor: { type: "worker" } });
  return call(bosun, "POST", "/agents/keys", { name: agentId, agentId, scopes: ["tasks:work"] });
}

/** A process of examples/worker.ts. */
export interface WorkerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it has complained of. */
  readonly complaints: () => string;
}

export function startWorker(
  { origin }: Bosun,
  { key, name, ...settings }: { key: string; name: string } & Readonly<Record<string, string>>,
): WorkerProcess {
  const child = spawn(process.execPath, ["examples/worker.ts"], {
    env: { ...process.env, BOSUN_URL: origin, BOSUN_KEY: key, WORKER_NAME: name, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { name, child, complaints: () => said };
}

export async function end({ child }: WorkerProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

/** Does a thing for each item, so many at once; the answers come in the items' order. */
export async function forAll<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, place: number) => Promise<Value>,
): Promise<Value[]> {
  const answers: Value[] = [];
  const rest = items.entries();
  const hand = async (): Promise<void> => {
    for (const [place, item] of rest) answers[place] = await act(item, place);
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
  return answers;
}

/** Looks again and again until what is seen is as wished; gives up loudly. */
export async function until<Seen>(
  look: () => Promise<Seen>,
  isWished: (seen: Seen) => boolean,
  patienceMs: number,
): Promise<Seen> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isWished(seen)) return seen;
    if (Date.now() > giveUpAt) {
      throw new Error(`Not so after ${patienceMs} ms: ${JSON.stringify(seen)?.slice(0, 500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
