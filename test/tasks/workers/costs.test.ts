import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, patch, post } from "../../support/client.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { eventsOf, typesOf } from "../../support/task-state.ts";
import { create, passTime, read, stopClock, wake } from "../../support/tasks.ts";
import {
  claim,
  claimOne,
  heldTask,
  OUTCOME,
  report,
  sendHeartbeat,
  waitingTask,
  workerAgent,
} from "./fixtures.ts";

beforeAll(stopClock);

const MINUTE = 60_000;
const QUESTION = "does not cover more of the agent's work";

const priced = (price: JsonObject): JsonObject => ({ executor: { type: "worker", price } });
const spendOf = async (id: string) => (await read(id)).spend;
const progress = (cost: number): JsonObject => ({ type: "progress", progress: 10, cost });

describe("the cost in a worker's report", () => {
  it("each report's cost is added to the task's spend, and shown in its event and in lists", async () => {
    const { id, lease } = await heldTask();
    expect(await spendOf(id)).toBeUndefined();
    await report(id, lease, progress(0.25));
    await report(id, lease, { type: "completed", ...OUTCOME, cost: 0.1 });
    const spend = { cost: 0.35, agentCost: 0.35, toolCalls: 0 };
    expect(await spendOf(id)).toEqual(spend);
    const costs = (await eventsOf(id)).map(({ data }) => data.cost);
    expect(costs).toEqual([undefined, undefined, undefined, 0.25, 0.1]);
    const { tasks } = (await get("/agents/tasks?limit=1")).body.data;
    expect(tasks[0]).toMatchObject({ taskId: id, spend });
    await evictAllDurableObjects();
    expect(await spendOf(id)).toEqual(spend);
  });

  it.each<[type: string, body: JsonObject, status: string]>([
    ["review", OUTCOME, "review"],
    ["blocked", { question: "Which year?" }, "blocked"],
    ["failed", { error: { message: "It broke." } }, "failed"],
    ["released", {}, "in_progress"],
    ["completed", OUTCOME, "completed"],
  ])(
    "the cost of a report of type %s counts once, even if the report is repeated",
    async (type, body, status) => {
      const { id, lease } = await heldTask();
      for (let times = 0; times < 3; times += 1) {
        expect((await report(id, lease, { type, ...body, cost: 2 })).status).toBe(200);
      }
      expect(await read(id)).toMatchObject({ status, spend: { cost: 2, agentCost: 2 } });
    },
  );

  it("the cost of a progress report counts once for each idempotency key", async () => {
    const { id, lease } = await heldTask();
    for (const key of ["one", "one", "two", "one"]) {
      const headers = { "Idempotency-Key": `cost-${key}` };
      expect((await report(id, lease, progress(0.5), { headers })).status).toBe(200);
    }
    expect((await spendOf(id)).cost).toBe(1);
  });

  it.each<[what: string, cost: JsonObject[string], problem: string]>([
    ["negative", -0.01, "at least 0"],
    ["too large", 1_000_001, "at most 1000000"],
    ["not a number", "1", "must be a number"],
    ["null", null, "must be a number"],
  ])("a cost that is %s is rejected", async (_, cost, problem) => {
    const { id, lease } = await heldTask();
    const answer = await report(id, lease, { type: "progress", progress: 10, cost });
    expectProblems(answer, { cost: problem });
    expect(await spendOf(id)).toBeUndefined();
  });

  it("a report without a valid lease adds no cost, and a heartbeat cannot have one", async () => {
    const { id, lease } = await heldTask();
    expectError(await report(id, "lse_other", progress(1)), 409, "LEASE_LOST");
    expectProblems(await report(id, lease, { type: "heartbeat", cost: 1 }), {
      cost: "not a known",
    });
    expect(await spendOf(id)).toBeUndefined();
  });

  it("a cost above the budget stops the worker until an answer raises the budget", async () => {
    const { agentId, id, lease } = await heldTask({ budget: { maxCost: 1 } });
    expect((await report(id, lease, progress(1))).body.data).toMatchObject({ stop: false });
    const stopped = await report(id, lease, progress(0.5));
    expect(stopped.body.data).toEqual({ taskId: id, status: "blocked", stop: true });
    expect((await sendHeartbeat(id, lease)).body.data).toMatchObject({ stop: true });
    const task = await read(id);
    expect(task.blocked).toMatchObject({ kind: "budget" });
    expect(task.blocked.question).toContain(`The budget of $1 ${QUESTION}`);
    expect(task.spend.cost).toBe(1.5);
    await post(`/agents/tasks/${id}/respond`, { response: { maxCost: 2 } });
    const resumed = await claimOne(agentId);
    expect(resumed.taskId).toBe(id);
    await report(id, resumed.lease.token, { type: "completed", ...OUTCOME, cost: 0.25 });
    expect(await read(id)).toMatchObject({ status: "completed", spend: { cost: 1.75 } });
  });

  it("after an answer that does not raise the budget, the attempt fails before a worker gets it", async () => {
    const { agentId, id, lease } = await heldTask({ budget: { maxCost: 1 } });
    await report(id, lease, progress(1.5));
    await post(`/agents/tasks/${id}/respond`, { response: "No." });
    expect(await claim(agentId)).toEqual([]);
    expect(await read(id)).toMatchObject({
      status: "failed",
      error: { code: "BUDGET_EXCEEDED", message: `The budget of $1 ${QUESTION}.` },
    });
    const types = await typesOf(id);
    expect(types.slice(-4)).toEqual(["blocked", "responded", "resumed", "failed"]);
  });

  it("a cost above the budget does not change the result of work that is done", async () => {
    const { id, lease } = await heldTask({ budget: { maxCost: 1 } });
    await report(id, lease, { type: "completed", ...OUTCOME, cost: 3 });
    expect(await read(id)).toMatchObject({ status: "completed", spend: { cost: 3 } });
  });

  it("lowering the budget below the agent's cost stops the worker", async () => {
    const { id, lease } = await heldTask();
    await report(id, lease, progress(2));
    await patch(`/agents/tasks/${id}`, { budget: { maxCost: 1 } });
    expect((await sendHeartbeat(id, lease)).body.data).toMatchObject({ stop: true });
    expect((await read(id)).blocked.kind).toBe("budget");
  });
});

