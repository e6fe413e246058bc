import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBosun, type Bosun } from "../../../scripts/proof/bosun.ts";
import { wrangler } from "../../../scripts/proof/bundle-metrics.ts";
import { call } from "./processes.ts";

const PATIENCE_MS = 60_000;
/** Modules for charts, spreadsheets, MCP, A2A and language models. */
const HEAVY =
  /node_modules\/(echarts|zrender|write-excel-file|@modelcontextprotocol|@a2a-js|@ai-sdk|ai|workers-ai-provider)\/|src\/builtin\/tools\/\w+-\w+\/handlers|src\/executors\/llm\/turn/;
/**
 * The HTTP interface and the libraries that only it needs. Objects and the queue start without
 * them.
 */
const HTTP = /^src\/app\.ts$|\/(routes|operations|schemas)\.ts$|node_modules\/(hono|zod)\//;
/**
 * The start of the bundler's functions that evaluate a module on first use, each with a replacement
 * that logs the module.
 */
const EVALUATORS = [
  ["return fn && (res =", "fn && console.log(`evaluated ${__getOwnPropNames(fn)[0]}`);"],
  ["return mod || (0, cb", "mod || console.log(`evaluated ${__getOwnPropNames(cb)[0]}`);"],
] as const;

const folder = mkdtempSync(join(tmpdir(), "bosun-lazy-"));
const metafile = join(folder, "meta.json");
const evaluated: string[] = [];
let bosun: Bosun;

beforeAll(async () => {
  const target = ["--outdir", folder, "--metafile", metafile];
  await wrangler("deploy", "--dry-run", "--minify", "false", ...target);
  const file = join(folder, "index.js");
  let code = readFileSync(file, "utf8");
  for (const [place, report] of EVALUATORS) {
    expect(code.split(place)).toHaveLength(2);
    code = code.replace(place, () => report + place);
  }
  writeFileSync(file, code);
  const onLog = (message: string): void => {
    evaluated.push(...[...message.matchAll(/evaluated (\S+)/g)].map(([, name = ""]) => name));
  };
  bosun = await startBosun({ bundle: folder, onLog });
}, PATIENCE_MS);

afterAll(async () => {
  await bosun.stop();
  rmSync(folder, { recursive: true });
});

interface Inputs {
  readonly [path: string]: { readonly imports: readonly { path: string; kind: string }[] };
}

/**
 * Returns the modules that the Worker evaluates when it starts: those it can reach without a
 * dynamic import.
 */
function modulesAtStart(): Set<string> {
  const { inputs }: { inputs: Inputs } = JSON.parse(readFileSync(metafile, "utf8"));
  const reached = new Set<string>();
  const open = ["src/index.ts"];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const next of inputs[path]?.imports ?? []) {
      if (next.kind !== "dynamic-import") open.push(next.path);
    }
  }
  return reached;
}

const isHeavy = (path: string): boolean => HEAVY.test(path);

it("the Worker starts without the HTTP interface and the modules for charts, spreadsheets, MCP, A2A and models", () => {
  const reached = [...modulesAtStart()];
  expect(reached.length).toBeGreaterThan(200);
  expect(reached.filter((path) => isHeavy(path) || HTTP.test(path))).toEqual([]);
});

it("a cold GET /agents/tasks evaluates no modules for charts, MCP, A2A or models, and a chart evaluates the modules for charts", async () => {
  expect(await call(bosun, "GET", "/agents/tasks")).toMatchObject({ tasks: [] });
  expect(evaluated.length).toBeGreaterThan(100);
  expect(evaluated.filter(isHeavy)).toEqual([]);
  const parameters = { csv: "day,rain\nMon,1\nTue,3", x: "day", y: "rain" };
  await call(bosun, "POST", "/agents/tools/chart-maker/invoke", { capability: "bar", parameters });
  const heavy = evaluated.filter(isHeavy);
  expect(heavy).toContainEqual(expect.stringContaining("echarts"));
  expect(heavy.filter((path) => path.includes("write-excel-file"))).toEqual([]);
});
