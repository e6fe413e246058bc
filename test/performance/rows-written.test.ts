import { evictAllDurableObjects } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, post, ROOT } from "../support/client.ts";
import { keyWith } from "../support/keys.ts";
import { create, stopClock, untilStatus } from "../support/tasks.ts";
import { typesOf } from "../support/task-state.ts";
import { startCounting, type Counters } from "./counters.ts";

const HOUR_MS = 3_600_000;
const ROWS_MAX = 17;
/** A task with a team has an entry in one more index. */
const TEAM_ROWS = 1;
const KEY_USAGE_ROWS = 2;

let counters: Counters;

beforeAll(async () => {
  stopClock();
  // The feed creates its table with the first task, which is therefore not counted.
  await untilStatus(await create({ context: CONTEXT }), "completed");
  counters = await startCounting();
});
afterAll(() => counters.stop());

const CONTEXT: JsonObject = { text: "The harbour of Bergen was rebuilt in 1702, after a fire." };

describe("a task with four progress steps and one deliverable", () => {
  it.each<[string, JsonObject]>([
    ["without a named agent or team", {}],
    ["of a team", { teamId: "insights" }],
    ["with a deadline", { deadline: "2031-01-01T00:00:00Z" }],
    ["of a named agent", { agentId: "researcher" }],
  ])("a task %s writes at most 17 rows, plus one for a team", async (name, body) => {
    counters.reset();
    const id = await create({ ...body, context: CONTEXT, deliverables: ["summary"] });
    await untilStatus(id, "completed");
    const { objects, d1, meters, feed } = counters.rowsWritten();
    console.log(
      `rows written, ${name}: object ${objects} + feed ${feed} + D1 ${d1} = ${objects + feed + d1}; meters ${meters}`,
    );

    const types = await typesOf(id);
    expect(types.filter((type) => type === "progressed")).toHaveLength(4);
    expect((await get(`/agents/tasks/${id}/deliverables`)).body.data.deliverables).toHaveLength(1);
    // Every event except `assigned` has its own row. A lower count would mean that the counters do
    // not work.
    expect(objects).toBeGreaterThan(types.length - 1);
    expect(d1).toBeGreaterThan(0);
    expect(feed).toBeGreaterThan(0);
    const rowsMax = ROWS_MAX + ("teamId" in body ? TEAM_ROWS : 0);
    expect(objects + feed + d1).toBeLessThanOrEqual(rowsMax);
  });

  it("a task created with a stored key writes two more rows to D1 than one created with the root key", async () => {
    const key = await keyWith(["tasks:read", "tasks:write"]);
    await ranBy(key);
    counters.reset();
    await ranBy(ROOT);
    const { d1: ofRoot } = counters.rowsWritten();
    counters.reset();
    await ranBy(key);
    expect(counters.rowsWritten().d1 - ofRoot).toBe(KEY_USAGE_ROWS);
  });
});

/** Creates a task with a key and runs it to completion. */
async function ranBy(key: string): Promise<void> {
  const body = { task: "Summarise what happened", context: CONTEXT };
  const answer = await post("/agents/tasks", body, { key });
  await untilStatus(answer.body.data.taskId, "completed");
}

describe("requests that change nothing", () => {
  it("reading and listing tasks and tools writes nothing", async () => {
    const id = await create({ context: CONTEXT });
    await untilStatus(id, "completed");
    counters.reset();
    for (const path of ["", "/events", "/deliverables"]) await get(`/agents/tasks/${id}${path}`);
    await get("/agents/tasks?status=completed");
    await get("/agents/tools?search=json");
    await get("/agents/tools/json-workbench");
    expect(counters.rowsWritten()).toEqual({ objects: 0, meters: 0, d1: 0, feed: 0 });
  });

  it("a read after an eviction does not set the task's alarm again", async () => {
    const deadline = new Date(Date.now() + HOUR_MS).toISOString();
    const id = await create({ context: { ...CONTEXT, askFirst: "Which year?" }, deadline });
    await untilStatus(id, "blocked");
    await evictAllDurableObjects();
    counters.reset();
    await get(`/agents/tasks/${id}`);
    expect(counters.rowsWritten()).toEqual({ objects: 0, meters: 0, d1: 0, feed: 0 });
  });

  it("invalid ids, rejected commands and replays write nothing", async () => {
    const headers = { "Idempotency-Key": "budget" };
    const id: string = (await post("/agents/tasks", { task: "x" }, { headers })).body.data.taskId;
    counters.reset();
    expect((await get(`/agents/tasks/${"0".repeat(64)}`)).status).toBe(404);
    expect((await post(`/agents/tasks/${id}/respond`, { response: "x" })).status).toBe(409);
    expect((await post("/agents/tasks", { task: "x" }, { headers })).status).toBe(201);
    expect((await post("/agents/tasks", { task: "y" }, { headers })).status).toBe(422);
    expect(counters.rowsWritten()).toEqual({ objects: 0, meters: 0, d1: 0, feed: 0 });
  });
});
