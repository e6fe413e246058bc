import { spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { STATE_FOLDER, stateFolder } from "./scripts/proof/state.ts";
import { runSecrets } from "./scripts/secrets.ts";
import { fakeModules } from "./test/simulator/fakes.ts";
import { LongestFirst } from "./test/support/longest-first.ts";
import { VARIABLES } from "./test/support/variables.ts";

// The Worker's static files must exist before the runtime starts.
const assets = spawnSync(process.execPath, ["scripts/assets.ts"], { stdio: "inherit" });
if (assets.status !== 0) throw new Error("scripts/assets.ts failed");

/**
 * The runtime stores its databases and objects in the folder for temporary files. On a disk, tests spend a quarter of
 * their time waiting for it, so the folder is in memory if there is enough. Tests need less than 2 GiB. To use another
 * folder, set TMPDIR.
 */
const STATE_BYTES_MIN = 4 * 1024 ** 3;
const { bavail, bsize } = statfsSync(STATE_FOLDER);
if (process.env["TMPDIR"] === undefined && bavail * bsize >= STATE_BYTES_MIN)
  process.env["TMPDIR"] = stateFolder("test").path;

/**
 * The real runtime with the Worker's own configuration, except for secrets and the variables below.
 */
const worker = cloudflareTest(async () => ({
  main: "./src/index.ts",
  wrangler: { configPath: "./wrangler.toml" },
  miniflare: {
    bindings: {
      ...runSecrets(),
      MIGRATIONS: await readD1Migrations("./migrations"),
      // Overrides the developer's .dev.vars. test/support/variables.ts also sets values for
      // individual folders.
      ...VARIABLES,
    },
    // More directory databases, which test/support/shards.ts binds for some tests.
    d1Databases: ["SHARD_1", "SHARD_2"],
  },
}));

/**
 * Makes tests eagerly load the modules that the Worker loads on first use. A module that was still
 * loading when a test file ended would remain half loaded for all other files in the runtime. In
 * addition, the simulator's clock does not wait for modules.
 */
const loadEagerly: Plugin = {
  name: "load-eagerly",
  enforce: "post",
  transform(code, id) {
    if (!id.includes("/src/") || id.includes("/node_modules/")) return null;
    const loaded: string[] = [];
    const changed = code.replaceAll(/\bimport\(("[^"]+")\)/g, (_, specifier: string) => {
      loaded.push(`import * as loaded${loaded.length} from ${specifier};\n`);
      return `Promise.resolve(loaded${loaded.length - 1})`;
    });
    return loaded.length === 0 ? null : { code: loaded.join("") + changed, map: null };
  },
};

/**
 * Bundles the packages that test files load in the runtime, because loading them module by module
 * takes seconds.
 */
const deps = {
  optimizer: {
    ssr: {
      enabled: true,
      include: [
        "@a2a-js/sdk",
        "@a2a-js/sdk/client",
        "@ai-sdk/anthropic/internal",
        "@ai-sdk/google/internal",
        "@ai-sdk/openai-compatible",
        "@ai-sdk/provider",
        "@cfworker/json-schema",
        "d3-array",
        "diff",
        "drizzle-orm",
        "drizzle-orm/d1",
        "drizzle-orm/sqlite-core",
        "echarts/charts",
        "echarts/components",
        "echarts/core",
        "echarts/renderers",
        "eventsource-parser/stream",
        "fast-xml-parser",
        "graphology",
        "hono",
        "hono/html",
        "hono/streaming",
        "ipaddr.js",
        "jose/jwe/compact/decrypt",
        "jose/jwe/compact/encrypt",
        "json-p3",
        "liquidjs/dist/liquid.browser.mjs",
        "markdown-it",
        "oauth4webapi",
        "papaparse",
        "re2js",
        "rfc6902",
        "simple-statistics",
        "standardwebhooks",
        "syllable",
        "write-excel-file/universal",
        "yaml",
        "zod",
        "zod-openapi",
      ],
    },
  },
};

/** Pure code, tested in plain Node. */
const UNIT = "test/**/*.unit.test.ts";
/** Task model properties over many random tasks, in plain Node. */
const PROPERTIES = "test/**/*.properties.test.ts";
/** Checks of the repository itself: imports, examples, scripts and mutants. */
const REPO = "test/repo/**/*.test.ts";
/** A runtime's first tests wait for its modules to load, possibly on a busy machine. */
const TEST_TIMEOUT_MS = 60_000;
const UNIT_TIMEOUT_MS = 30_000;
/** Durable Objects on a simulated platform, in plain Node. */
const SIMULATOR = "test/simulator/**/*.test.ts";
/**
 * Workers in separate processes, running the bundle that would be deployed. Some of these tests
 * measure durations, so all of them run after the others.
 */
const PROCESSES = ["test/e2e/deployed/**/*.test.ts", "test/browser/**/*.test.ts"];
/** Measures the bundle's size and start-up time while nothing else is running. */
const BUNDLE = "test/performance/bundle-size.test.ts";

/**
 * The runtime has no environment variables of its own, so the fuzzing and fault injection settings
 * are passed in.
 */
const { FUZZ_SEED = "", FUZZ_REQUESTS = "", LIMIT_CALLS = "" } = process.env;
const { FAULTS_SEED = "", FAULTS_NTHS = "" } = process.env;

/** Pure code and the simulator run in plain Node, and most other tests in the real runtime. */
export default defineConfig({
  test: {
    // Tests mostly wait for the runtime, but on a machine with two cores, Vitest would start only
    // one worker.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      // These files share no state except loaded modules.
      { test: { name: "unit", include: [UNIT], isolate: false, testTimeout: UNIT_TIMEOUT_MS } },
      { test: { name: "properties", include: [PROPERTIES] } },
      { test: { name: "repo", include: [REPO], isolate: false, testTimeout: UNIT_TIMEOUT_MS } },
      {
        plugins: [fakeModules, loadEagerly],
        test: {
          name: "simulator",
          include: [SIMULATOR],
          isolate: false,
          testTimeout: UNIT_TIMEOUT_MS,
        },
      },
      {
        test: {
          name: "processes",
          maxWorkers: 3,
          include: PROCESSES,
          globalSetup: ["./test/support/bundle.ts"],
          testTimeout: TEST_TIMEOUT_MS,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { name: "bundle", include: [BUNDLE], sequence: { groupOrder: 2 } } },
      {
        plugins: [loadEagerly, worker],
        test: {
          name: "workers",
          isolate: false,
          env: { FUZZ_SEED, FUZZ_REQUESTS, FAULTS_SEED, FAULTS_NTHS, LIMIT_CALLS },
          deps,
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules", UNIT, PROPERTIES, REPO, SIMULATOR, ...PROCESSES, BUNDLE],
          // Real server processes on loopback, for tools that call external systems.
          globalSetup: ["./test/support/start-servers.ts"],
          setupFiles: ["./test/support/setup.ts"],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
    ],
  },
});
