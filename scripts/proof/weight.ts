import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** Runs wrangler in the project's root. */
export async function wrangler(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
  await promisify(execFile)(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env });
}

/** How large the bundle in a folder is, as it is and as it is uploaded. */
export async function bundleBytes(folder: string): Promise<{ bytes: number; gzipBytes: number }> {
  const bundle = await readFile(join(folder, "index.js"));
  return { bytes: bundle.byteLength, gzipBytes: gzipSync(bundle).byteLength };
}

/**
 * How long the Worker's modules are at work until it could answer, in milliseconds, by wrangler's own
 * profile. That counts the time in which the machine did something else: the least of up to `profiles` is
 * the nearest, and no further is made once one is within `enoughMs`.
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

/** The time that a profile saw the Worker busy. */
function activeMs({ nodes, samples, timeDeltas }: CpuProfile): number {
  const idle = new Set(
    nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === "(idle)" ? [id] : [])),
  );
  const busy = timeDeltas.filter((_, place) => !idle.has(samples[place] ?? -1));
  return busy.reduce((total, deltaMicroseconds) => total + deltaMicroseconds / 1_000, 0);
}
