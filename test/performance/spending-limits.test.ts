import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { interceptCalls, type Binding } from "../fault-injection/interpose-bindings.ts";
import { get, post } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";
import { heldTask } from "../tasks/workers/fixtures.ts";
import { startCounting, type Counters } from "./counters.ts";

const TOOL = "json-workbench";

let counters: Counters;
beforeAll(async () => {
  stopClock();
  counters = await startCounting();
});
afterAll(() => counters.stop());

/** Makes a call under a task. Returns the calls to bindings, the rows and the queries that it caused. */
async function costOfCall(taskId: string) {
  const calls: Binding[] = [];
  const restore = interceptCalls((binding, real) => {
    calls.push(binding);
    return real();
  });
  counters.reset();
  const parameters = { document: "[1]", path: "$[0]" };
  const answer = await post(`/agents/tools/${TOOL}/invoke`, {
    capability: "query",
    parameters,
    taskId,
  }).finally(restore);
  expect(answer.status, answer.text).toBe(200);
  const { objects, meters, d1 } = counters.rowsWritten();
  return {
    calls: calls.toSorted(),
    rows: objects + meters + d1,
    queries: counters.queries().length,
  };
}

async function createLimit(id: string, scope: JsonObject): Promise<void> {
  const rule = { name: "Calls", measure: "calls", per: "day", limit: 1_000 };
  expect((await post("/agents/limits", { id, scope, ...rule })).status).toBe(201);
}

it("without a limit that covers it, a call under a task causes no request, query or row for limits", async () => {
  const { agentId, id } = await heldTask();
  expect((await post("/agents/tools/access", { agentId, toolId: TOOL })).status).toBe(201);
  // The meter and the caches of the isolate store the first call separately.
  await costOfCall(id);
  const without = await costOfCall(id);
  // The context of the call, then the meter twice and the task three times.
  expect(without).toEqual({
    calls: ["DB", "METERS", "METERS", "TASKS", "TASKS", "TASKS"],
    rows: 2,
    queries: 1,
  });
  await createLimit("of-another", { agentId: "researcher" });
  expect(await costOfCall(id)).toEqual(without);
  await createLimit("covering", { agentId });
  await costOfCall(id);
  expect(await costOfCall(id)).toEqual({
    ...without,
    calls: ["DB", "LIMITS", "LIMITS", "METERS", "METERS", "TASKS", "TASKS", "TASKS"],
    rows: without.rows + 3,
  });
});

it("a list of no limits sends no request to the object that counts their use", async () => {
  const calls: Binding[] = [];
  onTestFinished(
    interceptCalls((binding, real) => {
      calls.push(binding);
      return real();
    }),
  );
  expect((await get("/agents/limits?offset=100")).body.data.limits).toEqual([]);
  expect(calls).not.toContain("LIMITS");
});
