import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled, until } from "./processes.ts";

const PATIENCE_MS = 60_000;

let bosun: Bosun;
const model = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

beforeAll(async () => {
  model.on(
    { endpoint: "chat" },
    { toolCalls: [{ name: "finish", arguments: '{"summary":"Read and understood."}' }] },
  );
  await model.start();
  bosun = await startBundled({ ALLOW_PRIVATE_EGRESS: "true" });
}, PATIENCE_MS);

afterAll(async () => {
  await bosun.stop();
  await model.stop();
});

it(
  "a model completes a task in the bundled Worker",
  async () => {
    const executor = { type: "model", model: "m", baseUrl: `${model.url}/v1` };
    await call(bosun, "POST", "/agents", { id: "reader", executor });
    const task = { task: "Read", agentId: "reader", context: { text: "One." } };
    const { taskId } = await call(bosun, "POST", "/agents/tasks", task);
    const done = await until(
      () => call(bosun, "GET", `/agents/tasks/${taskId}`),
      ({ status }) => ["completed", "failed"].includes(status),
      PATIENCE_MS,
    );
    expect(done).toMatchObject({
      status: "completed",
      result: { summary: "Read and understood." },
    });
    expect(done.spend.tokens.input).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);

async function invoke(toolId: string, capability: string, parameters: object) {
  return call(bosun, "POST", `/agents/tools/${toolId}/invoke`, { capability, parameters });
}

it("the bundled Worker decodes HTML entities", async () => {
  const markdown =
    "Caf&eacute; &amp; &#x1F6A2;, &NotEqualTilde; &zeta6\n\n| a | b |\n|---|---|\n| &lt; | 2 |";
  const { result } = await invoke("message-composer", "markdown-to-text", { markdown });
  expect(result.text).toBe("Café & 🚢, ≂̸ &zeta6\n\nA   B\n<   2");
});

it("the bundled Worker draws charts", async () => {
  const csv = "day,rain\nMon,1\nTue,3";
  const { result } = await invoke("chart-maker", "bar", { csv, x: "day", y: "rain" });
  expect(result.svg).toMatch(/^<svg .*<\/svg>\s*$/s);
  expect(result.svg).toContain(">Tue</text>");
});

it("the bundled Worker sends nested forms", async () => {
  const shop = createServer().listen(0, "127.0.0.1");
  await once(shop, "listening");
  const address = shop.address();
  if (address === null || typeof address === "string")
    throw new Error("The server must listen on a port");
  const request = { method: "POST", path: "/", body: { as: "form", parameter: "order" } };
  await call(bosun, "POST", "/agents/tools", {
    id: "shop",
    name: "Shop",
    connector: { type: "http", baseUrl: `http://127.0.0.1:${address.port}` },
    capabilities: [
      { id: "order", parameters: [{ name: "order", type: "object", required: true }], request },
    ],
  });
  const ordered = invoke("shop", "order", { order: { items: [{ id: "a b", tags: [1, 2] }] } });
  const [incoming, answer] = await once(shop, "request");
  const form = decodeURIComponent(await text(incoming));
  answer.end();
  await ordered;
  shop.close();
  expect(form).toBe("items[0][id]=a+b&items[0][tags][0]=1&items[0][tags][1]=2");
});

it("browsers cache the console's files with a hash in their names, but not other files or 404 responses", async () => {
  const page = await (await fetch(`${bosun.origin}/console`)).text();
  const [script] = /\/console\/assets\/[^"]+\.js/.exec(page) ?? [];
  const found = await fetch(`${bosun.origin}${script}`);
  expect(found.status).toBe(200);
  expect(found.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  const missing = script?.replace(/-[^-]+\.js$/, "-AAAAAAAA.js");
  const licences = "/console/assets/licences.md";
  for (const [path, status] of [
    [missing, 404],
    [licences, 200],
  ] as const) {
    const response = await fetch(`${bosun.origin}${path}`);
    expect(response.status).toBe(status);
    expect(response.headers.get("Cache-Control") ?? "").not.toMatch(/immutable|max-age=[1-9]/);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  }
});
