import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, it } from "vitest";
import worker from "../../src/index.ts";
import { answerOf, get, ORIGIN, ROOT } from "../support/client.ts";

const DNS_RESOLVER_URL = `${inject("outside").resolver ?? ""}/dns-query`;
const bindings: Env = { ...env, ALLOW_PRIVATE_EGRESS: "false", DNS_RESOLVER_URL };

const WEBHOOK = { types: ["completed"] };
const MODEL = { type: "model", provider: "openai-compatible", model: "m" };

it.each([
  ["/agents/webhooks", (url: string) => ({ url, ...WEBHOOK })],
  ["/agents", (url: string) => ({ id: "m", executor: { ...MODEL, baseUrl: url } })],
  ["/agents/tools/import", (url: string) => ({ id: "imported", openapi: { url } })],
] as const)(
  "POST %s answers 503 while names cannot be resolved, and 400 for a name that does not exist",
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
    expect(unknown.body.error.message).toContain("must name a host that can be found");
    expect((await get("/agents/webhooks")).body.data.webhooks).toEqual([]);
  },
);
