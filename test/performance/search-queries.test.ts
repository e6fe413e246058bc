import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";
import { startCounting, type Counters } from "./counters.ts";

const TOOLS = 100_000;
/**
 * For a page of 100 tools and a total counted up to 10,001, each match reads one index row and one
 * table row.
 */
const ROWS_READ_MAX = 2 * (10_001 + 100);
const SEED_TIMEOUT_MS = 60_000;

let counters: Counters;

/**
 * Every description contains "common" and "co". One in twenty also contains "medium", "qx" and "ø",
 * and a single one contains "zephyr", "qz" and "ÿ".
 */
beforeAll(async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${TOOLS - 1})
     INSERT INTO tools (id, name, category, description, documentation, auth_type, auth_scopes, rate_requests, rate_period, price_free, price_overage)
     SELECT 'made-' || i, 'Made tool ' || i, 'data',
            'common words' || CASE WHEN i >= ${0.95 * TOOLS} THEN ' medium qx ø' ELSE '' END
              || CASE i WHEN 77777 THEN ' zephyr qz ÿ' ELSE '' END,
            'https://example.com', 'none', '[]', 5, 'hour', 1, 0.1
     FROM n`,
  ).run();
  await post("/agents/tools/access", { agentId: "one-tool", toolId: "made-99999" });
  counters = await startCounting();
}, SEED_TIMEOUT_MS);
afterAll(() => counters.stop());

async function search(query: string) {
  counters.reset();
  const answer = await get(`/agents/tools?limit=20&${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

/** The highest number of rows that a single statement of the last request read. */
function rowsRead(): number {
  const read = counters.queries().map(({ rowsRead: rows }) => rows ?? Infinity);
  expect(read.length).toBeGreaterThan(0);
  return Math.max(...read);
}

describe(`a search among ${TOOLS} tools`, () => {
  it.each([
    ["common, three letters and more", "common", 20, 10_000, false],
    ["in every twentieth tool, at the end", "medium", 20, 5_000, true],
    ["rare", "zephyr", 1, 1, true],
    ["absent", "zeppelin", 0, 0, true],
    ["absent, of common letters", "nommoc", 0, 0, true],
    ["two letters, common", "co", 20, 10_000, false],
    ["two letters in every twentieth tool, at the end", "qx", 20, 5_000, true],
    ["two letters, rare", "qz", 1, 1, true],
    ["two letters, absent", "zj", 0, 0, true],
    ["one letter, common", "o", 20, 10_000, false],
    ["one letter in every twentieth tool, at the end", "Ø", 20, 5_000, true],
    ["one letter, rare", "Ÿ", 1, 1, true],
    ["one letter, absent", "ž", 0, 0, true],
  ])(
    "a search for text (%s: '%s') does not read the whole catalogue",
    async (_, text, shown, total, totalExact) => {
      const data = await search(`search=${encodeURIComponent(text)}`);
      expect(data.tools).toHaveLength(shown);
      expect([data.total, data.totalExact]).toEqual([total, totalExact]);
      expect(rowsRead()).toBeLessThanOrEqual(ROWS_READ_MAX);
    },
  );

  it.each(["common", "co", "o"])(
    "a search for '%s' among the few tools of an agent reads at most 1,000 rows",
    async (text) => {
      const data = await search(`agentId=one-tool&search=${text}`);
      expect(data.tools).toMatchObject([{ id: "made-99999" }]);
      expect(data.total).toBe(1);
      expect(rowsRead()).toBeLessThanOrEqual(1_000);
    },
  );

  it("a list without a search does not read the whole catalogue", async () => {
    await search("");
    expect(rowsRead()).toBeLessThanOrEqual(ROWS_READ_MAX);
    await search("category=data&offset=10000");
    expect(rowsRead()).toBeLessThanOrEqual(ROWS_READ_MAX);
  });
});
