import { afterAll, beforeAll, expect, it } from "vitest";
import { post } from "../support/client.ts";
import { passTime, stopClock } from "../support/tasks.ts";
import { expire, keyed } from "../platform/idempotency/fixtures.ts";
import { startCounting, type Counters } from "./counters.ts";

const ROWS_MAX = 6;
const QUERY = { capability: "query", parameters: { document: "[5]", path: "$[0]" } };
const INVOKE = "/agents/tools/json-workbench/invoke";

let counters: Counters;

beforeAll(async () => {
  stopClock();
  counters = await startCounting();
});
afterAll(() => counters.stop());

function rows(): number {
  const { objects, meters, d1 } = counters.rowsWritten();
  return objects + meters + d1;
}

/** Counts the rows that a POST writes. */
async function cost(request: () => Promise<{ readonly status: number }>): Promise<number> {
  counters.reset();
  expect((await request()).status).toBe(200);
  return rows();
}

it("an Idempotency-Key adds at most six rows, a replay writes none, and neither adds a D1 query", async () => {
  const without = await cost(() => post(INVOKE, QUERY));
  const queries = counters.queries().length;
  const withKey = await cost(() => keyed("rows", INVOKE, QUERY));
  expect(counters.queries()).toHaveLength(queries);
  console.log(`rows written by an idempotency key: ${withKey - without}`);
  expect(withKey - without).toBeGreaterThan(0);
  expect(withKey - without).toBeLessThanOrEqual(ROWS_MAX);
  expect(await cost(() => keyed("rows", INVOKE, QUERY))).toBe(0);
  expect(counters.queries()).toEqual([]);
  passTime(86_400_000);
  counters.reset();
  expect(await expire("rows")).toBe(true);
  expect(rows()).toBe(0);
});
