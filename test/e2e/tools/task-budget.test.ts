import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, post } from "../../support/client.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import {
  queryCapability,
  invoke,
  registerHttpTool,
  requestsSeen,
} from "../../support/server-tools.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { create, read, stopClock, taskIn, untilStatus, wake } from "../../support/tasks.ts";

beforeAll(async () => {
  stopClock();
  const capabilities = [
    queryCapability("ok", "/ok", "key"),
    queryCapability("status", "/status", "code"),
  ];
  await registerHttpTool("hostile", "paid", capabilities, { pricing: { free: 0, overage: 0.25 } });
  await post("/agents/tools/access", { agentId: "researcher", toolId: "paid" });
});

/** Creates a task that is in progress with the researcher agent. */
const working = (budget = {}) => taskIn("in_progress", { agentId: "researcher", budget });

const callFor = (taskId: string, others = {}) => invoke("paid", "ok", {}, { taskId, ...others });

describe("a call under a task", () => {
  it("a call under a task is made by the task's agent and recorded in its log and spend", async () => {
    const id = await working();
    const before = await read(id);
    const called = await callFor(id);
    expect(called.status, called.text).toBe(200);
    const after = await read(id);
    expect(after.spend).toEqual({ toolCalls: 1, cost: 0.25 });
    expect([after.status, after.progress]).toEqual(["in_progress", before.progress]);
    const { events } = (await get(`/agents/tasks/${id}/events`)).body.data;
    expect(events.at(-1)).toMatchObject({
      type: "progressed",
      data: { calls: [{ toolId: "paid", capability: "ok", cost: 0.25, ok: true }] },
    });
    const usage = (await get("/agents/tools/paid/usage")).body.data;
    expect(usage.recentCalls[0]).toMatchObject({ taskId: id, agentId: "researcher" });
  });

  it("a failed call under a task is recorded and costs nothing", async () => {
    const id = await working();
    const failed = await invoke("paid", "status", { code: "404" }, { taskId: id });
    expectError(failed, 502, "TOOL_UPSTREAM_ERROR");
    expect((await read(id)).spend).toEqual({ cost: 0, toolCalls: 1 });
  });

  it("a task completes after a call under it", async () => {
    const id = await working();
    await callFor(id);
    await untilStatus(id, "completed");
    expect((await read(id)).spend).toMatchObject({ cost: 0.25 });
  });
});

