import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Miniflare } from "miniflare";
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { SEED_AGENTS, SEED_TEAMS } from "../../src/agents/model/seed-agents.ts";
import { buildSeedStatements } from "../../src/platform/d1/seed.ts";
import { BUILTIN_TOOLS } from "../../src/builtin/tools/definitions.ts";
import { runSecrets } from "../secrets.ts";
import { bundleInto } from "./bundle.ts";
import { deploy } from "./deployed.ts";
import { killRuntime, openObjects, residentBytes, signalRuntime } from "./runtime.ts";
import { stateFolder } from "./state.ts";

export const SECRETS = runSecrets();
export const ROOT_KEY = SECRETS.ROOT_API_KEY;
export const START_MAX_MS = 90_000;

/** A separate local instance of Bosun that contains only the seed data. */
export interface Bosun {
  readonly origin: string;
  readonly stop: () => Promise<void>;
  /** Kills the runtime's process and restarts it with the same storage. */
  readonly crash: () => Promise<void>;
  /** Suspends the runtime's process until `thaw`. Its sockets stay open but do not respond. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** The resident memory of the runtime's process, in bytes. */
  readonly residentBytes: () => number;
  /** The URL of the runtime's inspector. */
  readonly inspector: () => Promise<URL>;
  /** The number of Durable Objects in memory, by class. Each keeps its database open. */
  readonly openObjects: () => Map<string, number>;
  /** Runs a statement in the service's D1 database. */
  readonly runSql: (sql: string) => Promise<void>;
}

export interface Setting {
  readonly variables?: Readonly<Record<string, string>>;
  /** Receives the service's log, which otherwise goes to the console. */
  readonly onLog?: ((message: string) => void) | null;
  /** The folder of an existing bundle to use. */
  readonly bundle?: string | null;
}

/** Bundles the Worker as for a deployment and starts it. */
export async function startBosun({
  variables = {},
  onLog = null,
  bundle: made = null,
}: Setting = {}): Promise<Bosun> {
  const folder = stateFolder("test");
  // Runs before Miniflare's own handler, which ends this process. Also kills a frozen runtime.
  const leave = (): void => {
    killRuntime();
    cleanUp();
    process.exit(130);
  };
  process.on("SIGINT", leave).on("SIGTERM", leave);
  const cleanUp = (): void => {
    process.off("SIGINT", leave).off("SIGTERM", leave);
    folder.remove();
  };
  const state = join(folder.path, "state");
  const bundle = made ?? join(folder.path, "bundle");
  try {
    if (made === null) bundleInto(bundle);
  } catch (error) {
    cleanUp();
    throw error;
  }
  const bindings = { ...SECRETS, ...variables };
  const runtimeAt = (port: number): Miniflare =>
    deploy({ config: "wrangler.toml", bundle, state, port, bindings, onLog });
  let runtime = runtimeAt(0);
  const stop = async (): Promise<void> => {
    await runtime.dispose();
    cleanUp();
  };
  const started = await readyIn(runtime, START_MAX_MS)
    .then(async (url) => {
      await fill(await runtime.getD1Database("DB"));
      return url;
    })
    .catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  const { origin, port } = started;
  return {
    origin,
    stop,
    async crash() {
      signalRuntime("SIGKILL");
      await runtime.dispose();
      runtime = runtimeAt(Number(port));
      await readyIn(runtime, START_MAX_MS);
    },
    freeze: () => signalRuntime("SIGSTOP"),
    thaw: () => signalRuntime("SIGCONT"),
    residentBytes,
    inspector: () => runtime.getInspectorURL(),
    openObjects,
    async runSql(sql) {
      const db: Database = await runtime.getD1Database("DB");
      await db.prepare(sql).run();
    },
  };
}

export async function readyIn({ ready }: Miniflare, patienceMs: number): Promise<URL> {
  const late = new AbortController();
  const giveUp = pause(patienceMs, null, { signal: late.signal }).then(() => {
    throw new Error(`The runtime did not start within ${patienceMs} ms`);
  });
  try {
    return await Promise.race([ready, giveUp]);
  } finally {
    giveUp.catch(() => {});
    late.abort();
  }
}

interface Database {
  prepare(sql: string): { run(): Promise<unknown> };
}

/** Applies the migrations whose names are not in `applied`, and then the seed. */
export async function fill(db: Database, applied: readonly string[] = []): Promise<void> {
  await migrate(db, applied);
  const seed = { tools: BUILTIN_TOOLS, teams: SEED_TEAMS, agents: SEED_AGENTS };
  for (const sql of buildSeedStatements(seed, Date.now())) await db.prepare(sql).run();
}

/** Applies the migrations whose names are not in `applied`. */
export async function migrate(db: Database, applied: readonly string[] = []): Promise<void> {
  const migrations = await readD1Migrations("./migrations");
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  for (const sql of missing.flatMap(({ queries }) => queries)) await db.prepare(sql).run();
}
