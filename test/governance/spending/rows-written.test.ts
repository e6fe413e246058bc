import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { post } from "../../support/client.ts";
import { stopClock } from "../../support/tasks.ts";
import { startCounting, type Counters } from "../../performance/counters.ts";

let counters: Counters;
beforeAll(async () => {
  stopClock();
  vi.spyOn(console, "warn").mockReturnValue();
  await env.DB.prepare("UPDATE tools SET price_free = 0, price_overage = 0.25").run();
  counters = await startCounting();
});
afterAll(() => counters.stop());

async function rowsOfCall() {
  counters.reset();
  const answer = await post("/agents/tools/json-workbench/invoke", {
    capability: "query",
    parameters: { document: "[1]", path: "$[0]" },
  });
  const { d1, meters, objects } = counters.rowsWritten();
  return { status: answer.status, d1, rows: meters + objects, queries: counters.queries().length };
}

it("limits cost an uncovered call nothing, a covered call three rows, and a rejected call none", async () => {
  await rowsOfCall();
  const uncovered = await rowsOfCall();
  for (const [id, measure] of [
    ["money", "usd"],
    ["money-too", "usd"],
    ["calls", "calls"],
  ] as const) {
    const rule = { name: "One dollar", scope: { all: true }, per: "day", limit: 1 };
    expect((await post("/agents/limits", { id, measure, ...rule })).status).toBe(201);
  }
  await post("/agents/limits", {
    id: "few-calls",
    name: "Few",
    scope: { all: true },
    measure: "calls",
    per: "total",
    limit: 3,
  });
  const changed = await post("/agents/limits", {
    id: "unused",
    name: "Unused",
    scope: { agentId: "researcher" },
    measure: "usd",
    per: "day",
    limit: 1,
  });
  expect(changed.status).toBe(201);
  const patched = await env.DB.prepare(
    "UPDATE limits SET amount = 100 WHERE id <> 'few-calls'",
  ).run();
  expect(patched.success).toBe(true);
  const first = await rowsOfCall();
  expect(first).toEqual({ ...uncovered, rows: uncovered.rows + 4 });
  await evictAllDurableObjects();
  expect(await rowsOfCall()).toEqual({ ...uncovered, rows: uncovered.rows + 3 });
  // The call that causes the warning stores the event and sets an alarm.
  expect(await rowsOfCall()).toEqual({ ...uncovered, rows: uncovered.rows + 5 });
  // The first rejected call of a window stores that its event has occurred, and the event. The alarm is already set.
  expect(await rowsOfCall()).toMatchObject({ status: 402, d1: uncovered.d1, rows: 2 });
  expect(await rowsOfCall()).toMatchObject({ status: 402, d1: uncovered.d1, rows: 0 });
});
