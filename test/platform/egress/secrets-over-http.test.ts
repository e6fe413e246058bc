import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { fetchCardForRegistration } from "../../../src/executors/a2a/agent-card.ts";
import {
  A2aTransport,
  createA2aClient as a2aClient,
} from "../../../src/executors/a2a/transport.ts";
import { LlmTransport } from "../../../src/executors/llm/transport.ts";
import { EgressError } from "../../../src/platform/egress/contract.ts";
import { createEgress } from "../../../src/platform/egress/egress.ts";
import { createEgressGuard } from "../../../src/platform/egress/ssrf-guard.ts";
import { callRemoteMcpTool } from "../../../src/tools/connectors/mcp/call-tool.ts";
import { requestToken } from "../../../src/tools/credentials/oauth-token.ts";
import { BINDINGS, errorNameOf, idle, pushConfig } from "../../interfaces/a2a/fixtures.ts";
import { get, patch, post, send, type Answer } from "../../support/client.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";

/** Public IP addresses, so no name is resolved. If the tests pass, no request is sent to them. */
const PLAIN = "http://93.184.216.34/v1";
const SECURE = "https://93.184.216.34/v1";
const RULE = /^must start with https:\/\/, because secrets are sent to it/;
const CAPABILITY = { id: "go", request: { method: "GET", path: "/go" } };
const API_KEY = { type: "api-key", value: "the-secret" };
const MACHINE = {
  type: "oauth-client-credentials",
  tokenUrl: "https://93.184.216.34/token",
  clientId: "bosun",
  clientSecret: "the-secret",
};
const AUTHORIZATION = { in: "header", name: "Authorization", value: "Bearer the-secret" } as const;
const BOUNDS = { timeoutMs: 5_000, bytesMax: 1_000 };

const closed = createEgress(env);

async function registered(id: string, change: JsonObject): Promise<void> {
  const body = { id, name: "Tool", connector: { type: "http", baseUrl: SECURE } };
  const answer = await post("/agents/tools", { ...body, capabilities: [CAPABILITY], ...change });
  if (answer.status !== 201) throw new Error(answer.text);
}

const put = (id: string, body: JsonObject): Promise<Answer> =>
  send("PUT", `/agents/tools/${id}/credentials`, body);

/** Fails the test if the Worker sends a request. */
function watchFetch() {
  const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("A request was sent"));
  onTestFinished(() => fetched.mockRestore());
  return fetched;
}

beforeAll(async () => {
  await registered("plain", { connector: { type: "http", baseUrl: PLAIN } });
  await registered("plain-mcp", {
    connector: { type: "mcp", url: `${PLAIN}/mcp` },
    capabilities: [{ id: "go", tool: "go" }],
  });
  await registered("mixed", {
    capabilities: [
      CAPABILITY,
      { ...CAPABILITY, id: "far", request: { ...CAPABILITY.request, baseUrl: `${SECURE}/far` } },
      { ...CAPABILITY, id: "plain", request: { ...CAPABILITY.request, baseUrl: PLAIN } },
    ],
  });
  await registered("secure", {});
});

