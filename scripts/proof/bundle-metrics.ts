import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** Runs wrangler in the project's root folder. */
export async function wrangler(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
  await promisify(execFile)(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env });
}

/** The size of a bundle, uncompressed and as uploaded. */
export async function bundleBytes(folder: string): Promise<{ bytes: number; gzipBytes: number }> {
  const bundle = await readFile(join(folder, "index.js"));
  return { bytes: bundle.byteLength, gzipBytes: gzipSync(bundle).byteLength };
}

/**
 * The start-up time of the Worker's modules in milliseconds, as profiled by wrangler. A profile includes time in which
 * the machine did other work, so this returns the shortest time from up to `profiles` profiles, and stops after a
 * profile of at most `enoughMs`.
 */
export async function startUpMs(
  folder: string,
  { profiles, enoughMs }: { profiles: number; enoughMs: number },
): Promise<number> {
  const file = join(folder, "startup.cpuprofile");
  let ms = Infinity;
  for (let made = 0; made < profiles && ms > enoughMs; made += 1) {
    await wrangler("check", "startup", "--outfile", file);
    ms = Math.min(ms, activeMs(JSON.parse(await readFile(file, "utf8"))));
  }
  return ms;
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { functionName: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The time during which a profile shows the Worker as busy. */
function activeMs({ nodes, samples, timeDeltas }: CpuProfile): number {
  const idle = new Set(
    nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === "(idle)" ? [id] : [])),
  );
  const busy = timeDeltas.filter((_, place) => !idle.has(samples[place] ?? -1));
  return busy.reduce((total, deltaMicroseconds) => total + deltaMicroseconds / 1_000, 0);
}
