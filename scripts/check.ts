// npm run check: runs all checks, two at a time, and prints the output of each when it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Each is an npm script, `check:<name>`. The slowest run first. */
const CHECKS = [
  "docs",
  "lint",
  "types",
  "openapi",
  "bundle",
  "generated",
  "console",
  "knip",
  "format",
];
const AT_ONCE = 2;

// All checks need the assets, so they are built once beforehand.
if (!(await runScript("assets"))) process.exit(1);
const waiting = [...CHECKS];
const failed: string[] = [];
await Promise.all(Array.from({ length: AT_ONCE }, runWaiting));
console.log(failed.length === 0 ? "All checks passed." : `Failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);

async function runWaiting(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (!(await runScript(`check:${name}`))) failed.push(name);
  }
}

/** Runs an npm script, and prints its output. Returns whether it succeeded. */
async function runScript(name: string): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn("npm", ["run", "-s", name], { stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, "close");
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${name}: ${code === 0 ? "passed" : "failed"} in ${seconds} s`);
  process.stdout.write(Buffer.concat(chunks));
  return code === 0;
}
