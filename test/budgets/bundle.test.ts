import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";

const BUNDLE_GZIP_BYTES_MAX = 1024 * 1024;
const START_UP_MS_MAX = 150;
const WRANGLER_TIMEOUT_MS = 60_000;

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bosun-bundle-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function wrangler(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
  await promisify(execFile)(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env });
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

it(
  "the bundle that would be deployed is at most 1 MiB gzip",
  async () => {
    await wrangler("deploy", "--dry-run", "--outdir", folder);
    const bytes = gzipSync(await readFile(join(folder, "index.js"))).byteLength;
    console.log(`bundle: ${Math.round(bytes / 1024)} KiB gzip`);
    expect(bytes).toBeGreaterThan(10 * 1024);
    expect(bytes).toBeLessThanOrEqual(BUNDLE_GZIP_BYTES_MAX);
  },
  WRANGLER_TIMEOUT_MS,
);

it(
  "its modules start up in at most 150 ms",
  async () => {
    const file = join(folder, "startup.cpuprofile");
    await wrangler("check", "startup", "--outfile", file);
    const ms = activeMs(JSON.parse(await readFile(file, "utf8")));
    console.log(`start-up: ${Math.round(ms)} ms`);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(START_UP_MS_MAX);
  },
  WRANGLER_TIMEOUT_MS,
);
