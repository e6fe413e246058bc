// npm run test:proof: runs the long test layers in sequence. docs/reliability.md describes them and their settings.
import { spawnSync } from "node:child_process";

interface Layer {
  readonly command: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const LAYERS: readonly Layer[] = [
  { command: "npx vitest run --project properties", settings: { PROPERTIES_TIMES: "10" } },
  { command: "npx vitest run --project simulator", settings: { SIM_LIVES: "100000" } },
  { command: "npx vitest run test/fuzz/openapi", settings: { FUZZ_REQUESTS: "100000" } },
  {
    command: "npx vitest run test/governance/spending/parallel-calls.test.ts",
    settings: { LIMIT_CALLS: "10000" },
  },
  { command: "npm run chaos" },
  { command: "npm run soak" },
  { command: "npm run mutants" },
];

const failed = LAYERS.filter(({ command, settings }) => {
  console.log(`\n${command} ${JSON.stringify(settings ?? {})}`);
  const env = { ...process.env, ...settings };
  return spawnSync(command, { shell: true, stdio: "inherit", env }).status !== 0;
});
for (const { command } of failed) console.error(`failed: ${command}`);
process.exit(failed.length === 0 ? 0 : 1);
