import { env } from "cloudflare:workers";
import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, post } from "../../support/client.ts";
import { passTime, read, stopClock, untilStatus } from "../../support/tasks.ts";
import { eventsOf, objectOf } from "../../support/task-state.ts";

beforeAll(stopClock);

const BODY: JsonObject = { task: "Count the wharves", context: { text: "Two wharves." } };

function createWith(idempotencyKey: string, body: JsonObject = BODY, key?: string) {
  const headers = { "Idempotency-Key": idempotencyKey };
  return post("/agents/tasks", body, { headers, ...(key === undefined ? {} : { key }) });
}

async function tasksMade(): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS count FROM directory").first<{
    count: number;
  }>();
  return row?.count ?? 0;
}

async function newKey(): Promise<string> {
  const made = await post("/agents/keys", { name: "other", scopes: ["tasks:write", "tasks:read"] });
  return made.body.data.key;
}

describe("an Idempotency-Key", () => {
  it("a repeated Idempotency-Key returns the first response's data even after the task has changed", async () => {
    const first = await createWith("moved-on");
    await untilStatus(first.body.data.taskId, "completed");
    passTime(3_600_000);
    await evictAllDurableObjects();
    const again = await createWith("moved-on");
    expect(again.status).toBe(201);
    expect(again.body.data).toEqual(first.body.data);
    expect(again.body.data.status).toBe("pending");
    expect(again.headers.get("Location")).toBe(first.headers.get("Location"));
    expect(again.body.metadata.requestId).not.toBe(first.body.metadata.requestId);
    expect(first.headers.has("Idempotency-Replayed")).toBe(false);
    expect((await read(first.body.data.taskId)).status).toBe("completed");
  });

  it("a repeated Idempotency-Key replays the response even after the deadline in the body has passed", async () => {
    const deadline = new Date(Date.now() + 60_000).toISOString();
    const first = await createWith("late", { ...BODY, deadline });
    passTime(120_000);
    const again = await createWith("late", { ...BODY, deadline });
    expect(again.status).toBe(201);
    expect(again.body.data).toEqual(first.body.data);
  });

  it("a repeated Idempotency-Key replays the response even after the agent in the body was disabled", async () => {
    const body = { ...BODY, agentId: "researcher" };
    const first = await createWith("disabled", body);
    await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = 'researcher'").run();
    const again = await createWith("disabled", body);
    await env.DB.prepare("UPDATE agents SET enabled = 1 WHERE id = 'researcher'").run();
    expect(again.status).toBe(201);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(again.body.data).toEqual(first.body.data);
  });

  it.each<[string, JsonObject]>([
    ["different text", { ...BODY, task: "Count the cellars" }],
    ["one more field", { ...BODY, priority: "high" }],
    ["a different context", { ...BODY, context: { text: "Three wharves." } }],
  ])("a repeat with %s is rejected, and the first task is unchanged", async (what, body) => {
    const first = await createWith(`reused with ${what}`.replaceAll(" ", "-"));
    const other = await createWith(`reused with ${what}`.replaceAll(" ", "-"), body);
    expect(other.status).toBe(422);
    expect(other.body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(await eventsOf(first.body.data.taskId)).toHaveLength(1);
  });

  it("with the same Idempotency-Key, an explicit default equals an omitted field", async () => {
    const first = await createWith("defaults");
    const again = await createWith("defaults", { ...BODY, priority: "medium", deliverables: [] });
    expect(again.status).toBe(201);
    expect(again.body.data.taskId).toBe(first.body.data.taskId);
  });

  it("the same Idempotency-Key sent with another API key creates another task", async () => {
    const first = await createWith("shared");
    const other = await createWith("shared", BODY, await newKey());
    expect(other.status).toBe(201);
    expect(other.body.data.taskId).not.toBe(first.body.data.taskId);
    expect(other.headers.has("Idempotency-Replayed")).toBe(false);
  });

  it("each request without an Idempotency-Key creates a task", async () => {
    const before = await tasksMade();
    const answers = await Promise.all([1, 2, 3].map(() => post("/agents/tasks", BODY)));
    expect(new Set(answers.map(({ body }) => body.data.taskId)).size).toBe(3);
    expect(await tasksMade()).toBe(before + 3);
  });

  it("an Idempotency-Key can be used again after its request was rejected", async () => {
    const refused = await createWith("mended", { ...BODY, agentId: "nobody-known" });
    expect(refused.status).toBe(404);
    const id = env.TASKS.idFromName("root:mended").toString();
    expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
    const tables = await runInDurableObject(objectOf(id), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    );
    expect(tables).toEqual([]);
    expect((await createWith("mended")).status).toBe(201);
  });
});
