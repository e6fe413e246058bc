import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import type { Bosun } from "../../../../scripts/proof/bosun.ts";
import { call, startBundled } from "../processes.ts";
import { DEMO_TOOLS, startDemoServer } from "./demo-server.ts";
import { startProxy, type Proxy } from "./proxy.ts";

const START_MS = 120_000;
const SUITE_MS = 120_000;
const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const BASELINE = "test/e2e/deployed/mcp-conformance/expected-failures.yml";

let bosun: Bosun;
let demo: Proxy;
let front: Proxy;
let key: string;
let results: string;

/** Replaces a fixed tool name from the suite with the longer name of the capability. */
function withToolName(body: string): string {
  const name = DEMO_TOOLS.find((one) => body.includes(`"name":"${one}"`));
  return name === undefined ? body : body.replace(`"${name}"`, `"demo__${name}"`);
}

beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), "bosun-conformance-"));
  [bosun, demo] = await Promise.all([
    startBundled({ ALLOW_PRIVATE_EGRESS: "true" }),
    startDemoServer(),
  ]);
  await call(bosun, "POST", "/agents/tools/import", { id: "demo", mcp: { url: demo.origin } });
  await call(bosun, "POST", "/agents/tools/access", { agentId: "conformist", toolId: "demo" });
  const scopes = ["tools:invoke", "tasks:read", "tasks:write", "tasks:work"];
  const asked = { name: "conformist", agentId: "conformist", scopes };
  ({ key } = await call(bosun, "POST", "/agents/keys", asked));
  front = await startProxy(bosun.origin, key, withToolName);
}, START_MS);

afterAll(async () => {
  await Promise.all([front.stop(), demo.stop(), bosun.stop()]);
  await rm(results, { recursive: true });
});

it(
  "the MCP conformance suite passes every scenario except the expected failures",
  async () => {
    const url = `${front.origin}/mcp`;
    const suite = spawn(
      process.execPath,
      [
        SUITE,
        "server",
        "--url",
        url,
        "--suite",
        "all",
        "--expected-failures",
        BASELINE,
        "-o",
        results,
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const [output, errors, [code]] = await Promise.all([
      text(suite.stdout),
      text(suite.stderr),
      once(suite, "exit"),
    ]);
    const summary = output.slice(output.indexOf("=== SUMMARY ==="));
    const { server: expected }: { server: string[] } = parse(readFileSync(BASELINE, "utf8"));
    const outcomes = [...summary.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)];
    const passed = outcomes.flatMap(([, name = "", good, bad]) =>
      good !== "0" && bad === "0" ? [name] : [],
    );
    const others = outcomes.flatMap(([, name = ""]) => (passed.includes(name) ? [] : [name]));
    expect(others.toSorted(), summary).toEqual(expected.toSorted());
    expect(passed).toEqual([
      "server-initialize",
      "ping",
      "tools-list",
      "tools-call-simple-text",
      "tools-call-image",
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-mixed-content",
      "tools-call-error",
      "dns-rebinding-protection",
    ]);
    expect(code, `${summary}\n${errors}`).toBe(0);
  },
  SUITE_MS,
);

it.each([
  ["automatic negotiation", "auto", "2026-07-28"],
  ["the initialize handshake", "legacy", "2025-11-25"],
] as const)(
  "with %s, the official MCP client lists and calls the capabilities granted to the key's agent",
  async (_, mode, revision) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(`${bosun.origin}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    });
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).filter((name) => name.includes("__"));
    expect(names).toEqual(DEMO_TOOLS.map((name) => `demo__${name}`));
    const answer = await client.callTool({ name: "demo__test_image_content", arguments: {} });
    expect(answer.content).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    await client.close();
  },
);
