import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { COUNT_CACHE_MS } from "../../../src/tasks/limits.ts";
import { get } from "../../support/client.ts";
import { passTime, stopClock } from "../../support/tasks.ts";

beforeAll(async () => {
  stopClock();
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
     INSERT INTO directory (id, seq, status, task, priority, attempt, created_at)
     SELECT printf('%064x', i), 1, 'failed', 'Task', 'medium', 1, 1700000000000 + i FROM n`,
  ).run();
});

async function totals(query: string): Promise<[total: number, totalExact: boolean]> {
  const { data } = (await get(`/agents/tasks?status=failed${query}`)).body;
  return [data.total, data.totalExact];
}

function endOf(count: number, status: string): Promise<unknown> {
  return env.DB.prepare(
    `UPDATE directory SET status = ? WHERE id IN
     (SELECT id FROM directory WHERE status = 'failed' ORDER BY created_at LIMIT ?)`,
  )
    .bind(status, count)
    .run();
}

it("a total above 10,000 is cached for ten seconds and then counted again", async () => {
  expect(await totals("")).toEqual([10_000, false]);
  await endOf(1, "completed");
  expect(await totals("")).toEqual([10_000, false]);
  expect(await totals("&priority=medium")).toEqual([10_000, true]);
  passTime(COUNT_CACHE_MS);
  expect(await totals("")).toEqual([10_000, true]);
});

it("a cached total is dropped when a page shows fewer tasks", async () => {
  await env.DB.prepare("UPDATE directory SET status = 'failed'").run();
  passTime(COUNT_CACHE_MS);
  expect(await totals("")).toEqual([10_000, false]);
  await endOf(9_995, "completed");
  expect(await totals("")).toEqual([6, true]);
});
