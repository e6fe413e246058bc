import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, it } from "vitest";
import worker from "../../../../src/index.ts";
import { answerOf, get, ORIGIN, post, ROOT } from "../../../support/client.ts";

const DNS_RESOLVER_URL = `${inject("outside").resolver ?? ""}/dns-query`;
const bindings: Env = { ...env, ALLOW_PRIVATE_EGRESS: "false", DNS_RESOLVER_URL };

const WEBHOOK = { types: ["completed"] };
const MODEL = { type: "model", provider: "openai-compatible", model: "m" };

it.each([
  ["/agents/webhooks", (url: string) => ({ url, ...WEBHOOK })],
  ["/agents", (url: string) => ({ id: "m", executor: { ...MODEL, baseUrl: url } })],
  ["/agents/tools/import", (url: string) => ({ id: "imported", openapi: { url } })],
] as const)(
  "POST %s responds with 503 while names cannot be resolved, and with 400 for an unknown name",
  async (path, bodyOf) => {
    const ask = async (label: string) => {
      const request = new Request(`${ORIGIN}${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json" },
        body: JSON.stringify(bodyOf(`https://${label}.example.com/v1`)),
      });
      return answerOf(await worker.fetch(request, bindings, createExecutionContext()));
    };
    const outage = await ask("status");
    expect(outage.status, outage.text).toBe(503);
    expect(outage.body.error).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryable: true });
    expect(outage.body.error.message).toContain("The DNS resolver");
    const unknown = await ask("nowhere");
    expect(unknown.status, unknown.text).toBe(400);
    expect(unknown.body.error.message).toContain("must name a host that can be resolved");
    expect((await get("/agents/webhooks")).body.data.webhooks).toEqual([]);
  },
);

const TOOL = "resolved";

/** Sends a request to a Worker that resolves names. */
async function guarded(path: string, body: object, headers: Record<string, string> = {}) {
  const request = new Request(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return answerOf(await worker.fetch(request, bindings, createExecutionContext()));
}

it("while names cannot be resolved, calls to a tool get a 503, cost nothing, and do not open its circuit", async () => {
  const connector = { type: "http", baseUrl: "https://status.example.com" };
  const capabilities = ["GET", "POST"].map((method) => ({
    id: method.toLowerCase(),
    request: { method, path: "/" },
  }));
  const body = { id: TOOL, name: "Resolved", connector, capabilities };
  const registered = await post("/agents/tools", body);
  expect(registered.status, registered.text).toBe(201);
  // Make more calls than the five failures that would open the circuit.
  for (const capability of ["get", "post", "get", "post", "get", "post", "get"]) {
    const outage = await guarded(`/agents/tools/${TOOL}/invoke`, { capability, parameters: {} });
    expect(outage.status, outage.text).toBe(503);
    expect(outage.body.error).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryable: true });
    expect(outage.body.error.message).toContain("The DNS resolver");
    expect(outage.text).not.toContain("status.example.com");
  }
  const params = { name: `${TOOL}__get`, arguments: {} };
  const overMcp = await guarded(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    { Accept: "application/json, text/event-stream" },
  );
  expect(overMcp.text).toContain("SERVICE_UNAVAILABLE");
  expect(overMcp.text).toContain("The DNS resolver");
  const { recentCalls } = (await get(`/agents/tools/${TOOL}/usage`)).body.data;
  expect(recentCalls.map(({ cost }: { cost: number }) => cost)).toEqual(Array(8).fill(0));
});
