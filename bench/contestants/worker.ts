import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { migrate, readyIn, START_MAX_MS } from "../../scripts/proof/bosun.ts";
import { deploy } from "../../scripts/proof/deployed.ts";
import { killRuntime, openObjects } from "../../scripts/proof/runtime.ts";
import { stateFolder } from "../../scripts/proof/state.ts";
import { bundleOf } from "../bundles.ts";
import { countingModules } from "../counting.ts";
import { runOrder } from "./reply.ts";
import { serve } from "./serve.ts";

/** A Worker of this benchmark, or of this repository. */
export interface Entrant {
  readonly config: string;
  readonly bindings?: Readonly<Record<string, string>>;
  /** Fills its D1, where it has one. */
  readonly fill?: (db: Database) => Promise<void>;
  /** Further databases for the directory, by their bindings. */
  readonly databases?: readonly string[];
}

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Starts it with its state in a folder of its own, and serves until told to stop. */
export async function serveWorker({
  config,
  bindings = {},
  fill,
  databases = [],
}: Entrant): Promise<void> {
  // Before the folder goes that it writes to; also where Miniflare's own handler of signals ends this process.
  process.once("exit", killRuntime);
  const folder = stateFolder("bench");
  const state = join(folder.path, "state");
  const bundle = bundleOf(config);
  const isCounted = process.env["BENCH_COUNTED"] === "yes";
  const modules = isCounted ? countingModules(bundle, config) : ["index.js"];
  // No contestant has any: the simulator that would be asked for them takes longer than a read.
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
  const runs = stores.map((db, place) => [runOrder(place), runOn(db)] as const);
  const objects = async (): Promise<object> => Object.fromEntries(openObjects());
  const orders = { ...Object.fromEntries(runs), openObjects: objects };
  serve(origin.replace(/\/$/, ""), orders, async () => {
    await runtime.dispose();
    folder.remove();
  });
}

/** What a Worker logs is not part of the protocol on this process's output. */
function logFailures(words: string): void {
  process.stderr.write(`${words}\n`);
}
