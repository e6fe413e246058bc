import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { readyIn, START_MAX_MS } from "../../scripts/proof/bosun.ts";
import { deploy } from "../../scripts/proof/deployed.ts";
import { openObjects } from "../../scripts/proof/runtime.ts";
import { stateFolder } from "../../scripts/proof/state.ts";
import { bundleOf } from "../bundles.ts";
import { countingModules } from "../counting.ts";
import { serve } from "./serve.ts";

/** A Worker of this benchmark, or of this repository. */
export interface Entrant {
  readonly config: string;
  readonly bindings?: Readonly<Record<string, string>>;
  /** Fills its D1, where it has one. */
  readonly fill?: (db: Awaited<ReturnType<Miniflare["getD1Database"]>>) => Promise<void>;
}

/** Starts it with its state in a folder of its own, and serves until told to stop. */
export async function serveWorker({ config, bindings = {}, fill }: Entrant): Promise<void> {
  const folder = stateFolder("bench");
  const state = join(folder.path, "state");
  const bundle = bundleOf(config);
  const isCounted = process.env["BENCH_COUNTED"] === "yes";
  const modules = isCounted ? countingModules(bundle, config) : ["index.js"];
  const runtime = deploy({ config, bundle, modules, state, port: 0, bindings, hear: hearFaults });
  const { origin } = await readyIn(runtime, START_MAX_MS);
  const db = fill === undefined ? null : await runtime.getD1Database("DB");
  if (db !== null) await fill?.(db);
  const run = async (sql: string): Promise<null> => {
    await db?.prepare(sql).run();
    return null;
  };
  const objects = async (): Promise<object> => Object.fromEntries(openObjects());
  serve(origin.replace(/\/$/, ""), { run, openObjects: objects }, async () => {
    await runtime.dispose();
    folder.remove();
  });
}

/** What a Worker logs is not part of the protocol on this process's output. */
function hearFaults(words: string): void {
  process.stderr.write(`${words}\n`);
}
