import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { foreignTool, registerTools } from "../../support/catalogue.ts";
import { del, get, patch, post, send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { expectSuccess } from "./expect-success.ts";

/** A public IP address, so no name is resolved. */
const PUBLIC = "https://93.184.216.34";

const TIDES = {
  id: "tides",
  parameters: [{ name: "harbour", type: "string", required: true, schema: { minLength: 1 } }],
  request: {
    method: "POST",
    path: "/tides{?harbour}",
    query: { unit: { value: "m" } },
    headers: { "X-Harbour": { parameter: "harbour", style: "simple", explode: false } },
    body: {
      as: "multipart",
      fields: { name: "harbour" },
      files: { name: { contentType: "text/plain" } },
      styles: {},
    },
    result: "$.tides",
    baseUrl: `${PUBLIC}/other`,
    anonymous: true,
  },
};

function httpTool(id: string) {
  return {
    id,
    name: id,
    authentication: { type: "oauth", scopes: ["read"] },
    connector: {
      type: "http",
      baseUrl: PUBLIC,
      headers: { "X-Client": "bosun" },
      credential: { in: "header", name: "X-Api-Key" },
    },
    capabilities: [TIDES],
  };
}

describe("documented responses about tools", () => {
  beforeAll(async () => {
    await registerTools(foreignTool("foreign"));
    await post("/agents/tools", httpTool("seen"));
  });

  it("lists of tools with each filter match the OpenAPI document", async () => {
    for (const query of ["", "?search=csv&limit=2", "?category=data&offset=1", "?agentId=nobody"]) {
      expectSuccess(await get(`/agents/tools${query}`));
    }
  });

  it("responses about every tool match the OpenAPI document, for managers of tools and for readers", async () => {
    const { tools } = (await get("/agents/tools")).body.data;
    const reader = await keyWith(["tools:read"]);
    expect(tools.length).toBeGreaterThan(7);
    for (const { id, capabilities } of tools) {
      for (const key of [undefined, reader]) {
        const options = key === undefined ? {} : { key };
        const at = `/agents/tools/${id}`;
        expectSuccess(await get(at, options));
        expectSuccess(await get(`${at}/capabilities?limit=1`, options));
        expectSuccess(await get(`${at}/capabilities/${capabilities[0]}`, options));
      }
    }
  });

  it("responses to registering, changing and retiring HTTP and MCP tools match the OpenAPI document", async () => {
    const mcp = {
      id: "remote",
      name: "Remote",
      connector: { type: "mcp", url: `${PUBLIC}/mcp` },
      capabilities: [{ id: "add", tool: "add" }],
    };
    for (const body of [httpTool("own"), mcp]) {
      const { id, capabilities } = body;
      const at = `/agents/tools/${id}`;
      expectSuccess(await post("/agents/tools", body));
      for (const change of [
        { name: "Another" },
        { pricing: { free: 1, overage: 0.5 }, documentation: "https://example.com" },
        { capabilities: [...capabilities, { ...capabilities[0], id: "second" }] },
        { connector: { credential: null } },
      ]) {
        expectSuccess(await patch(at, change));
      }
      expectSuccess(await get(at));
      expectSuccess(await del(at));
    }
  });

  it("responses to a dry run, a first and a repeated import match the OpenAPI document", async () => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Harbour", version: "1" },
      servers: [{ url: PUBLIC }],
      paths: { "/tides": { get: { operationId: "tides", tags: ["sea"], responses: {} } } },
    };
    const body = { id: "imported", openapi: { document }, only: { tags: ["sea"] } };
    expectSuccess(await post("/agents/tools/import", { ...body, dryRun: true }));
    const made = await post("/agents/tools/import", body);
    expect(made.status).toBe(201);
    expectSuccess(made);
    expectSuccess(await post("/agents/tools/import", body));
  });

  it("responses to tool calls and about their usage match the OpenAPI document", async () => {
    await post("/agents/tools/access", { agentId: "caller", toolId: "format-bridge" });
    const at = "/agents/tools/format-bridge";
    const call = (content: string, agentId?: string) =>
      post(`${at}/invoke`, {
        capability: "convert",
        parameters: { content, from: "csv", to: "json" },
        ...(agentId === undefined ? {} : { agentId }),
      });
    expectSuccess(await call("a,b\n1,2", "caller"));
    const large = await call(`a,b\n${"1,2\n".repeat(9_000)}`);
    expect(large.body.data.result.oversized).toBe(true);
    expectSuccess(large);
    expect((await call("<", "caller")).status).toBe(200);
    expectSuccess(await get(`${at}/usage?days=3`));
    const { downloadUrl } = large.body.data.result;
    const file = await get(downloadUrl.slice(new URL(downloadUrl).origin.length), { key: null });
    expect(file.status).toBe(200);
    expect(file.headers.get("Content-Disposition")).toMatch(/^attachment/);
  });

  it("responses about grants match the OpenAPI document", async () => {
    const body = { agentId: "granted", toolId: "json-workbench", capabilities: ["query"] };
    const first = await post("/agents/tools/access", body);
    expect(first.status).toBe(201);
    expectSuccess(first);
    expectSuccess(await post("/agents/tools/access", body));
    const at = "/agents/tools/access/granted";
    expectSuccess(await get(at));
    expectSuccess(await del(`${at}/json-workbench`));
  });
});

describe("documented responses about credentials", () => {
  const client = { tokenUrl: `${PUBLIC}/token?tenant=a`, clientId: "bosun" };
  const secret = { clientSecret: "client-secret" };
  const bodies = [
    { type: "api-key", value: "key", in: "query", name: "api_key" },
    { type: "api-key", value: "key" },
    { type: "oauth-client-credentials", ...client, ...secret, audience: "harbour" },
    { type: "oauth-refresh-token", ...client, refreshToken: "token", scopes: ["read"] },
    {
      type: "oauth-authorization-code",
      ...client,
      ...secret,
      authorizationUrl: `${PUBLIC}/authorize`,
      issuer: PUBLIC,
      resource: "https://harbour.example.com/api",
      clientAuthentication: "post",
    },
  ];

  it("responses about credentials of every type match the OpenAPI document", async () => {
    await registerTools(foreignTool("kept"));
    const connector = {
      type: "http",
      baseUrl: PUBLIC,
      headers: {},
      timeoutMs: 1,
      credential: null,
    };
    await env.DB.prepare("UPDATE tools SET connector = ? WHERE id = 'kept'")
      .bind(JSON.stringify(connector))
      .run();
    const at = "/agents/tools/kept/credentials";
    for (const body of bodies) {
      expectSuccess(await send("PUT", at, body));
      expectSuccess(await get(at));
    }
    expectSuccess(await post(`${at}/connect`));
    expectSuccess(await del(at));
  });
});
