import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { startBundled } from "./processes.ts";

const PATIENCE_MS = 240_000;
/** A separate package with the TypeScript version that the generators need. */
const PACKAGE = "test/openapi-client";
const GENERATED = `${PACKAGE}/generated`;

let bosun: Bosun;

beforeAll(async () => {
  mkdirSync(GENERATED, { recursive: true });
  bosun = await startBundled({ AGENT_STEP_INTERVAL_MS: "0" });
}, PATIENCE_MS);

afterAll(() => bosun.stop());

/** Runs a Node program and returns its output. Throws if the program fails. */
async function runNode(program: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, BOSUN_URL: bosun.origin, BOSUN_KEY: ROOT_KEY };
  const running = promisify(execFile)(process.execPath, [program, ...args], { env });
  const { stdout } = await running.catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });
  return stdout;
}

/** Runs a command from the package, or from the repository if the package does not have it. */
async function run(tool: string, ...args: readonly string[]): Promise<string> {
  const own = join(PACKAGE, "node_modules", tool);
  return runNode(existsSync(own) ? own : join("node_modules", tool), ...args);
}

describe("a typed client generated from /openapi.json", { timeout: PATIENCE_MS }, () => {
  it("a typed client is generated from /openapi.json, and a strict program compiles against it", async () => {
    const generator = "openapi-typescript/bin/cli.js";
    const output = join(GENERATED, "schema.d.ts");
    await run(generator, `${bosun.origin}/openapi.json`, "-o", output);
    expect(await run("typescript/bin/tsc", "--noEmit", "-p", PACKAGE)).toBe("");
  });

  it("a typed client creates a task, follows it to its end, reads its deliverables, and rates it", async () => {
    const { sizes, insights, ...rest } = JSON.parse(await runNode(join(PACKAGE, "program.ts")));
    expect(rest).toEqual({ status: "completed", rating: 5, code: "INVALID_STATE" });
    expect(insights.length).toBeGreaterThan(0);
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });
});

/** The generators, with their arguments for a document and an output path. */
const GENERATORS: Readonly<Record<string, (from: string, to: string) => readonly string[]>> = {
  "hey-api": (from, to) =>
    `@hey-api/openapi-ts/bin/run.js -i ${from} -o ${to} -c @hey-api/client-fetch`.split(" "),
  oazapfts: (from, to) => ["oazapfts/dist/cli.js", from, `${to}.ts`],
  orval: (from, to) =>
    `orval/dist/bin/orval.mjs --input ${from} --output ${to}.ts --client fetch`.split(" "),
  zodios: (from, to) => ["openapi-zod-client/bin.js", from, "-o", `${to}.ts`],
};

describe("clients from other generators", { timeout: PATIENCE_MS }, () => {
  beforeAll(async () => {
    for (const [name, toArgs] of Object.entries(GENERATORS)) {
      const [tool = "", ...args] = toArgs(`${bosun.origin}/openapi.json`, join(GENERATED, name));
      await run(tool, ...args);
    }
  }, PATIENCE_MS);

  it("programs compile in strict mode against clients from hey-api, oazapfts, orval and openapi-zod-client", async () => {
    expect(await run("typescript/bin/tsc", "-p", join(PACKAGE, "generators"))).toBe("");
  });

  it.each(Object.keys(GENERATORS))(
    "a program with a client from %s runs a task to its end",
    async (name) => {
      const bundle = join(GENERATED, `${name}.run.mjs`);
      const source = join(PACKAGE, "generators", `${name}.ts`);
      await runNode(join(PACKAGE, "bundle.ts"), source, bundle);
      expect(await runNode(bundle)).toBe("completed\n");
    },
  );
});
