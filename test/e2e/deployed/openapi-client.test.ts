import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { startBundled } from "./processes.ts";

const PATIENCE_MS = 120_000;
/** A separate package with the TypeScript version that its generator needs. */
const PACKAGE = "test/openapi-client";
const TYPES = "dist/openapi-client/schema.d.ts";

let bosun: Bosun;

beforeAll(async () => {
  bosun = await startBundled({ AGENT_STEP_INTERVAL_MS: "0" });
}, PATIENCE_MS);

afterAll(() => bosun.stop());

/** Runs a command of the package and returns its output; throws if it fails. */
async function run(tool: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(PACKAGE, "node_modules", tool),
    ...args,
  ]).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });
  return stdout;
}

describe("a typed client generated from /openapi.json", { timeout: PATIENCE_MS }, () => {
  it("a typed client is generated from /openapi.json, and a strict program compiles against it", async () => {
    mkdirSync("dist/openapi-client", { recursive: true });
    const generator = "openapi-typescript/bin/cli.js";
    await run(
      generator,
      `${bosun.origin}/openapi.json`,
      "-o",
      TYPES,
      "--default-non-nullable",
      "false",
    );
    expect(await run("typescript/bin/tsc", "--noEmit", "-p", PACKAGE)).toBe("");
  });

  it("a typed client creates a task, follows it to its end, reads its deliverables, and rates it", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(PACKAGE, "program.ts")], {
      env: { ...process.env, BOSUN_URL: bosun.origin, BOSUN_KEY: ROOT_KEY },
    });
    const { sizes, insights, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ status: "completed", rating: 5, code: "INVALID_STATE" });
    expect(insights.length).toBeGreaterThan(0);
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });
});
