import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import {
  queryCapability,
  invoke,
  registerHttpTool,
  requestsSeen,
} from "../../support/server-tools.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { passTime, setClock, stopClock } from "../../support/tasks.ts";

const STATUS = queryCapability("status", "/status", "code", "key");
const OK = queryCapability("ok", "/ok", "key");
const PAID = { pricing: { free: 2, overage: 0.25 } };

beforeAll(stopClock);

const usageOf = async (id: string, query = "", key?: string) =>
  (await get(`/agents/tools/${id}/usage${query}`, key === undefined ? {} : { key })).body.data;

describe("a tool's usage", () => {
  it("a tool's usage lists calls, failures and cost by day and agent, and the last calls", async () => {
    await registerHttpTool("hostile", "used", [OK, STATUS], PAID);
    for (const agentId of ["ann", "ben"]) {
      await post("/agents/tools/access", { agentId, toolId: "used" });
    }
    setClock("2031-03-01T10:00:00.000Z");
    await invoke("used", "ok", {}, { agentId: "ann" });
    await invoke("used", "ok", {}, { agentId: "ben" });
    await invoke("used", "status", { code: "404" }, { agentId: "ben" });
    await invoke("used", "ok");
    setClock("2031-03-02T10:00:00.000Z");
    await invoke("used", "ok", {}, { agentId: "ann" });
    const usage = await usageOf("used");
    expect(usage).toMatchObject({
      toolId: "used",
      from: "2031-02-01",
      to: "2031-03-02",
      total: { calls: 5, failed: 1, cost: 0.5 },
      breaker: { state: "closed" },
    });
    expect(
      usage.days.map((one: { day: string; agentId?: string; calls: number; cost: number }) => [
        one.day,
        one.agentId ?? null,
        one.calls,
        one.cost,
      ]),
    ).toEqual([
      ["2031-03-01", null, 1, 0.25],
      ["2031-03-01", "ann", 1, 0],
      ["2031-03-01", "ben", 2, 0],
      ["2031-03-02", "ann", 1, 0.25],
    ]);
    expect(usage.recentCalls).toHaveLength(5);
    expect(usage.recentCalls[0]).toMatchObject({
      at: "2031-03-02T10:00:00.000Z",
      capability: "ok",
      agentId: "ann",
      ok: true,
      cost: 0.25,
    });
    expect(usage.recentCalls[2]).toMatchObject({
      capability: "status",
      agentId: "ben",
      ok: false,
      code: "TOOL_UPSTREAM_ERROR",
      cost: 0,
    });
    expect((await usageOf("used", "?days=1")).total.calls).toBe(1);
  });

  it("an agent's key sees only the agent's own usage of a tool", async () => {
    const key = await keyWith(["tools:read"], { agentId: "ben" });
    const usage = await usageOf("used", "?days=30", key);
    expect(usage.total).toMatchObject({ calls: 2, failed: 1 });
    expect(usage.recentCalls.every((call: { agentId: string }) => call.agentId === "ben")).toBe(
      true,
    );
    const stranger = await keyWith(["tools:read"], { agentId: "storyteller" });
    expectError(await get("/agents/tools/used/usage", { key: stranger }), 404, "TOOL_NOT_FOUND");
  });

  it("a tool's usage lists the last hundred calls and counts all calls", async () => {
    await registerHttpTool("hostile", "busy-tool", [OK]);
    for (let call = 0; call < 11; call += 1) {
      await Promise.all(Array.from({ length: 10 }, () => invoke("busy-tool", "ok")));
    }
    const usage = await usageOf("busy-tool");
    expect(usage.recentCalls).toHaveLength(100);
    expect(usage.total.calls).toBe(110);
  });

  it("requesting an unknown tool's usage returns 404, and the number of days is limited", async () => {
    expectError(await get("/agents/tools/nobody/usage"), 404, "TOOL_NOT_FOUND");
    for (const days of ["0", "367", "1.5"]) {
      expectProblems(await get(`/agents/tools/used/usage?days=${days}`), { days: "1 to 366" });
    }
  });

  it("rejected calls are free, do not count and are not recorded", async () => {
    await registerHttpTool("hostile", "strict", [OK], {
      rateLimit: { requests: 1, period: "day" },
    });
    await invoke("strict", "ok");
    expect((await invoke("strict", "ok")).status).toBe(429);
    expectError(await invoke("strict", "ok", { nothing: "x" }), 400, "VALIDATION_ERROR");
    expect((await usageOf("strict")).total.calls).toBe(1);
  });
});

describe("a tool whose system fails repeatedly", () => {
  it("a tool becomes unavailable after five failures, with Retry-After, and is then probed by one call", async () => {
    await registerHttpTool("hostile", "ill", [STATUS, OK]);
    for (let call = 0; call < 5; call += 1) {
      const failing = await invoke("ill", "status", { code: "500", key: "ill" });
      expectError(failing, 502, "TOOL_UPSTREAM_ERROR");
      expect(failing.body.error.message).toContain('"ill"');
    }
    const before = await requestsSeen("ill");
    const rejected = await invoke("ill", "ok", { key: "ill" });
    expectError(rejected, 503, "SERVICE_UNAVAILABLE");
    expect(rejected.headers.get("Retry-After")).toBe("10");
    expect(await requestsSeen("ill")).toBe(before);
    expect((await usageOf("ill")).breaker.state).toBe("open");

    passTime(10_000);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => invoke("ill", "ok", { key: "probe" })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await requestsSeen("probe")).toBe(1);
    expect((await invoke("ill", "ok")).status).toBe(200);
    expect((await usageOf("ill")).breaker).toEqual({ state: "closed" });
  });

  it("a failed probe makes a tool unavailable for longer, and does not affect another tool of the same system", async () => {
    await registerHttpTool("hostile", "worse", [STATUS, OK]);
    await registerHttpTool("hostile", "neighbour", [OK]);
    for (let call = 0; call < 5; call += 1) await invoke("worse", "status", { code: "503" });
    passTime(10_000);
    expectError(await invoke("worse", "status", { code: "500" }), 502, "TOOL_UPSTREAM_ERROR");
    const rejected = await invoke("worse", "ok");
    expect(rejected.headers.get("Retry-After")).toBe("20");
    expect((await invoke("neighbour", "ok")).status).toBe(200);
  });

  it("a tool is available again as soon as its connector is changed", async () => {
    await registerHttpTool("hostile", "fixed", [STATUS, OK]);
    for (let call = 0; call < 5; call += 1) await invoke("fixed", "status", { code: "503" });
    expectError(await invoke("fixed", "ok"), 503, "SERVICE_UNAVAILABLE");
    await patch("/agents/tools/fixed", { connector: { timeoutMs: 5_000 } });
    expect((await invoke("fixed", "ok")).status).toBe(200);
  });

  it("a tool whose system rejects requests stays available", async () => {
    await registerHttpTool("hostile", "picky", [STATUS, OK]);
    for (let call = 0; call < 8; call += 1) await invoke("picky", "status", { code: "422" });
    expect((await invoke("picky", "ok")).status).toBe(200);
  });

  it("failed calls cost nothing", async () => {
    await registerHttpTool("hostile", "dear", [STATUS], { pricing: { free: 0, overage: 1 } });
    for (let call = 0; call < 4; call += 1) await invoke("dear", "status", { code: "500" });
    expect((await usageOf("dear")).total).toMatchObject({ calls: 4, failed: 4, cost: 0 });
  });
});
