import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../src/index.ts";
import { get, post, ROOT, send } from "../support/client.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("every JSON response", () => {
  it.each([
    ["a list", () => get("/agents/tools")],
    ["a task", () => post("/agents/tasks", { task: "x" })],
    ["a validation error", () => get("/agents/tools?limit=x")],
    ["a missing key", () => get("/agents/keys", { key: null })],
    ["an unknown route", () => get("/nowhere")],
    ["a wrong method", () => send("PUT", "/agents/keys")],
    ["/health", () => get("/health", { key: null })],
    ["MCP", () => post("/mcp", CALL)],
    ["MCP without a key", () => post("/mcp", CALL, { key: null })],
    ["A2A", () => post("/a2a", { ...CALL, method: "ListTasks" }, { headers: A2A })],
    ["A2A without a key", () => post("/a2a", CALL, { key: null, headers: A2A })],
    ["A2A over REST", () => get("/a2a/v1/tasks", { headers: A2A })],
  ])("a JSON response is not cached and has nosniff: %s", async (_, ask) => {
    const { headers } = await ask();
    expect(headers.get("Content-Type")).toMatch(/^application\/(?:a2a\+)?json/);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it("a public document that states its own caching may be cached", async () => {
    const { headers } = await get("/.well-known/agent-card.json", { key: null });
    expect(headers.get("Cache-Control")).toMatch(/max-age=\d+/);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });
});

const A2A = { "A2A-Version": "1.0" };

describe("HSTS", () => {
  const hstsAt = async (origin: string): Promise<string | null> => {
    const request = new Request(`${origin}/health`, {
      headers: { Authorization: `Bearer ${ROOT}` },
    });
    const response = await worker.fetch(request, env, createExecutionContext());
    expect(response.status).toBe(200);
    return response.headers.get("Strict-Transport-Security");
  };

  it("HSTS is sent over HTTPS", async () => {
    expect(await hstsAt("https://bosun.example.com")).toBe("max-age=63072000");
  });

  it.each(["http://localhost:8787", "https://localhost:8787", "https://127.0.0.1"])(
    "HSTS is not sent for %s, where it would block other local servers",
    async (origin) => {
      expect(await hstsAt(origin)).toBeNull();
    },
  );
});

describe("/.well-known without a key", () => {
  it.each([
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
  ])("%s returns 404 without a key, so that clients do not start a sign-in", async (path) => {
    const answer = await get(path, { key: null });
    expect([answer.status, answer.body.error.code]).toEqual([404, "NOT_FOUND"]);
  });

  it("an unknown path outside /.well-known requires a key", async () => {
    for (const path of ["/.well-knownx", "/agents/.well-known/oauth-x", "/x"]) {
      expect((await get(path, { key: null })).status).toBe(401);
    }
  });
});
