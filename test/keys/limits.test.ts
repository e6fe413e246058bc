import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { KEY_LIMITS, resolveKeyLimits } from "../../src/keys/model/key-limits.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { SCOPES } from "../../src/keys/model/key.ts";
import worker from "../../src/index.ts";
import { del, get, ORIGIN, patch, post } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { create, passTime, stopClock } from "../support/tasks.ts";

beforeAll(stopClock);

const MINUTE_MS = 60_000;

/** Creates a key with every scope and these limits. */
async function limited(limits: JsonObject, by?: string): Promise<string> {
  const body = { name: "limited", scopes: [...SCOPES], limits };
  const answer = await post("/agents/keys", body, by === undefined ? {} : { key: by });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.key;
}

async function limitsOf(key: string): Promise<JsonObject> {
  const { keys } = (await get("/agents/keys?limit=100")).body.data;
  return keys.find(({ id }: { id: string }) => id === keyId(key)).limits;
}

/** Sends a request to the Worker without reading the response to its end. */
function raw(path: string, key: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${key}`);
  const request = new Request(`${ORIGIN}${path}`, { ...init, headers });
  return Promise.resolve(worker.fetch(request, env, createExecutionContext()));
}

describe("the limits of a key", () => {
  it("each key shows its limits, or the defaults if it has none of its own", async () => {
    const key = await limited({ openStreams: 3 });
    expect(await limitsOf(key)).toEqual({ ...resolveKeyLimits(null), openStreams: 3 });
  });

  it("limits can be changed individually, and null restores a default", async () => {
    const key = await limited({ openStreams: 3, pushConfigurations: 4 });
    const at = `/agents/keys/${keyId(key)}`;
    const changed = await patch(at, { limits: { openStreams: null, requestsPerMinute: 7 } });
    expect(changed.status).toBe(200);
    const limits = { ...resolveKeyLimits(null), requestsPerMinute: 7, pushConfigurations: 4 };
    expect(changed.body.data).toMatchObject({ id: keyId(key), limits });
    expect(changed.body.data).not.toHaveProperty("key");
    expect(await limitsOf(key)).toEqual(limits);
  });

  it("the limits of an unknown or revoked key cannot be changed", async () => {
    const key = await limited({});
    await del(`/agents/keys/${keyId(key)}`);
    for (const id of [keyId(key), "0123456789abcdef", "root"]) {
      const answer = await patch(`/agents/keys/${id}`, { limits: { openStreams: 1 } });
      expectError(answer, 404, "KEY_NOT_FOUND");
    }
  });

  it("limits must be known and within their bounds", async () => {
    const bad = { requestsPerMinute: 0, openStreams: -1, tasks: 5 };
    expectProblems(await post("/agents/keys", { name: "x", scopes: ["tools:read"], limits: bad }), {
      "limits.requestsPerMinute": "at least 1",
      "limits.openStreams": "at least 0",
      "limits.tasks": "not a known field",
    });
    const key = await limited({});
    const at = `/agents/keys/${keyId(key)}`;
    expectProblems(await patch(at, { limits: {} }), { limits: "must set at least one field" });
    expectProblems(await patch(at, {}), { limits: "is required" });
  });

  it("the limits of a child key cannot exceed those of the key that creates it", async () => {
    const parent = await limited({ requestsPerMinute: 50, openStreams: 5 });
    const body = { name: "child", scopes: ["tools:read"], limits: { openStreams: 6 } };
    expectProblems(await post("/agents/keys", body, { key: parent }), {
      "limits.openStreams": "must be at most 5, which is the limit of the key that sets it, got 6",
    });
    const child = await limited({ openStreams: 2 }, parent);
    expect(await limitsOf(child)).toEqual({
      ...resolveKeyLimits(null),
      requestsPerMinute: 50,
      openStreams: 2,
    });
  });

  it("a key cannot raise a limit of a key that it created above its own limit", async () => {
    const key = await limited({ openStreams: 5 });
    const at = `/agents/keys/${keyId(await limited({}, key))}`;
    for (const openStreams of [6, null]) {
      const answer = await patch(at, { limits: { openStreams } }, { key });
      expectProblems(answer, { "limits.openStreams": "at most 5" });
    }
    expect((await patch(at, { limits: { openStreams: 4 } }, { key })).status).toBe(200);
  });

  it("a key changes only the limits of keys below it", async () => {
    const parent = await limited({ openStreams: 5 });
    const key = await limited({}, parent);
    const child = await limited({}, key);
    const sibling = await limited({}, parent);
    const earlier = await limited({});
    await env.DB.prepare("UPDATE keys SET created_by = NULL WHERE id = ?")
      .bind(keyId(earlier))
      .run();
    const lower = (target: string, by: JsonObject = { key }) =>
      patch(`/agents/keys/${keyId(target)}`, { limits: { openStreams: 4 } }, by);
    for (const target of [parent, key, sibling, earlier]) {
      const before = await limitsOf(target);
      const refused = await lower(target);
      expectError(refused, 403, "KEY_MISMATCH");
      expect(refused.body.error.message).toContain(keyId(target));
      expect(await limitsOf(target)).toEqual(before);
    }
    expect((await lower(child)).status).toBe(200);
    expect((await lower(child, { key: parent })).status).toBe(200);
    expect((await lower(earlier, {})).status).toBe(200);
  });

  it("a key cannot change the limits of a key with more scopes", async () => {
    const target = await limited({});
    const key = await keyWith(["keys:manage"]);
    const at = `/agents/keys/${keyId(target)}`;
    expectError(
      await patch(at, { limits: { openStreams: 1 } }, { key }),
      403,
      "INSUFFICIENT_SCOPE",
    );
    expect((await limitsOf(target))["openStreams"]).toBe(KEY_LIMITS.openStreams.default);
  });
});

describe("requests per minute", () => {
  it("requests over REST, MCP and A2A count together, and each protocol rejects requests above the limit with 429", async () => {
    const key = await limited({ requestsPerMinute: 3 });
    const mcp = () => {
      const body = { jsonrpc: "2.0", id: 1, method: "ping" };
      const headers = { Accept: "application/json, text/event-stream" };
      return post("/mcp", body, { key, headers, documented: false });
    };
    const a2a = () => {
      const body = { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} };
      return post("/a2a", body, { key, headers: { "A2A-Version": "1.0" }, documented: false });
    };
    const first = await get("/agents/tools", { key });
    expect(first.status).toBe(200);
    expect(first.headers.get("RateLimit")).toBe('"key";r=2;t=60');
    expect(first.headers.get("RateLimit-Policy")).toBe('"key";q=3;w=60');
    expect((await mcp()).headers.get("RateLimit")).toBe('"key";r=1;t=60');
    const third = await a2a();
    expect(third.status).toBe(200);
    expect(third.headers.get("RateLimit")).toBe('"key";r=0;t=60');
    passTime(10_000);
    const rejected = await get("/agents/tools", { key });
    expectError(rejected, 429, "RATE_LIMIT_EXCEEDED");
    expect(rejected.body.error).toMatchObject({
      retryable: true,
      context: { keyId: keyId(key), limit: "requestsPerMinute", max: 3 },
      message: expect.stringContaining("requestsPerMinute limit (3). Retry in 50 seconds."),
    });
    expect(rejected.headers.get("RateLimit")).toBe('"key";r=0;t=50');
    for (const answer of [rejected, await mcp(), await a2a()]) {
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([429, "50"]);
      expect(answer.text).toContain("requestsPerMinute");
    }
    passTime(MINUTE_MS);
    expect((await get("/agents/tools", { key })).status).toBe(200);
  });

  it("responses to requests of the root key state no limit", async () => {
    expect((await get("/agents/tools")).headers.has("RateLimit")).toBe(false);
  });

  it("requests of one key do not count for another", async () => {
    const [key, other] = [
      await limited({ requestsPerMinute: 1 }),
      await limited({ requestsPerMinute: 1 }),
    ];
    await get("/agents/tools", { key });
    expectError(await get("/agents/tools", { key }), 429, "RATE_LIMIT_EXCEEDED");
    expect((await get("/agents/tools", { key: other })).status).toBe(200);
  });

  it("requests with a wrong secret do not count", async () => {
    const key = await limited({ requestsPerMinute: 1 });
    const wrong = `bsn_${keyId(key)}_${"0".repeat(64)}`;
    expectError(await get("/agents/tools", { key: wrong }), 401, "AUTHENTICATION_FAILED");
    expect((await get("/agents/tools", { key })).status).toBe(200);
  });

  it("a response can state both the key's window and a tool's window", async () => {
    const key = await limited({});
    const body = { agentId: "researcher", capability: "tokenize", parameters: { text: "One." } };
    const answer = await post("/agents/tools/text-analyst/invoke", body, { key });
    const stated = answer.headers.get("RateLimit-Policy") ?? "";
    if (answer.status === 200) expect(stated).toMatch(/^"tool";.*, "key";q=6000;w=60$/);
    else expect(stated).toBe('"key";q=6000;w=60');
  });
});

describe("open streams", () => {
  const stream = { Accept: "text/event-stream" };

  interface OpenedStream {
    readonly status: number;
    readonly abort: () => Promise<void>;
  }

  /** Opens a stream of a task's events. `abort` disconnects. */
  function open(id: string, key: string): Promise<OpenedStream> {
    return openAt(`/agents/tasks/${id}/events`, key);
  }

  async function openAt(path: string, key: string): Promise<OpenedStream> {
    const over = new AbortController();
    const response = await raw(path, key, { headers: stream, signal: over.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const abort = async (): Promise<void> => {
      over.abort();
      await reader?.cancel().catch(() => {});
    };
    return { status: response.status, abort };
  }

  it("streams above the limit are rejected until the client of an open stream disconnects", async () => {
    const key = await limited({ openStreams: 2 });
    const id = await create();
    const [one, two] = [await open(id, key), await open(id, key)];
    expect([one.status, two.status]).toEqual([200, 200]);
    const rejected = await get(`/agents/tasks/${id}/events`, { key, headers: stream });
    expectError(rejected, 429, "RATE_LIMIT_EXCEEDED");
    expect(rejected.body.error.context).toEqual({
      keyId: keyId(key),
      limit: "openStreams",
      max: 2,
    });
    await one.abort();
    const three = await open(id, key);
    expect(three.status).toBe(200);
    expect((await open(id, key)).status).toBe(429);
    await Promise.all([two.abort(), three.abort()]);
  });

  it("a stream of the feed counts until its client disconnects", async () => {
    const key = await limited({ openStreams: 1 });
    const path = "/agents/events?from=latest";
    const one = await openAt(path, key);
    expect(one.status).toBe(200);
    expectError(await get(path, { key, headers: stream }), 429, "RATE_LIMIT_EXCEEDED");
    expect((await get(path, { key })).status).toBe(200);
    await one.abort();
    const two = await openAt(path, key);
    expect(two.status).toBe(200);
    await two.abort();
  });

  it("a stream stops counting when its task ends, and a request that opens no stream does not count", async () => {
    const key = await limited({ openStreams: 1 });
    const id = await create();
    const missing = `/agents/tasks/${"0".repeat(64)}/events`;
    for (let tries = 0; tries < 2; tries += 1) {
      expectError(await get(missing, { key, headers: stream }), 404, "TASK_NOT_FOUND");
    }
    const response = await raw(`/agents/tasks/${id}/events`, key, { headers: stream });
    await post(`/agents/tasks/${id}/cancel`);
    expect(await response.text()).toContain("cancelled");
    const again = await get(`/agents/tasks/${id}/events`, { key, headers: stream });
    expect(again.status).toBe(200);
  });

  it("only claims that wait count as open streams", async () => {
    const key = await limited({ openStreams: 1 });
    await post("/agents", { id: "waiter", executor: { type: "worker" } });
    const claim = (waitSeconds: number) =>
      post("/agents/tasks/claim", { agentId: "waiter", waitSeconds }, { key });
    const over = new AbortController();
    const waiting = raw("/agents/tasks/claim", key, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ agentId: "waiter", waitSeconds: 20 }),
      signal: over.signal,
    });
    let answer = await claim(0.01);
    while (answer.status === 200) answer = await claim(0.01);
    expectError(answer, 429, "RATE_LIMIT_EXCEEDED");
    expect((await claim(0)).status).toBe(200);
    over.abort();
    await waiting.catch(() => {});
    expect((await claim(0.01)).status).toBe(200);
  });

  it("an A2A stream above the limit is rejected before a task is created", async () => {
    const key = await limited({ openStreams: 0 });
    const count = () => env.DB.prepare("SELECT count(*) AS n FROM directory").first("n");
    const before = await count();
    for (const method of ["SendStreamingMessage", "SendMessage"]) {
      const parts = [{ text: "Wait" }];
      const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts };
      const body = { jsonrpc: "2.0", id: 1, method, params: { message } };
      const headers = { "A2A-Version": "1.0" };
      const answer = await post("/a2a", body, { key, headers, documented: false });
      expect([answer.status, answer.text]).toEqual([
        429,
        expect.stringContaining("openStreams limit (0)"),
      ]);
    }
    expect(await count()).toBe(before);
  });
});

describe("push configurations", () => {
  const URL = "https://93.184.216.34/";

  async function waiting(key: string): Promise<string> {
    await post("/agents", { id: "idle", executor: { type: "worker" } });
    const answer = await post("/agents/tasks", { task: "Wait", agentId: "idle" }, { key });
    return answer.body.data.taskId;
  }

  const configure = (taskId: string, id: string, key: string) =>
    post(
      "/a2a",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "CreateTaskPushNotificationConfig",
        params: { taskId, id, url: URL },
      },
      { key, headers: { "A2A-Version": "1.0" }, documented: false },
    );

  it("the push configurations of a key are limited across all of its tasks", async () => {
    const key = await limited({ pushConfigurations: 2 });
    const tasks = [await waiting(key), await waiting(key), await waiting(key)];
    const answers = [];
    for (const taskId of tasks) answers.push(await configure(taskId, "one", key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.text).toContain("pushConfigurations limit (2)");
    // A configuration with an existing id is replaced, and each key has its own limit.
    expect((await configure(tasks[0] ?? "", "one", key)).body).toHaveProperty("result");
    const other = await limited({ pushConfigurations: 1 });
    expect((await configure(tasks[2] ?? "", "one", other)).body).toHaveProperty("result");
  });

  it("a key at its limit can add push configurations of ended tasks, which do not count", async () => {
    const key = await limited({ pushConfigurations: 1 });
    const [open, ended] = [await waiting(key), await waiting(key)];
    expect((await configure(open, "one", key)).status).toBe(200);
    expect((await configure(ended, "one", key)).status).toBe(429);
    expect((await post(`/agents/tasks/${ended}/cancel`)).status).toBe(200);
    expect((await configure(ended, "one", key)).body).toHaveProperty("result");
    expect((await configure(ended, "two", key)).body).toHaveProperty("result");
    expect((await configure(open, "two", key)).status).toBe(429);
  });

  it("concurrent requests cannot create more push configurations than the limit", async () => {
    const key = await limited({ pushConfigurations: 3 });
    const tasks = await Promise.all(Array.from({ length: 8 }, () => waiting(key)));
    const answers = await Promise.all(tasks.map((taskId) => configure(taskId, "one", key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    const count = env.DB.prepare("SELECT count(*) AS n FROM webhooks WHERE created_by = ?");
    expect(await count.bind(keyId(key)).first("n")).toBe(3);
  });

  /**
   * Sends a message with a push configuration. The message creates a task, for an agent without
   * workers.
   */
  const sendWith = async (
    key: string,
    messageId: string,
    method: "SendMessage" | "SendStreamingMessage" = "SendMessage",
  ) => {
    await post("/agents", { id: "idle", executor: { type: "worker" } });
    const metadata = { bosun: { agentId: "idle" } };
    const message = { messageId, role: "ROLE_USER", parts: [{ text: "Wait" }], metadata };
    const taskPushNotificationConfig = { id: "one", url: URL };
    const configuration = { returnImmediately: true, taskPushNotificationConfig };
    const body = { jsonrpc: "2.0", id: 1, method, params: { message, configuration } };
    return post("/a2a", body, { key, headers: { "A2A-Version": "1.0" }, documented: false });
  };
  const taskCount = async (key: string) =>
    (await get("/agents/tasks?limit=100", { key })).body.data.total;

  it.each(["SendMessage", "SendStreamingMessage"] as const)(
    "push configurations above the limit are rejected before %s creates a task",
    async (method) => {
      const key = await limited({ pushConfigurations: 0 });
      const before = await taskCount(key);
      const answer = await sendWith(key, crypto.randomUUID(), method);
      expect(answer.status, answer.text).toBe(429);
      expect(answer.text).toContain("pushConfigurations limit (0)");
      expect(await taskCount(key)).toBe(before);
    },
  );

  it("the push configuration of a message that is repeated at the limit is accepted", async () => {
    const key = await limited({ pushConfigurations: 1 });
    const messageId = crypto.randomUUID();
    const [first, again] = [await sendWith(key, messageId), await sendWith(key, messageId)];
    expect([first.status, again.status], again.text).toEqual([200, 200]);
    expect(again.body.result.task.id).toBe(first.body.result.task.id);
    expect((await sendWith(key, crypto.randomUUID())).status).toBe(429);
  });

  it("above the limit, another key's push configurations cannot be taken over", async () => {
    const [key, other] = [await limited({}), await limited({ pushConfigurations: 0 })];
    const taskId = await waiting(key);
    await configure(taskId, "one", key);
    const find = env.DB.prepare("SELECT id FROM webhooks WHERE task_id = ?").bind(taskId);
    const object = env.WEBHOOKS.get(env.WEBHOOKS.idFromName((await find.first("id")) ?? ""));
    const stored = () => runInDurableObject(object, (_, { storage }) => [...storage.kv.list()]);
    const before = await stored();
    expect(before).not.toEqual([]);
    expect((await configure(taskId, "one", other)).status).toBe(429);
    // The first key's configuration keeps its position.
    expect(await stored()).toEqual(before);
  });
});