describe("an agent's price", () => {
  it("a price is stored, shown, changed and deleted with the executor", async () => {
    const agentId = await workerAgent(priced({ perTask: 0.5 }));
    const shown = async () => (await get(`/agents/${agentId}`)).body.data.executor;
    expect(await shown()).toEqual({ type: "worker", price: { perTask: 0.5, perMinute: 0 } });
    await patch(`/agents/${agentId}`, priced({ perMinute: 2 }));
    expect(await shown()).toEqual({ type: "worker", price: { perTask: 0, perMinute: 2 } });
    await patch(`/agents/${agentId}`, { name: "Hands" });
    expect((await shown()).price).toEqual({ perTask: 0, perMinute: 2 });
    await patch(`/agents/${agentId}`, priced({ perMinute: 0 }));
    expect(await shown()).toEqual({ type: "worker" });
    const stored = "SELECT executor_settings FROM agents WHERE id = ?";
    expect(await env.DB.prepare(stored).bind(agentId).first("executor_settings")).toBeNull();
  });

  it("each change of a price is in the audit log", async () => {
    const agentId = await workerAgent(priced({ perTask: 0.5 }));
    await patch(`/agents/${agentId}`, priced({ perTask: 0.75 }));
    const query = `subjectType=agent&subjectId=${agentId}`;
    const { rows } = (await get(`/agents/audit?${query}`)).body.data;
    expect(rows.map((row: JsonObject) => row["after"])).toMatchObject([
      { executor: { price: { perTask: 0.75 } } },
      { executor: { price: { perTask: 0.5 } } },
    ]);
  });

  it.each<[type: string, executor: JsonObject]>([
    ["builtin", { type: "builtin" }],
    ["model", { type: "model", model: "m-1", provider: "workers-ai" }],
  ])("an agent of type %s cannot have a price", async (_, executor) => {
    const body = { id: "priceless", executor: { ...executor, price: { perTask: 1 } } };
    expectProblems(await post("/agents", body), { "executor.price": "not a known field" });
  });

  it("a price that is negative, too large or unknown is rejected", async () => {
    const post2 = (price: JsonObject) => post("/agents", { id: "wrong", ...priced(price) });
    expectProblems(await post2({ perTask: -1, perMinute: 1_000_001 }), {
      "executor.price.perTask": "at least 0",
      "executor.price.perMinute": "at most 1000000",
    });
    expectProblems(await post2({ perHour: 1 }), { "executor.price.perHour": "not a known field" });
  });

  it("the price per task counts once, even over several workers, questions and attempts", async () => {
    const { agentId, id, lease } = await heldTask({}, priced({ perTask: 0.5 }));
    expect((await spendOf(id)).cost).toBe(0.5);
    await report(id, lease, { type: "released" });
    const second = await claimOne(agentId);
    await report(id, second.lease.token, { type: "blocked", question: "Which year?" });
    await post(`/agents/tasks/${id}/respond`, { response: "1702" });
    const third = await claimOne(agentId);
    await report(id, third.lease.token, { type: "failed", error: { message: "It broke." } });
    await post(`/agents/tasks/${id}/retry`, {});
    await wake(id);
    const last = await claimOne(agentId);
    await report(id, last.lease.token, { type: "completed", ...OUTCOME });
    expect(await spendOf(id)).toEqual({ cost: 0.5, agentCost: 0.5, toolCalls: 0 });
  });

  it("a task that another agent takes over also pays that agent's price", async () => {
    const { id, lease } = await heldTask({}, priced({ perTask: 0.5 }));
    const other = await workerAgent(priced({ perTask: 2 }));
    await report(id, lease, { type: "failed", error: { message: "It broke." } });
    await post(`/agents/tasks/${id}/retry`, {});
    await patch(`/agents/tasks/${id}`, { agentId: other });
    await wake(id);
    await claimOne(other);
    expect((await spendOf(id)).cost).toBe(2.5);
  });

  it("a task keeps the price from its assignment", async () => {
    const agentId = await workerAgent(priced({ perTask: 0.5 }));
    const id = await waitingTask(agentId);
    await patch(`/agents/${agentId}`, priced({ perTask: 9 }));
    await claimOne(agentId);
    expect((await spendOf(id)).cost).toBe(0.5);
    const [, assigned] = await eventsOf(id);
    expect(assigned?.data.terms.price).toEqual({ perTask: 0.5, perMinute: 0 });
  });

  it("the price per minute counts the time that the agent works, and no time that the task waits", async () => {
    const settings = { ...priced({ perMinute: 0.6 }) };
    const { agentId, id, lease } = await heldTask({}, settings);
    passTime(30_000);
    await report(id, lease, { type: "blocked", question: "Which year?" });
    expect((await spendOf(id)).cost).toBe(0.3);
    passTime(90 * MINUTE);
    await post(`/agents/tasks/${id}/respond`, { response: "1702" });
    passTime(90 * MINUTE);
    const { lease: second } = await claimOne(agentId);
    passTime(100);
    await report(id, second.token, { type: "completed", ...OUTCOME });
    expect((await spendOf(id)).cost).toBe(0.301);
    await evictAllDurableObjects();
    expect((await spendOf(id)).cost).toBe(0.301);
  });

  it("the time until a lease is lost is paid for", async () => {
    const { id } = await heldTask({}, priced({ perMinute: 1 }));
    passTime(MINUTE);
    await wake(id);
    expect(await read(id)).toMatchObject({ attempt: 2, spend: { cost: 1 } });
  });

  it("a budget below the price per task blocks the task before a worker gets it", async () => {
    const agentId = await workerAgent(priced({ perTask: 2 }));
    const id = await waitingTask(agentId, { budget: { maxCost: 1 } });
    expect(await claim(agentId)).toEqual([]);
    const task = await read(id);
    expect(task).toMatchObject({ status: "blocked", blocked: { kind: "budget" } });
    expect(task.spend).toBeUndefined();
    await post(`/agents/tasks/${id}/respond`, { response: { maxCost: 2 } });
    expect((await claimOne(agentId)).taskId).toBe(id);
    expect((await spendOf(id)).cost).toBe(2);
  });

  it("the price per minute blocks the task when it has used up the budget", async () => {
    const agentId = await workerAgent(priced({ perMinute: 0.5 }));
    const id = await create({ agentId, budget: { maxCost: 1 } });
    await wake(id);
    const { lease } = await claimOne(agentId, { leaseSeconds: 600 });
    passTime(2 * MINUTE - 1);
    expect((await sendHeartbeat(id, lease.token)).body.data).toMatchObject({ stop: false });
    passTime(1);
    await wake(id);
    expect(await read(id)).toMatchObject({
      status: "blocked",
      blocked: { kind: "budget" },
      spend: { cost: 1 },
    });
    expect((await sendHeartbeat(id, lease.token)).body.data).toMatchObject({ stop: true });
  });

  it("a tool call cannot use the part of the budget that the agent's time has already cost", async () => {
    await env.DB.prepare("UPDATE tools SET price_free = 0, price_overage = 0.5").run();
    const { agentId, id } = await heldTask({ budget: { maxCost: 1 } }, priced({ perMinute: 1 }));
    await post("/agents/tools/access", { agentId, toolId: "text-analyst" });
    const call = () =>
      post("/agents/tools/text-analyst/invoke", {
        agentId,
        taskId: id,
        capability: "readability",
        parameters: { text: "The cellars still stand." },
      });
    passTime(20_000);
    expect((await call()).status).toBe(200);
    passTime(5_000);
    expectError(await call(), 402, "BUDGET_EXCEEDED");
    expect((await read(id)).status).toBe("blocked");
  });
});
