import { evictAllDurableObjects, listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LimitObject, ToolMeter } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { callTool, connect, REVISIONS } from "../../interfaces/mcp/client.ts";
import { del, get, patch, post, send, type Answer } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyId, keyWith, UNMANAGING } from "../../support/keys.ts";
import { create, passTime, read, setClock, stopClock, wake } from "../../support/tasks.ts";
import { claimOne, waitingTask, workerAgent } from "../../tasks/workers/fixtures.ts";

const TOOL = "json-workbench";
const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
const TEXT = "Merchants paid for two wharves. The wharves still stand.";
const LOST_MS = 120_000;

beforeAll(async () => {
  stopClock();
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockReturnValue();
  // In this file, each tool call costs 25 cents.
  await env.DB.prepare("UPDATE tools SET price_free = 0, price_overage = 0.25").run();
});

/** Each test has its own day, and ends long before midnight. */
let day = 0;
beforeEach(() => {
  day += 1;
  setClock(new Date(Date.UTC(2027, 0, day, 12)).toISOString());
});

let limits = 0;

/** Creates a limit of half a dollar per day, which is two calls, until the test ends. */
async function limit(body: JsonObject = {}): Promise<string> {
  limits += 1;
  const id = `limit-${limits}`;
  const rule = { name: "Half", scope: { all: true }, measure: "usd", per: "day", limit: 0.5 };
  const answer = await post("/agents/limits", { id, ...rule, ...body });
  expect(answer.status, answer.text).toBe(201);
  onTestFinished(async () => {
    await del(`/agents/limits/${id}`);
  });
  return id;
}

const useOf = async (id: string) => {
  const { used, reserved } = (await get(`/agents/limits/${id}`)).body.data;
  return { used, reserved };
};

async function grant(agentId: string, toolId: string): Promise<void> {
  expect((await post("/agents/tools/access", { agentId, toolId })).status).toBe(201);
}

function invoke(body: JsonObject = {}, key?: string, tool = TOOL): Promise<Answer> {
  const options = key === undefined ? {} : { key };
  return post(`/agents/tools/${tool}/invoke`, { ...QUERY, ...body }, options);
}

/** Creates a worker agent with a grant and a claimed task, and a key bound to the agent. */
async function workingAgent(task: JsonObject = {}) {
  const agentId = await workerAgent();
  await grant(agentId, TOOL);
  await waitingTask(agentId, task);
  const { taskId } = await claimOne(agentId);
  return { agentId, taskId, key: await keyWith(UNMANAGING, { agentId }) };
}

