import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { ROOT_KEY_ID, SCOPES } from "../../src/keys/model/key.ts";
import { KEY_CACHE_MS, KEY_USAGE_AGE_MAX_MS } from "../../src/keys/limits.ts";
import {
  STORED_BYTES_UNIT,
  STORED_BYTES_STEP,
  WORK_EXEMPT_BYTES_MAX,
} from "../../src/tasks/limits.ts";
import { EventLog } from "../../src/tasks/runtime/event-log.store.ts";
import { interceptCalls } from "../fault-injection/interpose-bindings.ts";
import { patch, post, type Answer } from "../support/client.ts";
import { keyId } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, stopClock, wake } from "../support/tasks.ts";
import { fileKeysOf } from "../support/task-state.ts";
import {
  bytesOf,
  claimOne,
  complete,
  report,
  upload,
  workerAgent,
} from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

/** Makes every D1 call fail until the test ends. Returns the spy on console.warn. */
function failDatabase() {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const restore = interceptCalls(async (binding, real) => {
    if (binding === "DB") throw new Error("D1 is unavailable");
    return real();
  });
  onTestFinished(() => {
    restore();
    warn.mockRestore();
  });
  return warn;
}

/** Creates a key with every scope and these limits. */
async function limited(limits: JsonObject): Promise<string> {
  const answer = await post("/agents/keys", { name: "limited", scopes: [...SCOPES], limits });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.key;
}

let agentId = "";
beforeAll(async () => {
  agentId = await workerAgent();
});

function order(key: string, body: JsonObject = {}): Promise<Answer> {
  return post("/agents/tasks", { task: "Wait", agentId, ...body }, { key });
}

/** Creates a task for an agent and returns the task's id. */
async function ordered(key: string, agent = agentId): Promise<string> {
  const answer = await order(key, { agentId: agent });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.taskId;
}

/** Creates a task for a new worker agent and claims it. */
async function claimed(key: string): Promise<{ id: string; lease: { token: string } }> {
  const agent = await workerAgent();
  const id = await ordered(key, agent);
  await wake(id);
  const { lease } = await claimOne(agent);
  return { id, lease };
}

function expectLimit(answer: Answer, key: string, limit: string, max: number): void {
  expectError(answer, 429, "RATE_LIMIT_EXCEEDED");
  expect(answer.body.error).toMatchObject({
    retryable: true,
    context: { keyId: keyId(key), limit, max },
    message: expect.stringContaining(`${limit} limit (${max})`),
  });
}

async function rowsOf(key: string): Promise<unknown> {
  const rows = env.DB.prepare("SELECT count(*) AS n FROM directory WHERE key_id = ?");
  return rows.bind(keyId(key)).first("n");
}

async function usageOf(key: string): Promise<unknown> {
  const usage = env.DB.prepare("SELECT live_tasks, stored_bytes FROM key_usage WHERE key_id = ?");
  return usage.bind(keyId(key)).first();
}

describe("live tasks", () => {
  it("over REST, MCP and A2A, tasks above the limit on live tasks are rejected until one ends", async () => {
    const key = await limited({ liveTasks: 2 });
    const [first] = [await ordered(key), await ordered(key)];
    expectLimit(await order(key), key, "liveTasks", 2);

    const rpc = (method: string, params: JsonObject) => ({ jsonrpc: "2.0", id: 1, method, params });
    const tool = rpc("tools/call", { name: "create_task", arguments: { task: "Wait" } });
    const mcp = await post("/mcp", tool, {
      key,
      headers: { Accept: "application/json, text/event-stream" },
      documented: false,
    });
    const message = { messageId: "one", role: "ROLE_USER", parts: [{ text: "Wait" }] };
    const headers = { "A2A-Version": "1.0" };
    const send = rpc("SendMessage", { message, configuration: { returnImmediately: true } });
    const a2a = await post("/a2a", send, { key, headers, documented: false });
    for (const answer of [mcp, a2a]) expect(answer.text).toContain("liveTasks limit (2)");
    expect(await rowsOf(key)).toBe(2);

    await post(`/agents/tasks/${first}/cancel`, {}, { key });
    expect((await order(key)).status).toBe(201);
    expectLimit(await order(key), key, "liveTasks", 2);
  });

  it("live tasks include a failed task that is retried", async () => {
    const key = await limited({ liveTasks: 1 });
    const agent = await workerAgent();
    const failed = await ordered(key, agent);
    await wake(failed);
    const { lease } = await claimOne(agent);
    await report(failed, lease.token, { type: "failed", error: { message: "No access" } });
    await ordered(key);
    expectLimit(await post(`/agents/tasks/${failed}/retry`, {}, { key }), key, "liveTasks", 1);
    // The limit of the key that created the task applies, whichever key retries it.
    expectLimit(await post(`/agents/tasks/${failed}/retry`), key, "liveTasks", 1);
  });

  it("live tasks of another key and of the root key do not count", async () => {
    const [key, other] = [await limited({ liveTasks: 1 }), await limited({ liveTasks: 1 })];
    await ordered(key);
    expect((await order(other)).status).toBe(201);
    expect((await post("/agents/tasks", { task: "Wait", agentId })).status).toBe(201);
    const root = env.DB.prepare("SELECT 1 FROM key_usage WHERE key_id = ?").bind(ROOT_KEY_ID);
    expect(await root.first()).toBeNull();
  });

  it("a repeated request that created a task is not limited", async () => {
    const key = await limited({ liveTasks: 1 });
    const again = { key, headers: { "Idempotency-Key": "once" } };
    const answers = [
      await post("/agents/tasks", { task: "Wait", agentId }, again),
      await post("/agents/tasks", { task: "Wait", agentId }, again),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });

  it("usage is read for the first task, and again only after two seconds", async () => {
    const key = await limited({ liveTasks: 10 });
    const reads: number[] = [];
    let count = 0;
    const real = env.DB.prepare.bind(env.DB);
    const prepare = vi.spyOn(env.DB, "prepare").mockImplementation((query) => {
      if (query.includes('from "key_usage"')) count += 1;
      return real(query);
    });
    onTestFinished(() => prepare.mockRestore());
    for (const pauseMs of [0, 0, KEY_USAGE_AGE_MAX_MS]) {
      count = 0;
      passTime(pauseMs);
      await ordered(key);
      reads.push(count);
    }
    expect(reads).toEqual([1, 0, 1]);
  });

  it("tasks can be created while D1 cannot be reached", async () => {
    const key = await limited({ liveTasks: 1 });
    await ordered(key);
    const warn = failDatabase();
    expect((await order(key)).status).toBe(201);
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ event: "key_usage_read_failed" }));
  });
});

