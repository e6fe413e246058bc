import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openAgentSecret } from "../../src/agents/read-agent.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, patch, post } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { MODEL, registerNewAgent } from "./fixtures.ts";

const SECRET = "sk-very-s3cret";
const KEYED = { ...MODEL, apiKey: SECRET };

async function sealedOf(id: string): Promise<string | null> {
  return env.DB.prepare("SELECT sealed FROM agents WHERE id = ?").bind(id).first("sealed");
}

/** Returns an agent's decrypted API key, and whether the API shows that the agent has one. */
async function keyOf(id: string): Promise<{ apiKey: string | null; hasApiKey: unknown }> {
  const opened = await openAgentSecret(env, id, await sealedOf(id));
  if (!opened.ok) throw new Error(opened.failure);
  const { data } = (await get(`/agents/${id}`)).body;
  return { apiKey: opened.value?.apiKey ?? null, hasApiKey: data.executor.hasApiKey };
}

const changed = async (id: string, executor: JsonObject) => {
  const answer = await patch(`/agents/${id}`, { executor });
  expect(answer.status, answer.text).toBe(200);
  return keyOf(id);
};

afterEach(() => vi.restoreAllMocks());

describe("the API key of an agent", () => {
  it("an agent's API key appears in no response, no row and no log line", async () => {
    const lines = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
      vi.spyOn(console, level),
    );
    const answers = [
      await post("/agents", { id: "keyed", executor: KEYED }),
      await get("/agents/keyed"),
      await get("/agents?search=keyed"),
      await patch("/agents/keyed", { name: "Keyed" }),
      await patch("/agents/keyed", { executor: { ...KEYED, maxTurns: 0 } }),
      await post("/agents", { id: "keyed", executor: KEYED }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 400, 409]);
    for (const { text, headers } of answers) {
      expect(text + JSON.stringify([...headers])).not.toContain(SECRET);
    }
    expect(answers[0]?.body.data.executor).toMatchObject({ hasApiKey: true });
    expect(answers[0]?.text).not.toMatch(/apiKey"|sealed/);
    const { results } = await env.DB.prepare("SELECT * FROM agents").all();
    expect(JSON.stringify(results)).not.toContain(SECRET);
    expect(JSON.stringify(lines.map(({ mock }) => mock.calls))).not.toContain(SECRET);
    expect(await keyOf("keyed")).toEqual({ apiKey: SECRET, hasApiKey: true });
  });

  it("a change with the same type and origin that omits the API key keeps it", async () => {
    await registerNewAgent({ id: "stays", executor: KEYED });
    const kept = { apiKey: SECRET, hasApiKey: true };
    expect(await changed("stays", { ...MODEL, model: "m-2" })).toEqual(kept);
    expect(await changed("stays", { ...MODEL, baseUrl: "https://93.184.216.34/v2" })).toEqual(kept);
    expect(await changed("stays", { ...MODEL, baseUrl: "https://93.184.216.34:443/v2" })).toEqual(
      kept,
    );
  });

  it.each([
    ["host", "https://93.184.216.35/v1"],
    ["port", "https://93.184.216.34:8443/v1"],
    ["scheme", "http://93.184.216.34/v1"],
  ])(
    "a change to the URL's %s deletes the API key, and changing it back does not restore the key",
    async (what, baseUrl) => {
      const id = `moves-${what}`;
      await registerNewAgent({ id, executor: KEYED });
      const none = { apiKey: null, hasApiKey: false };
      expect(await changed(id, { ...MODEL, baseUrl })).toEqual(none);
      expect(await sealedOf(id)).toBeNull();
      expect(await changed(id, MODEL)).toEqual(none);
    },
  );

  it("a change to the type or provider deletes the API key, and changing it back does not restore the key", async () => {
    await registerNewAgent({ id: "turns", executor: KEYED });
    await patch("/agents/turns", { executor: { type: "worker" } });
    expect(await sealedOf("turns")).toBeNull();
    expect(await changed("turns", MODEL)).toEqual({ apiKey: null, hasApiKey: false });
    await registerNewAgent({ id: "to-ai", executor: KEYED });
    const ai = { type: "model", provider: "workers-ai", model: "@cf/x" };
    expect(await changed("to-ai", ai)).toEqual({ apiKey: null, hasApiKey: false });
  });

  it("an API key is replaced by a new one and deleted by null", async () => {
    await registerNewAgent({ id: "replaced", executor: KEYED });
    const other = await changed("replaced", { ...MODEL, apiKey: "other" });
    expect(other).toEqual({ apiKey: "other", hasApiKey: true });
    const none = await changed("replaced", { ...MODEL, apiKey: null });
    expect(none).toEqual({ apiKey: null, hasApiKey: false });
  });

  it("concurrent changes never combine an API key with an origin that it was not provided for", async () => {
    await registerNewAgent({ id: "raced", executor: KEYED });
    const otherUrl = "https://93.184.216.35/v1";
    await Promise.all([
      patch("/agents/raced", { executor: { ...MODEL, model: "m-2" } }),
      patch("/agents/raced", { executor: { ...MODEL, baseUrl: otherUrl, apiKey: "theirs" } }),
      patch("/agents/raced", { executor: { ...MODEL, model: "m-3" } }),
    ]);
    const { baseUrl } = (await get("/agents/raced")).body.data.executor;
    const { apiKey } = await keyOf("raced");
    expect([null, baseUrl === otherUrl ? "theirs" : SECRET]).toContain(apiKey);
  });

  it("an agent's API key cannot be decrypted for another agent", async () => {
    await registerNewAgent({ id: "mine", executor: KEYED });
    await registerNewAgent({ id: "theirs", executor: MODEL });
    const stolen = await sealedOf("mine");
    vi.spyOn(console, "warn").mockReturnValue();
    expect(await openAgentSecret(env, "theirs", stolen)).toEqual({
      ok: false,
      failure: expect.stringContaining("Set it again with PATCH /agents/theirs"),
    });
  });

  it("an API key that cannot be decrypted must be sent again, and the new key replaces it", async () => {
    await registerNewAgent({ id: "lost", executor: KEYED });
    await env.DB.prepare("UPDATE agents SET sealed = 'x.y.z' WHERE id = 'lost'").run();
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const answer = await patch("/agents/lost", { executor: MODEL });
    expectProblems(answer, { "executor.apiKey": "must be sent again" });
    expect(warn.mock.calls).toEqual([
      [{ event: "agent_secret_decrypt_failed", agentId: "lost", requestId: expect.any(String) }],
    ]);
    expect((await changed("lost", { ...MODEL, apiKey: "new" })).apiKey).toBe("new");
  });
});