describe("an http address to which a secret would be sent", () => {
  it.each([
    ["plain", "connector.baseUrl"],
    ["plain-mcp", "connector.url"],
    ["mixed", "capabilities[2].request.baseUrl"],
  ])("credentials of the tool %s with an http address are rejected", async (id, field) => {
    for (const body of [API_KEY, MACHINE]) {
      expectProblems(await put(id, body), { [field]: RULE });
    }
    expectError(await get(`/agents/tools/${id}/credentials`), 404, "CREDENTIALS_NOT_FOUND");
  });

  it("a token URL over http is rejected", async () => {
    const answer = await put("secure", { ...MACHINE, tokenUrl: `${PLAIN}/token` });
    expectProblems(answer, { tokenUrl: RULE });
  });

  it("credentials of an MCP import over http are rejected", async () => {
    const fetched = watchFetch();
    const mcp = { url: `${PLAIN}/mcp` };
    const answer = await post("/agents/tools/import", { id: "imp", mcp, credentials: API_KEY });
    expectProblems(answer, { "mcp.url": RULE });
    expect(fetched).not.toHaveBeenCalled();
  });

  it("an agent's key with an http address is rejected", async () => {
    const model = { type: "model", model: "m", baseUrl: PLAIN, apiKey: "the-secret" };
    const a2a = { type: "a2a", cardUrl: `${PLAIN}/card.json`, apiKey: "the-secret" };
    const made = [
      await post("/agents", { id: "exposed", executor: model }),
      await post("/agents", { id: "exposed", executor: a2a }),
    ] as const;
    expectProblems(made[0], { "executor.baseUrl": RULE });
    expectProblems(made[1], { "executor.cardUrl": RULE });
  });

  it("a webhook with an http address cannot be created, moved or enabled again", async () => {
    expectProblems(await post("/agents/webhooks", { url: PLAIN }), { url: RULE });
    const { id } = (await post("/agents/webhooks", { url: SECURE })).body.data;
    expectProblems(await patch(`/agents/webhooks/${id}`, { url: PLAIN }), { url: RULE });
    await env.DB.prepare("UPDATE webhooks SET url = ? WHERE id = ?").bind(PLAIN, id).run();
    const again = await patch(`/agents/webhooks/${id}`, { enabled: true });
    expectProblems(again, { url: RULE });
    expect((await patch(`/agents/webhooks/${id}`, { description: "old" })).status).toBe(200);
  });

  it.each(BINDINGS)(
    "a push notification configuration with an http address is rejected, over %s",
    async (binding) => {
      const { client, taskId } = await idle(binding);
      const made = client.createTaskPushNotificationConfig(pushConfig(taskId, PLAIN));
      expect(await errorNameOf(made)).toEqual({
        name: "RequestMalformedError",
        message: expect.stringMatching(/^url must start with https:\/\//),
      });
    },
  );
});

describe("secrets stored by an earlier release", () => {
  it("a tool's credential is not sent over http: the call is rejected with the reason", async () => {
    await registered("moved", {});
    expect((await put("moved", API_KEY)).status).toBe(201);
    const connector = JSON.stringify({
      type: "http",
      baseUrl: PLAIN,
      headers: {},
      timeoutMs: 1_000,
      credential: null,
    });
    await env.DB.prepare("UPDATE tools SET connector = ? WHERE id = 'moved'").bind(connector).run();
    const fetched = watchFetch();
    const answer = await post("/agents/tools/moved/invoke", { capability: "go", parameters: {} });
    expectProblems(answer, { url: /an address that is not allowed/ });
    expect(fetched).not.toHaveBeenCalled();
  });

  it("a tool's credential is not sent over http to an MCP server", async () => {
    const fetched = watchFetch();
    const connector = {
      type: "mcp",
      url: `${PLAIN}/mcp`,
      headers: {},
      timeoutMs: 1_000,
      credential: null,
    } as const;
    const call = { toolId: "t", capability: "go", parameters: {}, authorization: AUTHORIZATION };
    const outcome = await callRemoteMcpTool(closed, connector, "go", call);
    expect(outcome).toMatchObject({ ok: false, failure: { kind: "rejected_address" } });
    expect(fetched).not.toHaveBeenCalled();
  });

  it("an OAuth client's secret is not sent over http", async () => {
    const fetched = watchFetch();
    const credential = {
      type: "oauth-client-credentials",
      tokenUrl: `${PLAIN}/token`,
      clientId: "bosun",
      clientSecret: "the-secret",
      clientAuthentication: "post",
      scopes: [],
      audience: null,
      resource: null,
      token: null,
    } as const;
    expect((await requestToken(env, "harbour", credential)).ok).toBe(false);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("an agent's key is not sent over http", async () => {
    const fetched = watchFetch();
    const secret = { apiKey: "the-secret", header: null };
    const card = await fetchCardForRegistration(closed, `${PLAIN}/card.json`, secret);
    expect(card).toEqual({ ok: false, failure: expect.stringMatching(RULE) });
    const line = new A2aTransport(closed, `${PLAIN}/card.json`, AUTHORIZATION);
    line.timeoutMs = 1_000;
    const endpoint = {
      cardUrl: `${PLAIN}/card.json`,
      url: PLAIN,
      binding: "JSONRPC",
      tenant: "",
      streaming: false,
      takesData: false,
    } as const;
    const client = await a2aClient(endpoint, line);
    const error: unknown = await client.getTask({ tenant: "", id: "t" }).catch((e: unknown) => e);
    expect(line.classifyError(error).internalReason).toMatch(/must start with https:\/\//);
    expect(await line.fetchFile(`${PLAIN}/file`, BOUNDS, AbortSignal.timeout(1_000))).toBeNull();
    const asked = new LlmTransport(closed, true).fetch(PLAIN);
    await expect(asked).rejects.toBeInstanceOf(EgressError);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("a webhook's message is not sent over http: the attempt fails with the reason", async () => {
    const { id } = (await post("/agents/webhooks", { url: SECURE })).body.data;
    await env.DB.prepare("UPDATE webhooks SET url = ? WHERE id = ?").bind(PLAIN, id).run();
    const fetched = watchFetch();
    const { data } = (await post(`/agents/webhooks/${id}/test`)).body;
    expect(data.delivered).toBe(false);
    expect(data.attempt.error).toBe(
      "The address http://93.184.216.34 must start with https://, because secrets are sent to it.",
    );
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("the rule about secrets", () => {
  it("the rule does not affect requests without a secret, and is off if private addresses are allowed", async () => {
    const open = createEgress({ ALLOW_PRIVATE_EGRESS: "true", DNS_RESOLVER_URL: "" });
    expect((await closed.checkUrl(PLAIN, false)).ok).toBe(true);
    expect((await closed.checkUrl(SECURE, true)).ok).toBe(true);
    expect((await open.checkUrl(PLAIN, true)).ok).toBe(true);
    const judged = await createEgressGuard(env)(new URL(`${PLAIN}/s3cret`), true, null);
    expect(judged).toEqual({
      kind: "rejected",
      because: "address",
      url: "http://93.184.216.34",
      reason: expect.stringMatching(RULE),
    });
  });
});