describe("a task's budget", () => {
  it("a used-up call budget blocks the task, and raising it allows calls again", async () => {
    const id = await working({ maxToolCalls: 1 });
    expect((await callFor(id)).status).toBe(200);
    const refused = await callFor(id);
    expectError(refused, 402, "BUDGET_EXCEEDED");
    expect((await read(id)).status).toBe("blocked");
    expect((await read(id)).blocked).toMatchObject({ kind: "budget" });
    expectError(await callFor(id), 409, "INVALID_STATE");
    await post(`/agents/tasks/${id}/respond`, { response: { maxToolCalls: 3 } });
    expect((await callFor(id)).status).toBe(200);
  });

  it("a cost budget blocks the task before a call that it does not cover", async () => {
    const id = await working({ maxCost: 0.3 });
    expect((await callFor(id)).status).toBe(200);
    const refused = await invoke("paid", "ok", { key: "dear" }, { taskId: id });
    expectError(refused, 402, "BUDGET_EXCEEDED");
    expect(await requestsSeen("dear")).toBe(0);
    expect(await read(id)).toMatchObject({ status: "blocked", spend: { cost: 0.25 } });
  });

  it("an answer that does not raise the budget allows no more calls and does not lead to a second question", async () => {
    const id = await working({ maxToolCalls: 0 });
    expectError(await callFor(id), 402, "BUDGET_EXCEEDED");
    await post(`/agents/tasks/${id}/respond`, { response: "Finish with what there is." });
    const refused = await callFor(id);
    expectError(refused, 402, "BUDGET_EXCEEDED");
    expect(refused.body.error.message).toContain("the budget question did not raise it");
    expect((await read(id)).status).toBe("in_progress");
  });

  it.each<[JsonObject, string, string]>([
    [{ maxToolCalls: -5 }, "response.maxToolCalls", "above the current limit of 1, got -5"],
    [{ maxToolCalls: "5" }, "response.maxToolCalls", 'got "5"'],
    [{ maxToolCalls: 1 }, "response.maxToolCalls", "above the current limit of 1, got 1"],
    [{ maxToolCalls: 5, maxCost: -1 }, "response.maxCost", "above the amount already spent"],
  ])(
    "a task blocked by its budget keeps its question after an answer with invalid limits: %j",
    async (response, field, rule) => {
      const id = await working({ maxToolCalls: 1 });
      await callFor(id);
      expectError(await callFor(id), 402, "BUDGET_EXCEEDED");
      const answer = await post(`/agents/tasks/${id}/respond`, { response });
      expectProblems(answer, { [field]: rule });
      expect((await read(id)).blocked).toMatchObject({ kind: "budget" });
      await post(`/agents/tasks/${id}/respond`, { response: { maxToolCalls: 2 } });
      expect((await callFor(id)).status).toBe(200);
    },
  );

  it("a budget of 3 calls allows exactly 3 of 20 concurrent calls", async () => {
    const id = await working({ maxToolCalls: 3 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => callFor(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect((await read(id)).spend.toolCalls).toBe(3);
    expect((await read(id)).status).toBe("blocked");
  });

  it("a budget of one dollar allows exactly 4 of 20 concurrent calls at 25 cents", async () => {
    const id = await working({ maxCost: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => callFor(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect((await read(id)).spend.cost).toBe(1);
  });
});

describe("the right to call under a task", () => {
  it("only the task's own agent can call under a task", async () => {
    const id = await working();
    expect((await callFor(id, { agentId: "researcher" })).status).toBe(200);
    expectProblems(await callFor(id, { agentId: "storyteller" }), {
      agentId: "the task's own agent",
    });
    const key = await keyWith(UNMANAGING, { agentId: "storyteller" });
    const stranger = await invoke("paid", "ok", {}, { taskId: id }, { key });
    expectError(stranger, 404, "TASK_NOT_FOUND");
    const own = await keyWith(UNMANAGING, { agentId: "researcher" });
    expect((await invoke("paid", "ok", {}, { taskId: id }, { key: own })).status).toBe(200);
  });

  it("a call under a task requires a scope that may change tasks", async () => {
    const id = await working();
    const key = await keyWith(["tools:invoke"]);
    const answer = await invoke("paid", "ok", {}, { taskId: id }, { key });
    expectError(answer, 403, "INSUFFICIENT_SCOPE");
    expect((await invoke("paid", "ok", {}, {}, { key })).status).toBe(200);
  });

  it("a call under a task is rejected without a grant, for an unknown task, and for a task that is not in progress", async () => {
    const id = await taskIn("in_progress", { agentId: "storyteller" });
    expectError(await callFor(id), 403, "TOOL_ACCESS_DENIED");
    expectError(await callFor("f".repeat(64)), 404, "TASK_NOT_FOUND");
    const pending = await create({ agentId: "researcher" });
    expectError(await callFor(pending), 409, "INVALID_STATE");
    const done = await taskIn("completed", { agentId: "researcher" });
    expectError(await callFor(done), 409, "INVALID_STATE");
  });
});

describe("a task during a step of its own agent", () => {
  it("the calls of a step and concurrent calls are all logged and stay within the budget", async () => {
    const budget = { maxToolCalls: 3 };
    const id = await create({ agentId: "researcher", budget, context: { text: "A ship. A sea." } });
    await untilStatus(id, "in_progress");
    const step = wake(id);
    const outside = await Promise.all(Array.from({ length: 6 }, () => callFor(id)));
    await step;
    for (let wakes = 0; wakes < 10; wakes += 1) await wake(id);
    const { events } = (await get(`/agents/tasks/${id}/events`)).body.data;
    const logged = events.flatMap(({ data }: { data: { calls?: object[] } }) => data.calls ?? []);
    expect(logged).toHaveLength((await read(id)).spend.toolCalls);
    expect((await read(id)).spend.toolCalls).toBeLessThanOrEqual(3);
    expect(outside.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(3);
  });
});
