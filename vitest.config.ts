import { spawnSync } from "node:child_process";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { runSecrets } from "./scripts/secrets.ts";
import { fakeModules } from "./test/simulator/fakes.ts";
import { LongestFirst } from "./test/support/longest-first.ts";
import { VARIABLES } from "./test/support/variables.ts";

// The Worker's files: the runtime looks at them before it starts.
const assets = spawnSync(process.execPath, ["scripts/assets.ts"], { stdio: "inherit" });
if (assets.status !== 0) throw new Error("scripts/assets.ts failed");

/** The real runtime with the Worker's own configuration, but for secrets and these variables. */
const worker = cloudflareTest(async () => ({
  main: "./src/index.ts",
  wrangler: { configPath: "./wrangler.toml" },
  miniflare: {
    bindings: {
      ...runSecrets(),
      MIGRATIONS: await readD1Migrations("./migrations"),
      // Said here, as a .dev.vars for development says otherwise. What a folder has of its own: test/support/variables.ts.
      ...VARIABLES,
    },
    // What test/tasks/directory/sharded binds as further databases of the directory: see test/support/shards.ts.
    d1Databases: ["SHARD_1", "SHARD_2"],
  },
}));

/**
 * Tests load at once what the Worker loads on first use: a module that an object was loading when a file of
 * tests ended would stay half loaded for all others that share the runtime, and the simulator's clock does
 * not wait for a module.
 */
const loadAtOnce: Plugin = {
  name: "load-at-once",
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

/** What every file of tests in the runtime loads, as one file a package: module by module it takes seconds. */
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

/** Pure code, in plain Node. */
const UNIT = "test/**/*.unit.test.ts";
/** Properties of the model over many random tasks, in plain Node. */
const PROPERTIES = "test/**/*.properties.test.ts";
/** The repository itself: imports, examples, scripts, mutants, vendored modules. */
const REPO = "test/repo/**/*.test.ts";
/** The first tests of a runtime wait for what they load, and for who else is at work on the machine. */
const TEST_TIMEOUT_MS = 30_000;
/** The objects on a platform of stand-ins, in plain Node. */
const SIMULATOR = "test/simulator/**/*.test.ts";
/** Workers as processes of their own, against the bundle that would be deployed: they measure, and so run when the others are done. */
const PROCESSES = ["test/e2e/deployed/**/*.test.ts", "test/browser/**/*.test.ts"];
/** What the Worker takes to start is measured while nothing else is at work. */
const BUNDLE = "test/performance/bundle-size.test.ts";

/** The runtime has no environment of its own: what fuzzer and faults go by is handed in. */
const { FUZZ_SEED = "", FUZZ_REQUESTS = "" } = process.env;
const { FAULTS_SEED = "", FAULTS_NTHS = "" } = process.env;

/** What is pure runs in plain Node, everything else in the real runtime. */
export default defineConfig({
  test: {
    // A run waits for the runtime as much as it computes; left alone, two cores get one worker.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Pure code has nothing that files could leave to each other, but what they load.
      { test: { name: "unit", include: [UNIT], isolate: false, testTimeout: TEST_TIMEOUT_MS } },
      { test: { name: "properties", include: [PROPERTIES] } },
      { test: { name: "repo", include: [REPO], isolate: false, testTimeout: TEST_TIMEOUT_MS } },
      {
        plugins: [fakeModules, loadAtOnce],
        test: { name: "simulator", include: [SIMULATOR], isolate: false },
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
        plugins: [loadAtOnce, worker],
        test: {
          name: "workers",
          isolate: false,
          env: { FUZZ_SEED, FUZZ_REQUESTS, FAULTS_SEED, FAULTS_NTHS },
          deps,
          include: ["test/**/*.test.ts"],
          exclude: [UNIT, PROPERTIES, REPO, SIMULATOR, ...PROCESSES, BUNDLE],
          // Tools that reach other systems: real server processes on this machine's loopback.
          globalSetup: ["./test/support/start-servers.ts"],
          setupFiles: ["./test/support/setup.ts"],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
    ],
  },
});
