import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleBytes, startUpMs, wrangler } from "../../scripts/proof/bundle-metrics.ts";

const BUNDLE_GZIP_BYTES_MAX = 3 * 1024 * 1024;
const START_UP_MS_MAX = 100;
const PROFILES_MAX = 4;
const WRANGLER_TIMEOUT_MS = 60_000;

const ROOT = join(import.meta.dirname, "../..");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bosun-bundle-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The path of the file that lists the bundle's inputs. */
function metafile(): string {
  return join(folder, "meta.json");
}

/**
 * Packages that read the names of functions or classes, which minification shortens. Each value
 * says which names are read and, where necessary, why shortening them is harmless.
 */
const READ_NAMES = new Map([
  ["@a2a-js/sdk", "names of error classes, which are set as strings and therefore kept"],
  ["@modelcontextprotocol/client", "the name of an error, which is identified by its brand"],
  ["drizzle-orm", "Object"],
  ["jose", "names of errors, which are identified by codes; words in a message"],
  ["object-inspect", "names in an error message of side-channel"],
  ["oauth4webapi", "names of errors, which are identified by codes"],
  ["standardwebhooks", "Buffer"],
  ["write-excel-file", "Object, Map and Set"],
  ["yaml", "a word in a message"],
  ["zod", "AsyncFunction; words in a message"],
]);

it(
  "the bundle that would be deployed is at most 3 MiB gzip",
  async () => {
    await wrangler("deploy", "--dry-run", "--outdir", folder, "--metafile", metafile());
    const { gzipBytes } = await bundleBytes(folder);
    console.log(`bundle: ${Math.round(gzipBytes / 1024)} KiB gzip`);
    expect(gzipBytes).toBeGreaterThan(10 * 1024);
    expect(gzipBytes).toBeLessThanOrEqual(BUNDLE_GZIP_BYTES_MAX);
  },
  WRANGLER_TIMEOUT_MS,
);

it(
  "the modules of the bundle start up in at most 100 ms",
  async () => {
    const ms = await startUpMs(folder, { profiles: PROFILES_MAX, enoughMs: START_UP_MS_MAX });
    console.log(`start-up: ${Math.round(ms)} ms`);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(START_UP_MS_MAX);
  },
  PROFILES_MAX * WRANGLER_TIMEOUT_MS,
);

it("only the listed packages in the bundle read constructor names, which the minifier shortens", async () => {
  const { inputs }: { inputs: Record<string, unknown> } = JSON.parse(
    await readFile(metafile(), "utf8"),
  );
  const paths = Object.keys(inputs).filter((path) => /\.[cm]?[jt]s$/.test(path));
  expect(paths.length).toBeGreaterThan(500);
  const readers = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(ROOT, path), "utf8");
      const isReader = /\bconstructor\??\.name\b|\bnew\.target\.name\b/.test(text);
      return isReader ? [packageOf(path)] : [];
    }),
  );
  const found = new Set(readers.flat());
  expect([...found].filter((name) => !READ_NAMES.has(name))).toEqual([]);
});

/** The package that a file belongs to, or the file itself if it is part of this project. */
function packageOf(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? path;
}