it("concurrent requests in one isolate cannot create more tasks than the limit", async () => {
  const key = await limited({ liveTasks: 2 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => order(key)));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  expect([statuses.get(201)?.length, statuses.get(429)?.length]).toEqual([2, 6]);
});

const LARGE = { text: "x".repeat(WORK_EXEMPT_BYTES_MAX) };

/** A claimed task whose key has reached its limit on stored bytes. */
async function atLimit() {
  const key = await limited({ storedBytes: STORED_BYTES_UNIT });
  const agent = await workerAgent();
  const id = await ordered(key, agent);
  await wake(id);
  let { lease } = await claimOne(agent);
  const claimNext = async (): Promise<void> => {
    ({ lease } = await claimOne(agent));
  };
  const sendReport = (body: JsonObject) => report(id, lease.token, body);
  return { key, id, sendReport, claimNext };
}

describe("stored bytes", () => {
  it("above the limit on stored bytes, new tasks, changes that add bytes, and uploads are rejected", async () => {
    const key = await limited({ storedBytes: 2 * STORED_BYTES_UNIT });
    const { id, lease } = await claimed(key);
    const size = 2 * STORED_BYTES_UNIT;
    const headers = { "Bosun-Lease": lease.token };
    const file = (name: string, bytes: number) =>
      upload(id, name, bytesOf("x".repeat(bytes)), headers);
    expectLimit(await file("large.txt", size), key, "storedBytes", size);
    expect(await fileKeysOf(id)).toEqual([]);
    const at = `/agents/tasks/${id}`;
    const context = { notes: "y".repeat(size) };
    expectLimit(await patch(at, { context }, { key }), key, "storedBytes", size);

    expect((await file("small.txt", STORED_BYTES_UNIT)).status).toBe(201);
    expectLimit(await order(key), key, "storedBytes", size);
    expectLimit(await patch(at, { notes: "More." }, { key }), key, "storedBytes", size);
    // Requests that add no bytes are accepted, and the worker can finish the task.
    expect((await patch(at, { priority: "high" }, { key })).status).toBe(200);
    await complete(id, lease.token);
  });

  it("a report with a large `work` above the limit is rejected, and reports without a large `work` are accepted", async () => {
    const { key, id, sendReport, claimNext } = await atLimit();
    for (const body of [
      { type: "progress", progress: 5 },
      { type: "released" },
      { type: "blocked", question: "?" },
    ]) {
      const rejected = await sendReport({ ...body, work: LARGE });
      expectLimit(rejected, key, "storedBytes", STORED_BYTES_UNIT);
      expect(rejected.body.error.message).toContain("accepted without `work`");
      expect((await sendReport({ type: "heartbeat" })).status).toBe(200);
      expect((await sendReport({ ...body, work: { page: 1 } })).status).toBe(200);
      if (body.type === "released") await claimNext();
    }
    await post(`/agents/tasks/${id}/respond`, { response: "Go on." }, { key });
    await claimNext();
    const insights = ["x".repeat(WORK_EXEMPT_BYTES_MAX / 2), "y".repeat(WORK_EXEMPT_BYTES_MAX)];
    const review = { type: "review", result: { summary: "Done.", insights } };
    expect((await sendReport(review)).status).toBe(200);
  });

  it("above the limit, a report with a large 'work' gets 200 if it repeats the last one, and 409 if the lease is lost", async () => {
    const { sendReport } = await atLimit();
    const released = { type: "released", reason: "Shutdown." };
    expect((await sendReport(released)).status).toBe(200);
    expect((await sendReport({ ...released, work: LARGE })).status).toBe(200);
    expectError(
      await sendReport({ type: "progress", progress: 5, work: LARGE }),
      409,
      "LEASE_LOST",
    );
  });

  it("progress counts towards the usage only after a megabyte of events", async () => {
    const key = await limited({});
    const { id, lease } = await claimed(key);
    const work = { text: "x".repeat(60_000) };
    for (let sent = 0; sent < STORED_BYTES_STEP; sent += 60_000) {
      expect(await usageOf(key)).toEqual({ live_tasks: 1, stored_bytes: STORED_BYTES_UNIT });
      expect((await report(id, lease.token, { type: "progress", progress: 1, work })).status).toBe(
        200,
      );
    }
    expect(await usageOf(key)).toMatchObject({
      live_tasks: 1,
      stored_bytes: expect.toSatisfy((bytes: number) => bytes >= STORED_BYTES_STEP),
    });
    await complete(id, lease.token);
  });

  it("the usage of a key includes the whole log of an ended task, even if the task was evicted while its log grew", async () => {
    const key = await limited({});
    const { id, lease } = await claimed(key);
    const progress = { type: "progress", progress: 1, work: { text: "x".repeat(60_000) } };
    await report(id, lease.token, progress);
    await evictDurableObject(env.TASKS.get(env.TASKS.idFromString(id)));
    await report(id, lease.token, { type: "progress", progress: 2 });
    await complete(id, lease.token);
    expect(await usageOf(key)).toEqual({ live_tasks: 0, stored_bytes: 3 * STORED_BYTES_UNIT });
  });

  it("the log states the size of each event's data in bytes", async () => {
    const { id, lease } = await claimed(await limited({}));
    await report(id, lease.token, { type: "progress", progress: 1, work: { text: "é€😀" } });
    const object = env.TASKS.get(env.TASKS.idFromString(id));
    const stored = await runInDurableObject(object, (_, { storage }) => [
      ...new EventLog(storage).read(),
    ]);
    const sizes = stored.map(({ event }) => new Blob([JSON.stringify(event.data)]).size);
    expect(stored.at(-1)?.event.type).toBe("progressed");
    expect(stored.map(({ bytes }) => bytes)).toEqual(sizes);
  });

  it("stored bytes are the total size of all tasks' logs and files, each task rounded up to a whole unit, even after a task is cancelled", async () => {
    const key = await limited({});
    const agent = await workerAgent();
    const id = await ordered(key, agent);
    expect(await usageOf(key)).toEqual({ live_tasks: 1, stored_bytes: STORED_BYTES_UNIT });
    await wake(id);
    const { lease } = await claimOne(agent);
    const headers = { "Bosun-Lease": lease.token };
    const put = (times: number) =>
      upload(id, "one.txt", bytesOf("x".repeat(times * STORED_BYTES_UNIT)), headers);
    await put(3);
    expect(await usageOf(key)).toEqual({ live_tasks: 1, stored_bytes: 4 * STORED_BYTES_UNIT });
    await put(1);
    expect(await usageOf(key)).toEqual({ live_tasks: 1, stored_bytes: 2 * STORED_BYTES_UNIT });
    await post(`/agents/tasks/${id}/cancel`, {}, { key });
    expect(await usageOf(key)).toEqual({ live_tasks: 0, stored_bytes: 2 * STORED_BYTES_UNIT });
  });

  it("a PATCH of a context is accepted while D1 cannot return the limits of the key that created the task", async () => {
    const id = await ordered(await limited({ storedBytes: STORED_BYTES_UNIT }));
    passTime(KEY_CACHE_MS + 1);
    failDatabase();
    const answer = await patch(`/agents/tasks/${id}`, { context: { note: "small" } });
    expect(answer.status).toBe(200);
  });

  it("a PATCH that would be rejected anyway gets the status for that reason", async () => {
    const key = await limited({ storedBytes: STORED_BYTES_UNIT });
    const id = await ordered(key);
    const at = `/agents/tasks/${id}`;
    const change = { notes: "More." };
    expectLimit(await patch(at, change, { key }), key, "storedBytes", STORED_BYTES_UNIT);
    const stale = await patch(at, change, { key, headers: { "If-Match": '"99"' } });
    expect(stale.status).toBe(412);
    await post(`${at}/cancel`, {}, { key });
    expect((await patch(at, change, { key })).status).toBe(409);
  });
});
