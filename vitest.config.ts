import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Two projects: what is pure runs in plain Node, everything else in the real runtime. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: [
            "test/domain/**/*.test.ts",
            "test/tools/builtin/**/*.test.ts",
            "test/agents/**/*.test.ts",
            "test/house/**/*.test.ts",
          ],
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            main: "./src/index.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ROOT_API_KEY: "bsn_root_for-tests-only",
                SIGNING_KEY: "signing-key-for-tests-only",
                AGENT_STEP_INTERVAL_MS: "0",
                MIGRATIONS: await readD1Migrations("./migrations"),
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: ["test/domain/**", "test/tools/builtin/**", "test/agents/**", "test/house/**"],
          setupFiles: ["./test/support/setup.ts"],
        },
      },
    ],
  },
});
