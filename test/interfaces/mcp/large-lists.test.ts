import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MCP_TOOLS_PAGE_MAX } from "../../../src/interfaces/mcp/limits.ts";
import { startCounting, type Counters } from "../../performance/counters.ts";
import { post, ROOT } from "../../support/client.ts";
import { connect } from "./client.ts";

const TOOLS = 50_000;
const EACH = 3;
/** At most ten rows are read for each capability on a page. */
const ROWS_READ_MAX = 10 * MCP_TOOLS_PAGE_MAX;
const SEED_TIMEOUT_MS = 60_000;

let counters: Counters;

beforeAll(async () => {
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  await env.DB.batch([
    env.DB.prepare(
      `${numbers(TOOLS)}
       INSERT INTO tools (id, name, category, description, documentation, auth_type, auth_scopes, rate_requests, rate_period, price_free, price_overage)
       SELECT 'made-' || i, 'Made tool ' || i, 'data', '', '', 'none', '[]', 5, 'hour', 1, 0.1 FROM n`,
    ),
    env.DB.prepare(
      `${numbers(TOOLS * EACH)}
       INSERT INTO capabilities (tool_id, id, position, name, description, parameters)
       SELECT 'made-' || (i / ${EACH}), 'c.' || (i % ${EACH}), i % ${EACH}, 'One', '', '[]' FROM n`,
    ),
  ]);
  await post("/agents/tools/access", { agentId: "of-one", toolId: "made-49999" });
  counters = await startCounting();
}, SEED_TIMEOUT_MS);
afterAll(() => counters.stop());

/** The highest number of rows that one statement has read since the last reset. */
function rowsRead(): number {
  // D1 reports no counts for queries that return a single row.
  const read = counters.queries().flatMap(({ rowsRead: rows }) => (rows === null ? [] : [rows]));
  expect(read.length).toBeGreaterThan(0);
  return Math.max(...read);
}

describe(`a catalogue of ${TOOLS * EACH} capabilities`, { timeout: SEED_TIMEOUT_MS }, () => {
  it("listing a page of tools reads at most ten rows for each tool on it, at the start and in the middle", async () => {
    for (const params of [{}, { cursor: "40000.1" }]) {
      counters.reset();
      const { body } = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list", params });
      expect(body.result.tools.length).toBeGreaterThanOrEqual(MCP_TOOLS_PAGE_MAX);
      expect(body.result.nextCursor).toMatch(/^\d+\.\d+$/);
      expect(rowsRead()).toBeLessThanOrEqual(ROWS_READ_MAX);
    }
  });

  it("an agent's list and a call by a name with a hash read at most 100 rows each", async () => {
    const client = await connect(ROOT, "2026-07-28", { path: "/mcp?agentId=of-one" });
    counters.reset();
    const { tools } = await client.listTools({});
    expect(rowsRead()).toBeLessThanOrEqual(100);
    const names = tools.map(({ name }) => name).filter((name) => name.startsWith("made-"));
    expect(names).toHaveLength(EACH);
    counters.reset();
    await client.callTool({ name: names[0] ?? "", arguments: {} });
    expect(rowsRead()).toBeLessThanOrEqual(100);
  });

  it("an unknown name with a hash is looked up in at most 100 rows", async () => {
    const client = await connect(ROOT, "2026-07-28");
    counters.reset();
    const calling = client.callTool({ name: "made-12345__c_1_0123abcd", arguments: {} });
    await expect(calling).rejects.toThrow("Unknown tool");
    expect(rowsRead()).toBeLessThanOrEqual(100);
  });
});