describe("a call that a limit does not allow", () => {
  it("the calls of all callers share a limit on everything, and rejected calls cost nothing", async () => {
    const { agentId, taskId, key } = await workingAgent();
    const id = await limit();
    expect((await invoke()).status).toBe(200);
    expect((await invoke({ taskId }, key)).status).toBe(200);
    for (const call of [
      await invoke(),
      await invoke({ agentId }),
      await invoke({ taskId }),
      await invoke({}, key),
      await invoke({ taskId }, key),
    ]) {
      expectError(call, 402, "SPENDING_LIMIT_EXCEEDED");
      const resetAt = new Date(Date.UTC(2027, 0, day + 1)).toISOString();
      expect(call.body.error).toEqual({
        code: "SPENDING_LIMIT_EXCEEDED",
        message: `Limit "${id}" of $0.5 per day does not allow this: $0.5 used, up to $0.25 requested. It resets at ${resetAt}.`,
        retryable: false,
        context: {
          limitId: id,
          measure: "usd",
          per: "day",
          limit: 0.5,
          used: 0.5,
          reserved: 0,
          resetAt,
        },
      });
    }
    expect(await useOf(id)).toEqual({ used: 0.5, reserved: 0 });
    expect((await read(taskId)).spend).toEqual({ cost: 0.25, toolCalls: 1 });
    await vi.waitUntil(async () => {
      const { calls } = (await get(`/agents/tasks/${taskId}/calls`)).body.data;
      const codes = calls.map((call: { error?: { code: string } }) => call.error?.code);
      return codes.filter((code: string) => code === "SPENDING_LIMIT_EXCEEDED").length === 3;
    });
  });

  it("a limit on calls answers 429 with the time to wait, and the next day is allowed", async () => {
    const id = await limit({ measure: "calls", limit: 1 });
    expect((await invoke()).status).toBe(200);
    const rejected = await invoke();
    expectError(rejected, 429, "USAGE_LIMIT_EXCEEDED");
    expect(rejected.headers.get("Retry-After")).toBe(String(12 * 3_600));
    expect(rejected.body.error).toMatchObject({
      message: expect.stringContaining("of 1 call per day does not allow this: 1 call used"),
      retryable: true,
      context: { limitId: id, used: 1, limit: 1 },
    });
    passTime(12 * 3_600_000);
    expect((await invoke()).status).toBe(200);
  });

  it("a limit that never resets answers 402, also for calls", async () => {
    await limit({ measure: "calls", per: "total", limit: 1 });
    expect((await invoke()).status).toBe(200);
    const rejected = await invoke();
    expectError(rejected, 402, "SPENDING_LIMIT_EXCEEDED");
    expect(rejected.headers.get("Retry-After")).toBeNull();
    expect(rejected.body.error).toMatchObject({ retryable: false, context: { resetAt: null } });
  });

  it("a limit per call compares the highest possible price of each call", async () => {
    const id = await limit({ per: "call", limit: 0.2 });
    const rejected = await invoke();
    expectError(rejected, 402, "SPENDING_LIMIT_EXCEEDED");
    expect(rejected.body.error.message).toBe(
      `Limit "${id}" of $0.2 per call does not allow this: up to $0.25 requested.`,
    );
    await patch(`/agents/limits/${id}`, { limit: 0.25 });
    for (let call = 0; call < 3; call += 1) expect((await invoke()).status).toBe(200);
  });

  it.each(REVISIONS)("a call over MCP gets the same error (%s)", async (revision) => {
    const { key } = await workingAgent();
    const client = await connect(key, revision);
    await limit({ measure: "calls", limit: 1 });
    expect((await callTool(client, `${TOOL}__query`, QUERY.parameters)).isError).not.toBe(true);
    const result = await callTool(client, `${TOOL}__query`, QUERY.parameters);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({
      error: { code: "USAGE_LIMIT_EXCEEDED", retryAfterSeconds: 12 * 3_600 },
    });
  });

  it("a built-in agent's calls are limited", async () => {
    const agentId = "limited-reader";
    await grant(agentId, "text-analyst");
    const id = await limit({ scope: { agentId: "researcher" }, limit: 0.1 });
    const taskId = await create({ agentId: "researcher", context: { text: TEXT } });
    await vi.waitUntil(
      async () => {
        if (["completed", "failed"].includes((await read(taskId)).status)) return true;
        await wake(taskId);
        return false;
      },
      { timeout: 10_000 },
    );
    expect((await read(taskId)).spend.cost).toBe(0);
    const { calls } = (await get(`/agents/tasks/${taskId}/calls`)).body.data;
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      expect(call).toMatchObject({ error: { code: "SPENDING_LIMIT_EXCEEDED" } });
    }
    expect(await useOf(id)).toEqual({ used: 0, reserved: 0 });
  });
});