const HEADERS = { "X-Team": "harbour-s3cret-1", "X-Key": "harbour-s3cret-2" };

/** Returns an agent's decrypted headers, and the response that shows the agent. */
async function headersOf(id: string) {
  const opened = await openAgentSecret(env, id, await sealedOf(id));
  if (!opened.ok) throw new Error(opened.failure);
  const { text, body } = await get(`/agents/${id}`);
  expect(text).not.toContain("harbour-s3cret");
  const { headerNames, hasApiKey, headers } = body.data.executor;
  expect(headers).toBeUndefined();
  return { kept: opened.value?.headers, headerNames, hasApiKey };
}

describe("the headers of a model's endpoint", () => {
  it("headers are encrypted and shown by name only, with or without an API key", async () => {
    const names = Object.keys(HEADERS);
    const keyless = await registerNewAgent({
      id: "heads",
      executor: { ...MODEL, headers: HEADERS },
    });
    expect(keyless.executor).toMatchObject({ headerNames: names, hasApiKey: false });
    expect(JSON.stringify(keyless)).not.toContain("harbour-s3cret");
    expect(await headersOf("heads")).toEqual({
      kept: HEADERS,
      headerNames: names,
      hasApiKey: false,
    });
    await registerNewAgent({ id: "heads-keyed", executor: { ...KEYED, headers: HEADERS } });
    expect(await headersOf("heads-keyed")).toMatchObject({ kept: HEADERS, hasApiKey: true });
    const { results } = await env.DB.prepare("SELECT * FROM agents").all();
    expect(JSON.stringify(results)).not.toContain("harbour-s3cret");
  });

  it("headers are kept if a change omits them, replaced entirely if it contains them, and deleted by null", async () => {
    const id = "heads-change";
    await registerNewAgent({ id, executor: { ...KEYED, headers: HEADERS } });
    await changed(id, { ...MODEL, apiKey: "other" });
    expect(await keyOf(id)).toEqual({ apiKey: "other", hasApiKey: true });
    expect((await headersOf(id)).kept).toEqual(HEADERS);
    const one = { "X-Other": "harbour-s3cret-3" };
    await changed(id, { ...MODEL, headers: one });
    expect(await keyOf(id)).toEqual({ apiKey: "other", hasApiKey: true });
    expect(await headersOf(id)).toMatchObject({ kept: one, headerNames: ["X-Other"] });
    await changed(id, { ...MODEL, apiKey: null });
    expect(await headersOf(id)).toMatchObject({ kept: one, hasApiKey: false });
    await changed(id, { ...MODEL, headers: null });
    expect(await sealedOf(id)).toBeNull();
  });

  it("a change to another origin deletes the stored headers", async () => {
    await registerNewAgent({ id: "heads-move", executor: { ...MODEL, headers: HEADERS } });
    await changed("heads-move", { ...MODEL, baseUrl: "https://93.184.216.35/v1" });
    expect(await sealedOf("heads-move")).toBeNull();
    expect((await headersOf("heads-move")).headerNames).toBeUndefined();
  });

  it("a new API key is rejected if a stored header would override it", async () => {
    const headers = { Authorization: "Basic harbour-s3cret" };
    await registerNewAgent({ id: "heads-taken", executor: { ...MODEL, headers } });
    const answer = await patch("/agents/heads-taken", { executor: KEYED });
    expectProblems(answer, {
      "executor.apiKey":
        "must be omitted because the agent authenticates with its stored header Authorization",
    });
    expect((await headersOf("heads-taken")).kept).toEqual(headers);
    const both = await patch("/agents/heads-taken", { executor: { ...KEYED, headers } });
    expectProblems(both, { "executor.headers.Authorization": "must be omitted" });
    expect(await changed("heads-taken", { ...KEYED, headers: null })).toEqual({
      apiKey: SECRET,
      hasApiKey: true,
    });
  });
});

describe("the address of a model", () => {
  it("the address of a model can have a query, which responses show", async () => {
    const baseUrl = "https://93.184.216.34/openai/v1?api-version=2026-01-01";
    const agent = await registerNewAgent({ id: "queried", executor: { ...MODEL, baseUrl } });
    expect(agent.executor.baseUrl).toBe(baseUrl);
  });
});
