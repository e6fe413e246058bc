import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { get, post, ROOT, send } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";

const ID = "a".repeat(64);

const ENDPOINTS: readonly [method: string, path: string, body?: JsonObject][] = [
  ["GET", "/agents/tools"],
  ["GET", "/agents/tools/json-workbench"],
  ["POST", "/agents/tools/json-workbench/invoke", { capability: "query", parameters: {} }],
  ["GET", "/agents/tools/access/researcher"],
  ["POST", "/agents/tools/access", { agentId: "researcher", toolId: "json-workbench" }],
  ["DELETE", "/agents/tools/access/researcher/text-analyst"],
  ["POST", "/agents/tasks", { task: "Look around" }],
  ["GET", `/agents/tasks/${ID}`],
  ["GET", "/agents/tasks"],
  ["PATCH", `/agents/tasks/${ID}`, { priority: "low" }],
  ["POST", `/agents/tasks/${ID}/cancel`],
  ["POST", `/agents/tasks/${ID}/retry`],
  ["GET", `/agents/tasks/${ID}/deliverables`],
  ["POST", `/agents/tasks/${ID}/feedback`, { rating: 4 }],
];

beforeAll(stopClock);

describe.each(ENDPOINTS)("Authentication · 1 · %s %s", (method, path, body) => {
  it(`${method} ${path} is rejected without the header Authorization: Bearer <API_KEY>`, async () => {
    const answer = await send(method, path, body, { key: null });
    expect([answer.status, answer.body.error.code]).toEqual([401, "AUTHENTICATION_FAILED"]);
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
  });

  it(`${method} ${path} is authenticated with a valid key`, async () => {
    expect((await send(method, path, body)).status).not.toBe(401);
  });
});

describe("Authentication", () => {
  it("2 · a tool reports its own authentication: oauth with scopes, api-key, or none", async () => {
    const crm = { type: "oauth", scopes: ["contacts.read"] } as const;
    const weather = { type: "api-key", scopes: [] } as const;
    await registerTools(
      foreignTool("crm", { authentication: crm }),
      foreignTool("weather", { authentication: weather }),
    );
    const reported = async (id: string) =>
      (await get(`/agents/tools/${id}`)).body.data.authentication;
    expect(await reported("crm")).toEqual(crm);
    expect(await reported("weather")).toEqual(weather);
    expect(await reported("json-workbench")).toEqual({ type: "none", scopes: [] });
  });

  it.each([
    ["an unknown key", "Bearer bsn_0123456789abcdef_".padEnd(100, "0")],
    ["a key of another form", "Bearer sk-12345"],
    ["another scheme", "Basic YWRtaW46YWRtaW4="],
    ["no key", "Bearer"],
    ["a key without a scheme", ROOT],
    ["two keys", `Bearer ${ROOT}, Bearer ${ROOT}`],
    ["the key in upper case", `Bearer ${ROOT.toUpperCase()}`],
    ["the key with a suffix", `Bearer ${ROOT}x`],
  ])("3 · a request with %s gets AUTHENTICATION_FAILED", async (_, Authorization) => {
    const answer = await get("/agents/tools", { key: null, headers: { Authorization } });
    expect([answer.status, answer.body.error.code]).toEqual([401, "AUTHENTICATION_FAILED"]);
    expect(answer.text).not.toContain("for-tests-only");
  });

  it("4 · the service issues keys with scopes and an expiry", async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const wanted = { name: "reader", scopes: ["tools:read"], expiresAt };
    const { data } = (await post("/agents/keys", wanted)).body;
    expect(data).toMatchObject(wanted);
    expect((await get("/agents/tools", { key: data.key })).status).toBe(200);
    expect((await get("/agents/tasks", { key: data.key })).status).toBe(403);
  });
});