describe("the calls that a limit covers", () => {
  it("a limit covers its agent, its team's members, its tool or its key", async () => {
    const [one, other] = [await workerAgent(), await workerAgent()];
    for (const agentId of [one, other]) {
      for (const toolId of [TOOL, "text-analyst"]) await grant(agentId, toolId);
    }
    await send("PUT", "/agents/teams/limited-team", { agents: [one] });
    const key = await keyWith(["tools:invoke"]);
    const summarise = { capability: "summarise", parameters: { text: TEXT } };
    const scopes: readonly [JsonObject, JsonObject, string | undefined][] = [
      [{ agentId: one }, { agentId: one }, undefined],
      [{ teamId: "limited-team" }, { agentId: one }, undefined],
      [{ toolId: TOOL }, {}, undefined],
      [{ keyId: keyId(key) }, {}, key],
    ];
    for (const [scope, covered, by] of scopes) {
      const id = await limit({ scope, measure: "calls", limit: 1 });
      expect((await invoke(covered, by)).status).toBe(200);
      expectError(await invoke(covered, by), 429, "USAGE_LIMIT_EXCEEDED");
      const elsewhere = scope["toolId"] === undefined ? TOOL : "text-analyst";
      const more = elsewhere === TOOL ? {} : summarise;
      expect((await invoke({ agentId: other, ...more }, undefined, elsewhere)).status).toBe(200);
      expect(await useOf(id)).toEqual({ used: 1, reserved: 0 });
      await del(`/agents/limits/${id}`);
    }
  });

  it("a key cannot escape its limit with a key that it creates", async () => {
    const parent = await keyWith(["tools:invoke", "keys:manage"]);
    const issued = await post(
      "/agents/keys",
      { name: "child", scopes: ["tools:invoke"] },
      { key: parent },
    );
    const child = issued.body.data.key;
    await limit({ scope: { keyId: keyId(parent) }, measure: "calls", limit: 1 });
    expect((await invoke({}, child)).status).toBe(200);
    expectError(await invoke({}, child), 429, "USAGE_LIMIT_EXCEEDED");
    expectError(await invoke({}, parent), 429, "USAGE_LIMIT_EXCEEDED");
    expect((await invoke()).status).toBe(200);
  });

  it("a call counts in every limit that covers it, or in none", async () => {
    const wide = await limit({ limit: 10 });
    const narrow = await limit({ limit: 0.25 });
    expect((await invoke()).status).toBe(200);
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    for (const id of [wide, narrow]) expect(await useOf(id)).toEqual({ used: 0.25, reserved: 0 });
  });

  it("a disabled limit neither rejects nor counts", async () => {
    const id = await limit({ enabled: false });
    for (let call = 0; call < 3; call += 1) expect((await invoke()).status).toBe(200);
    expect((await useOf(id)).used).toBe(0);
  });

  it("a limit on all calls that one agent has used up also stops other agents", async () => {
    const [one, other] = [await workingAgent(), await workingAgent()];
    await limit();
    for (let call = 0; call < 2; call += 1) await invoke({ agentId: one.agentId }, one.key);
    expectError(await invoke({}, other.key), 402, "SPENDING_LIMIT_EXCEEDED");
  });
});

