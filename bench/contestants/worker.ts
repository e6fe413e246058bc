import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { migrate, readyIn, START_MAX_MS } from "../../scripts/proof/bosun.ts";
import { deploy } from "../../scripts/proof/deployed.ts";
import { killRuntime, openObjects } from "../../scripts/proof/runtime.ts";
import { stateFolder } from "../../scripts/proof/state.ts";
import { bundleOf } from "../bundles.ts";
import { countingModules } from "../counting.ts";
import { runCommandName } from "./reply.ts";
import { serve } from "./serve.ts";

/** A Worker that is either part of this benchmark or Bosun itself. */
export interface WorkerContestant {
  readonly config: string;
  readonly bindings?: Readonly<Record<string, string>>;
  /** Prepares its D1 database, if it has one. */
  readonly fill?: (db: Database) => Promise<void>;
  /** The bindings of additional directory databases. */
  readonly databases?: readonly string[];
}

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Serves the Worker, with its own folder for state, until the benchmark disconnects. */
export async function serveWorker({
  config,
  bindings = {},
  fill,
  databases = [],
}: WorkerContestant): Promise<void> {
  // Stops the runtime before its folder is deleted, even if Miniflare's own signal handler ends this process.
  process.once("exit", killRuntime);
  const folder = stateFolder("bench");
  const state = join(folder.path, "state");
  const bundle = bundleOf(config);
  const isCounted = process.env["BENCH_COUNTED"] === "yes";
  const modules = isCounted ? countingModules(bundle, config) : ["index.js"];
  // Static assets are omitted for all contestants, because their simulator takes longer than a read.
  const given = { config, bundle, modules, state, databases, bindings, hasAssets: false };
  const runtime = deploy({ ...given, port: 0, onLog: logFailures });
  const { origin } = await readyIn(runtime, START_MAX_MS);
  const stores: Database[] = [];
  if (fill !== undefined) {
    const db = await runtime.getD1Database("DB");
    await fill(db);
    stores.push(db);
  }
  for (const name of databases) {
    const further = await runtime.getD1Database(name);
    await migrate(further);
    stores.push(further);
  }
  const runOn = (db: Database) => async (sql: string) => (await db.prepare(sql).run()).meta;
  const runs = stores.map((db, place) => [runCommandName(place), runOn(db)] as const);
  const objects = async (): Promise<object> => Object.fromEntries(openObjects());
  const orders = { ...Object.fromEntries(runs), openObjects: objects };
  serve(origin.replace(/\/$/, ""), orders, async () => {
    await runtime.dispose();
    folder.remove();
  });
}

/** A Worker's log goes to stderr, because it is not part of the protocol between the processes. */
function logFailures(words: string): void {
  process.stderr.write(`${words}\n`);
}
