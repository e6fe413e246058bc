import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { del, get, patch, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { startCounting, type Counters } from "./counters.ts";

const KEYS = 5_000;
const TOOLS = 20;
const CAPABILITIES = 3_000;

let counters: Counters;
let parent = "";
let child = "";
let reader = "";
let manager = "";

/**
 * The root key and one other key have each created half of the keys. Every second tool has
 * documentation.
 */
beforeAll(async () => {
  parent = await keyWith(["keys:manage"]);
  const made = await post(
    "/agents/keys",
    { name: "child", scopes: ["keys:manage"] },
    { key: parent },
  );
  child = made.body.data.key;
  reader = await keyWith(["tools:read"]);
  manager = await keyWith(["tools:read", "tools:manage"]);
  const connector = JSON.stringify({
    type: "http",
    baseUrl: "https://93.184.216.34",
    headers: {},
    timeoutMs: 10_000,
    credential: null,
  });
  const operation = JSON.stringify({
    type: "http",
    request: { method: "GET", path: "/", baseUrl: "https://93.184.216.35" },
  });
  await env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEYS - 1})
       INSERT INTO keys (id, name, hash, scopes, created_at, created_by)
       SELECT printf('%016x', i), 'made', 'hash-' || i, '[]', 1, CASE i % 2 WHEN 0 THEN 'root' ELSE ? END FROM n`,
    ).bind(keyId(parent)),
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${TOOLS - 1})
       INSERT INTO tools (id, name, category, description, documentation, auth_type, auth_scopes, rate_requests, rate_period, price_free, price_overage, connector)
       SELECT CASE i % 2 WHEN 0 THEN 'bare-' ELSE 'documented-' END || i, 'Made', 'communication', '',
              CASE i % 2 WHEN 0 THEN '' ELSE 'https://docs.example.com' END, 'none', '[]', 5, 'hour', 1, 0.1, ?
       FROM n`,
    ).bind(connector),
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${CAPABILITIES - 1})
       INSERT INTO capabilities (tool_id, id, position, name, description, parameters, operation)
       SELECT tools.id, 'c-' || i, i, 'Made', '', '[]', ? FROM tools, n WHERE tools.id LIKE 'bare-%' OR tools.id LIKE 'documented-%'`,
    ).bind(operation),
  ]);
  counters = await startCounting();
}, 60_000);
afterAll(() => counters.stop());

describe(`the relationship between two of ${KEYS} keys`, () => {
  const limits = { limits: { openStreams: 3 } };

  it.each([
    ["the root key", () => ({})],
    ["the key that created it", () => ({ key: parent })],
  ])("a change to a key's limits by %s reads at most 20 rows", async (_, options) => {
    await get("/agents/keys?limit=1", options());
    counters.reset();
    const changed = await patch(`/agents/keys/${keyId(child)}`, limits, options());
    expect(changed.status, changed.text).toBe(200);
    expect(await counters.rowsRead()).toBeLessThanOrEqual(20);
  });

  it("a revocation by the root key reads at most 60 rows", async () => {
    counters.reset();
    expect((await del(`/agents/keys/${"0".repeat(16)}`)).status).toBe(200);
    expect(await counters.rowsRead()).toBeLessThanOrEqual(60);
  });
});

describe(`${TOOLS} tools with ${CAPABILITIES} capabilities each, half of them with documentation`, () => {
  const listed = async (key: string) => {
    counters.reset();
    const list = await get("/agents/tools?category=communication&limit=100", { key });
    expect(list.body.data.tools.length).toBeGreaterThanOrEqual(TOOLS);
    return counters.rowsRead();
  };

  it("a list for a key without tools:manage reads requests only of tools with documentation", async () => {
    const withHosts = await listed(reader);
    const without = await listed(manager);
    expect(without).toBeGreaterThanOrEqual(TOOLS * CAPABILITIES);
    const documented = TOOLS / 2;
    expect(withHosts - without).toBeLessThanOrEqual(documented * (CAPABILITIES + 10));
  });

  it("a GET of one tool reads its requests only for a key without tools:manage", async () => {
    const readsRequests = async (key: string) => {
      counters.reset();
      const answer = await get("/agents/tools/documented-1", { key });
      expect(answer.body.data.totalCapabilities).toBe(CAPABILITIES);
      return counters.queries().some(({ sql }) => sql.includes("$.request.baseUrl"));
    };
    expect([await readsRequests(manager), await readsRequests(reader)]).toEqual([false, true]);
  });
});
