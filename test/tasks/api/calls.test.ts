import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { CALLS_WITHOUT_EVENT_MAX } from "../../../src/tasks/limits.ts";
import { taskStub, type TaskRpc } from "../../../src/tasks/task.rpc.ts";
import { callTool, connect, REVISIONS } from "../../interfaces/mcp/client.ts";
import { get, post, type Answer } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyId, keyWith, UNMANAGING } from "../../support/keys.ts";
import { passTime, stopClock, taskIn } from "../../support/tasks.ts";
import { claimOne, heldTask, waitingTask, workerAgent } from "../workers/fixtures.ts";

beforeAll(stopClock);

const EVERYONE = { agentId: null, teamId: null };
const MINUTE_MS = 60_000;
const TOOL = "json-workbench";
const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
const POLLS_MAX = 200;
const STARTED = {
  id: "5f0f8f4e-6a3c-4e0b-9a51-2f1f0c6f4d10",
  toolId: TOOL,
  capability: "query",
  agentId: "researcher",
  source: "rest",
  keyId: "root",
  turn: null,
  requestId: null,
  parameters: { text: '{"path":"$"}', bytes: 12 },
} as const;
const PAID = { toolId: TOOL, capability: "query", cost: 0.5, durationMs: 7, ok: true };

/** A claimed task whose agent may use the tool, and a key of the agent. */
async function granted(
  body: JsonObject = {},
): Promise<{ id: string; agentId: string; key: string }> {
  const agentId = await workerAgent();
  const id = await waitingTask(agentId, body);
  await claimOne(agentId, { leaseSeconds: 3_600 });
  expect((await post("/agents/tools/access", { agentId, toolId: TOOL })).status).toBe(201);
  return { id, agentId, key: await keyWith(UNMANAGING, { agentId }) };
}

