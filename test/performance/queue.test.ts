import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";
import { create, read, stopClock, untilStatus, wake } from "../support/tasks.ts";
import { startCounting, type Counters } from "./counters.ts";

/** The maximum number of rows that a queue adds to the cost of a task. */
const ROWS_ADDED_MAX = 4;
const REQUESTS_ADDED_MAX = 3;
/**
 * Without a queue, the events `assigned` and `started` share a row. With a queue, the task starts
 * in a later commit, so `assigned` has a row of its own.
 */
const ASSIGNED_ROWS = 1;
/** A task that has waited is called once more when a slot is free. */
const WAITING_REQUESTS_MAX = 1;

interface Cost {
  readonly rows: number;
  readonly requests: number;
}

let counters: Counters;
let plain: Cost;

const CONTEXT: JsonObject = { text: "The harbour of Bergen was rebuilt in 1702, after a fire." };

async function register(id: string, settings: JsonObject): Promise<void> {
  const answer = await post("/agents", { id, ...settings });
  expect(answer.status, answer.text).toBe(201);
  await post("/agents/tools/access", { agentId: id, toolId: "text-analyst" });
}

const createFor = (agentId: string): Promise<string> =>
  create({ agentId, context: CONTEXT, deliverables: ["summary"] });

async function doTask(agentId: string): Promise<void> {
  await untilStatus(await createFor(agentId), "completed");
}

/** The cost of a piece of work, without the reads that the test itself makes. */
async function costOf(name: string, act: () => Promise<void>): Promise<Cost> {
  counters.reset();
  await act();
  const { objects, meters, d1 } = counters.rowsWritten();
  const requests = counters.requests().filter((method) => method !== "read");
  const rows = objects + meters + d1;
  console.log(
    `${name}: ${rows} rows (D1 ${d1}), ${requests.length} requests: ${requests.join(" ")}`,
  );
  return { rows, requests: requests.length };
}

beforeAll(async () => {
  stopClock();
  counters = await startCounting();
  await register("plain", {});
  await register("queued", { maxConcurrentTasks: 1 });
  // The first task creates the queue's table, so it is not measured.
  for (const agentId of ["plain", "queued"]) await doTask(agentId);
  plain = await costOf("without a queue", () => doTask("plain"));
});
afterAll(() => counters.stop());

describe("the cost of an agent's queue", () => {
  it("a queue with a free slot adds at most 4 rows and 3 requests to a task", async () => {
    const queued = await costOf("with a queue", () => doTask("queued"));
    expect(queued.rows - plain.rows).toBeGreaterThan(0);
    expect(queued.rows - plain.rows).toBeLessThanOrEqual(ROWS_ADDED_MAX);
    expect(queued.requests - plain.requests).toBeGreaterThan(0);
    expect(queued.requests - plain.requests).toBeLessThanOrEqual(REQUESTS_ADDED_MAX);
  });

  it("waiting for a slot adds no rows and at most one request", async () => {
    const both = await costOf("two, of which one waits", async () => {
      const [first, second] = [await createFor("queued"), await createFor("queued")];
      for (const id of [first, second]) await wake(id);
      expect((await read(second)).status).toBe("assigned");
      for (const id of [first, second]) await untilStatus(id, "completed");
    });
    const plainRows = plain.rows + ASSIGNED_ROWS;
    expect(both.rows - 2 * plainRows).toBeLessThanOrEqual(2 * ROWS_ADDED_MAX);
    const requests = 2 * REQUESTS_ADDED_MAX + WAITING_REQUESTS_MAX;
    expect(both.requests - 2 * plain.requests).toBeLessThanOrEqual(requests);
  });
});
