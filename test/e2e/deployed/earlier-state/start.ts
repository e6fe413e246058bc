import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { inject } from "vitest";
import { fill, readyIn, START_MAX_MS } from "../../../../scripts/proof/bosun.ts";
import { deploy } from "../../../../scripts/proof/deployed.ts";
import { stateFolder } from "../../../../scripts/proof/state.ts";
import { workerOptionsOf } from "../../../../scripts/proof/worker-options.ts";
import { extractState, STORAGE, type EarlierState } from "./earlier-state.ts";

const CONFIG = "wrangler.toml";

/** This release, running on a copy of the earlier state. */
export interface StartedState {
  readonly earlier: EarlierState;
  readonly origin: string;
  /** The service's log lines. */
  readonly logLines: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * Does what `npm run deploy` does: applies the new migrations and the seed, then starts the Worker.
 */
export async function startEarlierState(): Promise<StartedState> {
  const folder = stateFolder("earlier");
  const earlier = extractState(folder.path);
  const state = join(folder.path, STORAGE);
  await upgradeDatabase(state, earlier.migrations);
  const bindings = { ...earlier.secrets, ALLOW_PRIVATE_EGRESS: "true" };
  const logLines: string[] = [];
  const runtime = deploy({
    config: CONFIG,
    bundle: inject("bundle"),
    state,
    port: 0,
    bindings,
    onLog: (line) => logLines.push(line),
  });
  const stop = async (): Promise<void> => {
    await runtime.dispose();
    folder.remove();
  };
  try {
    const { origin } = await readyIn(runtime, START_MAX_MS);
    return { earlier, origin, logLines, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Upgrades the database. This must finish before the Worker starts, because its objects resume work
 * immediately.
 */
async function upgradeDatabase(state: string, applied: readonly string[]): Promise<void> {
  const database = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {};",
      resourcePersistencePath: state,
      d1Databases: Object.assign({}, workerOptionsOf(CONFIG).d1Databases),
    }),
  );
  try {
    await fill(await database.getD1Database("DB"), applied);
  } finally {
    await database.dispose();
  }
}