function invoke(taskId: string, body: JsonObject = {}, headers = {}): Promise<Answer> {
  return post(`/agents/tools/${TOOL}/invoke`, { ...QUERY, taskId, ...body }, { headers });
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
async function callsOf(id: string, query = "", key?: string): Promise<any[]> {
  const options = key === undefined ? {} : { key };
  const answer = await get(`/agents/tasks/${id}/calls${query}`, options);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.calls;
}

/** The calls of a task once there are `count` of them. Some rejections are stored after the response. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
async function untilCalls(id: string, count: number): Promise<any[]> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const calls = await callsOf(id);
    if (calls.length >= count) return calls;
  }
  throw new Error(`The task does not have ${count} calls`);
}

function stubOf(id: string): TaskRpc {
  const stub = taskStub(env.TASKS, id);
  if (!stub.ok) throw new Error("The task has no stub");
  return stub.value;
}

async function reserve(id: string, isSafe: boolean) {
  const started = { ...STARTED, id: crypto.randomUUID(), startedAt: Date.now() };
  const reserved = await stubOf(id).reserveCall(EVERYONE, 0.5, null, { started, isSafe });
  if (!reserved.ok) throw new Error("The budget must allow the call");
  const { value: reservation } = reserved;
  const record = {
    ...started,
    attempt: reservation.attempt,
    end: { outcome: "ok", durationMs: 7, cost: 0.5, result: { text: "{}", bytes: 2 } },
  } as const;
  return { callId: started.id, reservation, record };
}

describe("a call that was made", () => {
  it("is listed with its parameters, result, caller and event", async () => {
    const { id, agentId } = await granted();
    const invoked = await invoke(id);
    expect(invoked.status).toBe(200);
    const [call, ...others] = await callsOf(id);
    expect(others).toEqual([]);
    const { events } = (await get(`/agents/tasks/${id}/events`)).body.data;
    const event = events.at(-1);
    expect(event.data.calls).toEqual([expect.objectContaining({ callId: call.callId })]);
    expect(call).toEqual({
      callId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      toolId: TOOL,
      capability: "query",
      outcome: "ok",
      source: "rest",
      agentId,
      keyId: "root",
      requestId: invoked.headers.get("X-Request-Id"),
      attempt: 1,
      eventSeq: event.seq,
      startedAt: new Date().toISOString(),
      durationMs: expect.any(Number),
      cost: expect.any(Number),
      costUnit: "USD",
      parameters: { value: QUERY.parameters, size: JSON.stringify(QUERY.parameters).length },
      result: {
        value: invoked.body.data.result,
        size: JSON.stringify(invoked.body.data.result).length,
      },
    });
    expect((await get(`/agents/tasks/${id}/calls/${call.callId}`)).body.data).toEqual(call);
  });

  it("is still listed after an eviction, and a repeat with the same Idempotency-Key adds no record", async () => {
    const { id } = await granted();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await invoke(id, {}, headers);
    const repeated = await invoke(id, {}, headers);
    expect(repeated.headers.get("Idempotency-Replayed")).toBe("true");
    expect(repeated.body.data).toEqual(first.body.data);
    await evictAllDurableObjects();
    expect(await callsOf(id)).toHaveLength(1);
  });

  it("over MCP has the source mcp and the id of its key, which a bound key does not see", async () => {
    const { id, key } = await granted();
    const client = await connect(key, REVISIONS[0]);
    await callTool(client, `${TOOL}__query`, QUERY.parameters);
    expect(await callsOf(id)).toMatchObject([{ source: "mcp", keyId: keyId(key), outcome: "ok" }]);
    const [seen] = await callsOf(id, "", key);
    expect(seen).toMatchObject({ source: "mcp", outcome: "ok" });
    expect(seen).not.toHaveProperty("keyId");
  });

  it("is listed as failed with the error, and costs nothing, if the tool rejected its input", async () => {
    const { id } = await granted();
    const parameters = { document: "not JSON", path: "$" };
    expect((await invoke(id, { parameters })).status).toBe(400);
    expect(await callsOf(id)).toMatchObject([
      { outcome: "failed", cost: 0, error: { code: "VALIDATION_ERROR" }, eventSeq: 4 },
    ]);
  });

  it("has a long value cut off with its size and SHA-256", async () => {
    const { id } = await granted();
    const document = JSON.stringify({ rows: "é".repeat(9_000) });
    const result = await invoke(id, { parameters: { document, path: "$.rows" } });
    expect(result.status).toBe(200);
    const [listed] = await callsOf(id);
    const { parameters } = listed;
    expect(new TextEncoder().encode(parameters.preview).byteLength).toBeLessThanOrEqual(1_024);
    const json = JSON.stringify({ document, path: "$.rows" });
    const bytes = new TextEncoder().encode(json);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    expect(parameters).toMatchObject({
      size: bytes.byteLength,
      sha256: Buffer.from(digest).toString("hex"),
    });
    const whole = await get(`/agents/tasks/${id}/calls/${listed.callId}`);
    expect(whole.body.data.parameters.preview.startsWith(parameters.preview)).toBe(true);
    expect(new TextEncoder().encode(whole.body.data.parameters.preview).byteLength).toBeGreaterThan(
      8_180,
    );
  });

  it("has no secrets in its record, nor the SHA-256 of a long value with a secret", async () => {
    const { id } = await granted();
    const secret = "hunter2hunter2";
    const document = JSON.stringify({ password: secret, rows: "é".repeat(9_000) });
    expect((await invoke(id, { parameters: { document, path: "$.rows" } })).status).toBe(200);
    const [listed] = await callsOf(id);
    const whole = await get(`/agents/tasks/${id}/calls/${listed.callId}`);
    expect(whole.text).not.toContain(secret);
    for (const { parameters } of [listed, whole.body.data]) {
      expect(parameters).toMatchObject({
        preview: expect.stringContaining("***"),
        size: new TextEncoder().encode(JSON.stringify({ document, path: "$.rows" })).byteLength,
      });
      expect(parameters).not.toHaveProperty("sha256");
      expect(parameters).not.toHaveProperty("value");
    }
  });

  it("of a built-in agent's step has the source step, and each call in an event has a record", async () => {
    const id = await taskIn("completed", { context: { csv: "a,b\n1,2\n2,4\n3,7" } });
    const calls = await callsOf(id, "?limit=100");
    expect(calls.length).toBeGreaterThan(1);
    const { events } = (await get(`/agents/tasks/${id}/events?limit=100`)).body.data;
    const charged = events.flatMap(
      (event: { seq: number; data: { calls?: { callId: string }[] } }) =>
        (event.data.calls ?? []).map(({ callId }) => ({ callId, eventSeq: event.seq })),
    );
    expect(calls.map(({ callId, eventSeq }) => ({ callId, eventSeq }))).toEqual(
      expect.arrayContaining(charged),
    );
    expect(charged).toHaveLength(calls.length);
    for (const call of calls) expect(call).toMatchObject({ source: "step", attempt: 1 });
  });

  it("after its task was cancelled is listed without an event", async () => {
    const { id } = await granted();
    const { callId, reservation, record } = await reserve(id, true);
    expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    await stubOf(id).payCall(reservation, { ...PAID, callId }, record);
    const [call] = await callsOf(id);
    expect(call).toMatchObject({ callId, outcome: "ok", cost: 0.5 });
    expect(call).not.toHaveProperty("eventSeq");
  });
});

describe("a rejected call", () => {
  it.each<[string, JsonObject, string]>([
    ["with invalid parameters", { parameters: { document: 1 } }, "VALIDATION_ERROR"],
    ["of an unknown capability", { capability: "tides" }, "CAPABILITY_NOT_FOUND"],
    ["as another agent", { agentId: "researcher" }, "VALIDATION_ERROR"],
  ])("%s is listed with the reason", async (_, body, code) => {
    const { id } = await granted();
    expect((await invoke(id, body)).body.error.code).toBe(code);
    const [call] = await untilCalls(id, 1);
    expect(call).toMatchObject({ outcome: "rejected", cost: 0, error: { code }, source: "rest" });
    expect(call).not.toHaveProperty("result");
    expect((await get(`/agents/tasks/${id}/calls/${call.callId}`)).body.data).toEqual(call);
  });

  it("without a grant is listed with the reason, also after an eviction", async () => {
    const { id, agentId } = await heldTask();
    expectError(await invoke(id), 403, "TOOL_ACCESS_DENIED");
    await untilCalls(id, 1);
    await evictAllDurableObjects();
    expect(await callsOf(id)).toMatchObject([
      { outcome: "rejected", agentId, error: { code: "TOOL_ACCESS_DENIED" } },
    ]);
  });

  it("over its budget is listed with the reason", async () => {
    const { id } = await granted({ budget: { maxToolCalls: 0 } });
    expectError(await invoke(id), 402, "BUDGET_EXCEEDED");
    expect(await callsOf(id)).toMatchObject([
      {
        outcome: "rejected",
        error: { code: "BUDGET_EXCEEDED" },
        parameters: { value: QUERY.parameters },
      },
    ]);
  });

  it("that the tool's meter rejected is listed with the reason", async () => {
    const { id } = await granted();
    const { reservation, record } = await reserve(id, true);
    const end = {
      outcome: "rejected",
      durationMs: 0,
      cost: 0,
      error: { code: "RATE_LIMITED", message: "Wait." },
    } as const;
    await stubOf(id).releaseCall(reservation, false, { ...record, end });
    expect(await callsOf(id)).toMatchObject([
      { outcome: "rejected", error: { code: "RATE_LIMITED" } },
    ]);
  });

  it("of a task that has ended is not recorded", async () => {
    const { id } = await granted();
    expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    const error = { code: "NO", message: "No." };
    const end = { outcome: "rejected", durationMs: 0, cost: 0, error } as const;
    const rejected = { ...STARTED, id: crypto.randomUUID(), startedAt: Date.now(), end };
    await stubOf(id).recordRejectedCall(EVERYONE, rejected);
    expectError(await invoke(id), 409, "INVALID_STATE");
    expect(await callsOf(id)).toEqual([]);
  });

  it("replaces the oldest one if there are too many", async () => {
    const { id } = await granted();
    const end = {
      outcome: "rejected",
      durationMs: 0,
      cost: 0,
      error: { code: "NO", message: "No." },
    } as const;
    const ids = Array.from({ length: CALLS_WITHOUT_EVENT_MAX + 5 }, () => crypto.randomUUID());
    for (const callId of ids) {
      passTime(1);
      const rejected = { ...STARTED, id: callId, startedAt: Date.now(), end };
      await stubOf(id).recordRejectedCall(EVERYONE, rejected);
      if (callId === ids[10]) await evictAllDurableObjects();
    }
    const first = await get(`/agents/tasks/${id}/calls?limit=100`);
    const cursor = `&cursor=${first.body.data.nextCursor}`;
    const second = await get(`/agents/tasks/${id}/calls?limit=100${cursor}`);
    expect(second.body.data.nextCursor).toBeNull();
    const listed = [...first.body.data.calls, ...second.body.data.calls];
    expect(listed.map(({ callId }) => callId)).toEqual(ids.slice(5).toReversed());
  });
});

describe("a call whose outcome was never recorded", () => {
  it("that can change another system is running and then interrupted, even if the object restarts", async () => {
    const { id } = await granted();
    const { callId } = await reserve(id, false);
    await evictAllDurableObjects();
    expect(await callsOf(id, "?outcome=running")).toMatchObject([{ callId, cost: 0 }]);
    passTime(3 * MINUTE_MS);
    const [call, ...others] = await callsOf(id, "?outcome=interrupted");
    expect(others).toEqual([]);
    expect(call).toMatchObject({ callId, parameters: { value: { path: "$" }, size: 12 } });
    expect(call).not.toHaveProperty("durationMs");
  });

  it("and that ends after all has one record, with its outcome", async () => {
    const { id } = await granted();
    const { callId, reservation, record } = await reserve(id, false);
    await evictAllDurableObjects();
    await stubOf(id).payCall(reservation, { ...PAID, callId }, record);
    await evictAllDurableObjects();
    passTime(3 * MINUTE_MS);
    expect(await callsOf(id)).toMatchObject([{ callId, outcome: "ok", eventSeq: 4 }]);
  });

  it("that changes nothing is running while the object knows it, and is stored as interrupted when it is given up", async () => {
    const { id } = await granted();
    const { callId } = await reserve(id, true);
    expect(await callsOf(id)).toMatchObject([{ callId, outcome: "running" }]);
    passTime(3 * MINUTE_MS);
    await reserve(id, true);
    await evictAllDurableObjects();
    expect(await callsOf(id)).toMatchObject([{ callId, outcome: "interrupted" }]);
  });
});

describe("the list of calls", () => {
  it("can be filtered by outcome and read page by page, newest first", async () => {
    const { id } = await granted();
    for (const path of ["$[0]", "$[1]", "$"]) {
      await invoke(id, { parameters: { ...QUERY.parameters, path } });
      passTime(1_000);
    }
    await invoke(id, { capability: "tides" });
    const all = await untilCalls(id, 4);
    const [last, ...made] = all;
    expect(last).toMatchObject({ outcome: "rejected", capability: "tides" });
    expect(await callsOf(id, "?outcome=rejected")).toEqual([last]);
    expect(await callsOf(id, "?outcome=ok")).toEqual(
      made.filter(({ outcome }) => outcome === "ok"),
    );
    const first = await get(`/agents/tasks/${id}/calls?limit=3`);
    expect(first.body.data).toMatchObject({ taskId: id, calls: all.slice(0, 3), limit: 3 });
    const { nextCursor } = first.body.data;
    const second = await get(`/agents/tasks/${id}/calls?cursor=${nextCursor}`);
    expect(second.body.data).toMatchObject({ calls: all.slice(3), nextCursor: null });
    const other = await get(`/agents/tasks/${id}/calls?outcome=ok&cursor=${nextCursor}`);
    expectError(other, 400, "VALIDATION_ERROR");
    expectError(await get(`/agents/tasks/${id}/calls?outcome=done`), 400, "VALIDATION_ERROR");
  });

  it("is hidden from keys that may not read the task, and an unknown call is not found", async () => {
    const { id } = await granted();
    await invoke(id);
    const [{ callId }] = await callsOf(id);
    const key = await keyWith(UNMANAGING, { agentId: "researcher" });
    expectError(await get(`/agents/tasks/${id}/calls`, { key }), 404, "TASK_NOT_FOUND");
    expectError(await get(`/agents/tasks/${id}/calls/${callId}`, { key }), 404, "TASK_NOT_FOUND");
    expectError(await get(`/agents/tasks/${id}/calls/none`), 404, "CALL_NOT_FOUND");
  });

  it("is empty for a log without records, and new calls are then recorded", async () => {
    const { id } = await granted();
    await invoke(id);
    const stub = env.TASKS.get(env.TASKS.idFromString(id));
    await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec("ALTER TABLE events DROP COLUMN calls").toArray(),
    );
    await evictAllDurableObjects();
    expect(await callsOf(id)).toEqual([]);
    expect((await invoke(id)).status).toBe(200);
    expect(await callsOf(id)).toMatchObject([{ outcome: "ok", eventSeq: 5 }]);
  });
});
