import { spawnSync } from "node:child_process";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";

// The Worker's files: the runtime looks at them before it starts.
const assets = spawnSync(process.execPath, ["scripts/assets.ts"], { stdio: "inherit" });
if (assets.status !== 0) throw new Error("scripts/assets.ts failed");

/** The real runtime with the Worker's own configuration, but for secrets and these variables. */
function workerWith(variables: Record<string, string>) {
  return cloudflareTest(async () => ({
    main: "./src/index.ts",
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      bindings: {
        ROOT_API_KEY: "bsn_root_for-tests-only",
        SIGNING_KEY: "signing-key-for-tests-only",
        CREDENTIALS_KEY: `test-1:${btoa("credentials-key-of-32-bytes-long")}`,
        MIGRATIONS: await readD1Migrations("./migrations"),
        // Said here, as a .dev.vars for development says otherwise.
        ALLOW_PRIVATE_EGRESS: "false",
        DOCS_API_KEY: "",
        ...variables,
      },
    },
  }));
}

/**
 * What the Worker loads when it is needed, tests in the runtime load at once: a module that an object was
 * loading when a file of tests ended would stay half loaded for all others that share the runtime.
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
        "drizzle-orm",
        "drizzle-orm/d1",
        "drizzle-orm/sqlite-core",
        "hono",
        "hono/html",
        "hono/streaming",
        "ipaddr.js",
        "yaml",
        "zod",
      ],
    },
  },
};

const PURE = [
  "test/domain/**/*.test.ts",
  "test/tools/builtin/**/*.test.ts",
  "test/tools/http-connector/**/*.test.ts",
  "test/tools/import/openapi/**/*.test.ts",
  "test/agents/**/*.test.ts",
  "test/house/**/*.test.ts",
  "test/egress/pure/**/*.test.ts",
  "test/openapi/pure/**/*.test.ts",
  "test/budgets/bundle.test.ts",
];
/** The first test or hook of a file that draws a chart loads ECharts file by file, which takes seconds. */
const TEST_TIMEOUT_MS = 20_000;
const PACED = "test/tasks/paced/**/*.test.ts";
const OUTSIDE = "test/outside/**/*.test.ts";
/** Workers as processes of their own, against the bundle that would be deployed: they measure, and so run alone. */
const PROCESSES = "test/outside/{workers,mcp-door}/**/*.test.ts";

/** What is pure runs in plain Node, everything else in the real runtime. */
export default defineConfig({
  test: {
    // A run waits for the runtime as much as it computes; left alone, two cores get one worker.
    maxWorkers: 3,
    projects: [
      // Pure code has nothing that files could leave to each other, but what they load.
      { test: { name: "node", include: PURE, isolate: false } },
      { test: { name: "processes", include: [PROCESSES], sequence: { groupOrder: 1 } } },
      {
        plugins: [loadAtOnce, workerWith({ AGENT_STEP_INTERVAL_MS: "0" })],
        test: {
          name: "workers",
          isolate: false,
          deps,
          include: ["test/**/*.test.ts"],
          exclude: [...PURE, PACED, OUTSIDE],
          setupFiles: ["./test/support/setup.ts"],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
      {
        // Tools that reach other systems: real server processes on this machine's loopback.
        plugins: [
          loadAtOnce,
          workerWith({ AGENT_STEP_INTERVAL_MS: "0", ALLOW_PRIVATE_EGRESS: "true" }),
        ],
        test: {
          name: "outside",
          isolate: false,
          deps,
          include: [OUTSIDE],
          exclude: [PROCESSES],
          globalSetup: ["./test/support/outside.ts"],
          setupFiles: ["./test/support/setup.ts"],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
      {
        plugins: [
          loadAtOnce,
          workerWith({ AGENT_STEP_INTERVAL_MS: "500", TASK_RETENTION_DAYS: "1" }),
        ],
        test: {
          name: "paced",
          isolate: false,
          deps,
          include: [PACED],
          setupFiles: ["./test/support/setup.ts"],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
    ],
  },
});