describe("the use of a limit", () => {
  it("a failed call costs nothing but counts as a call", async () => {
    const [money, calls] = [await limit(), await limit({ measure: "calls", limit: 9 })];
    const failed = await invoke({ parameters: { document: "[1", path: "$[0]" } });
    expect(failed.status).toBeGreaterThanOrEqual(400);
    expect(await useOf(money)).toEqual({ used: 0, reserved: 0 });
    expect(await useOf(calls)).toEqual({ used: 1, reserved: 0 });
  });

  it("a call that the meter rejects releases its limits and its task's budget", async () => {
    const { taskId } = await workingAgent({ budget: { maxToolCalls: 1 } });
    const [money, calls] = [await limit(), await limit({ measure: "calls", limit: 9 })];
    const repair = divert(ToolMeter.prototype, "admit", async () => ({
      admitted: false,
      reason: "circuit_open",
      retryAfterSeconds: 5,
      isOwn: false,
    }));
    expect((await invoke({ taskId })).status).toBe(503);
    for (const id of [money, calls]) expect(await useOf(id)).toEqual({ used: 0, reserved: 0 });
    repair();
    expect((await invoke({ taskId })).status).toBe(200);
  });

  it("a call that a limit rejects releases its task's budget", async () => {
    const { taskId } = await workingAgent({ budget: { maxToolCalls: 1 } });
    const id = await limit({ limit: 0.1 });
    for (let call = 0; call < 3; call += 1) {
      expectError(await invoke({ taskId }), 402, "SPENDING_LIMIT_EXCEEDED");
    }
    await del(`/agents/limits/${id}`);
    expect((await invoke({ taskId })).status).toBe(200);
  });

  it("a task's budget that pays less than the tool's price reserves less", async () => {
    const { taskId } = await workingAgent({ budget: { maxCost: 0.1 } });
    await limit({ limit: 0.1 });
    // The limit allows 10 cents, so the call reaches the meter, which says that 25 cents exceed the budget.
    expectError(await invoke({ taskId }), 402, "BUDGET_EXCEEDED");
  });

  it("if limits cannot be checked, the call is rejected with 503 and releases its budget", async () => {
    const { taskId } = await workingAgent({ budget: { maxToolCalls: 1 } });
    await limit({ limit: 9 });
    const repair = divert(LimitObject.prototype, "reserve", () =>
      Promise.reject(new Error("The object is down")),
    );
    expectError(await invoke({ taskId }), 503, "SERVICE_UNAVAILABLE");
    repair();
    expect((await invoke({ taskId })).status).toBe(200);
  });

  it("a call that is never settled counts in full when it is lost, even after an eviction", async () => {
    const id = await limit();
    const repair = divert(LimitObject.prototype, "settle", () =>
      Promise.reject(new Error("The object is down")),
    );
    const failed = await invoke({ parameters: { document: "[1", path: "$[0]" } });
    expect(failed.status).toBeGreaterThanOrEqual(400);
    repair();
    await evictAllDurableObjects();
    expect(await useOf(id)).toEqual({ used: 0, reserved: 0.25 });
    passTime(LOST_MS);
    expect(await useOf(id)).toEqual({ used: 0.25, reserved: 0 });
  });

  it("reservations that are never settled block others only until the limit is used up for the period", async () => {
    const id = await limit();
    const repair = divert(LimitObject.prototype, "settle", () => Promise.reject(new Error("down")));
    await invoke();
    await invoke();
    repair();
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    expect(await useOf(id)).toEqual({ used: 0, reserved: 0.5 });
    passTime(LOST_MS);
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    expect(await useOf(id)).toEqual({ used: 0.5, reserved: 0 });
  });

  it("a price that rises during a call does not exceed what the call reserved", async () => {
    const id = await limit();
    divert(ToolMeter.prototype, "admit", async (real) => {
      await env.DB.prepare("UPDATE tools SET price_overage = 9 WHERE id = ?").bind(TOOL).run();
      return real();
    });
    onTestFinished(async () => {
      await env.DB.prepare("UPDATE tools SET price_overage = 0.25").run();
    });
    expect((await invoke()).status).toBe(200);
    expect(await useOf(id)).toEqual({ used: 0.25, reserved: 0 });
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
  });

  it("another number keeps the use, and a limit that is created again with the same id continues it", async () => {
    const id = await limit();
    await invoke();
    await invoke();
    await patch(`/agents/limits/${id}`, { limit: 0.75 });
    expect((await invoke()).status).toBe(200);
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    const { name, scope, measure, per, timeZone } = (await get(`/agents/limits/${id}`)).body.data;
    await del(`/agents/limits/${id}`);
    const again = { id, name, scope, measure, per, timeZone, limit: 0.75 };
    expect((await post("/agents/limits", again)).body.data.used).toBe(0.75);
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    await patch(`/agents/limits/${id}`, { per: "week" });
    expect((await invoke()).status).toBe(200);
  });

  it("an eviction between two calls loses no use", async () => {
    const id = await limit();
    await invoke();
    await evictAllDurableObjects();
    await invoke();
    await evictAllDurableObjects();
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    expect((await useOf(id)).used).toBe(0.5);
  });
});

describe("the cost of limits", () => {
  it("a call that no limit covers, or that is free under a limit on money, sends no request to the object", async () => {
    await env.DB.prepare("UPDATE tools SET price_overage = 0 WHERE id = 'text-analyst'").run();
    onTestFinished(async () => {
      await env.DB.prepare("UPDATE tools SET price_overage = 0.25").run();
    });
    let requests = 0;
    for (const method of ["reserve", "settle"] as const) {
      divert(LimitObject.prototype, method, (real) => {
        requests += 1;
        return real();
      });
    }
    const agentId = await workerAgent();
    await limit({ scope: { agentId } });
    expect((await invoke()).status).toBe(200);
    await limit();
    const summarise = { capability: "summarise", parameters: { text: TEXT } };
    expect((await invoke(summarise, undefined, "text-analyst")).status).toBe(200);
    expect(requests).toBe(0);
    expect((await invoke()).status).toBe(200);
    expect(requests).toBe(2);
    expect(await listDurableObjectIds(env.LIMITS)).toHaveLength(1);
  });
});
