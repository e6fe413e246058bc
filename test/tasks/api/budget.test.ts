import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import { create, read, stopClock, untilStatus } from "../../support/tasks.ts";
import { eventsOf } from "../../support/task-state.ts";

beforeAll(async () => {
  stopClock();
  // In this file, each tool call costs 25 cents.
  await env.DB.prepare("UPDATE tools SET price_free = 0, price_overage = 0.25").run();
});

const CSV = "city,people,area\nBergen,291940,465\nOslo,717710,454\nTromso,78745,2521\n";

/** Creates a task that needs more calls than its budget allows. */
function analysis(budget: { maxToolCalls: number } | { maxCost: number }): Promise<string> {
  return create({
    agentId: "data-analyst",
    context: { csv: CSV },
    deliverables: ["analysis"],
    budget,
  });
}

const callsOf = async (id: string) =>
  (await eventsOf(id)).flatMap(({ data }): { ok: boolean; cost: number }[] => data.calls ?? []);

describe("a call budget", () => {
  it("a used-up call budget blocks the task after exactly that many calls", async () => {
    const id = await analysis({ maxToolCalls: 1 });
    await untilStatus(id, "blocked");
    const task = await read(id);
    expect(task.blocked).toMatchObject({
      kind: "budget",
      question: expect.stringContaining("The budget of 1 tool calls is used up."),
    });
    expect(task.spend.toolCalls).toBe(1);
    expect(await callsOf(id)).toHaveLength(1);
  });

  it("after an answer that raises the budget, work continues where it stopped, and no call is paid for twice", async () => {
    const id = await analysis({ maxToolCalls: 1 });
    await untilStatus(id, "blocked");
    const answer = await post(`/agents/tasks/${id}/respond`, { response: { maxToolCalls: 50 } });
    expect(answer.body.data).toMatchObject({ status: "in_progress", budget: { maxToolCalls: 50 } });
    await untilStatus(id, "completed");

    const free = await create({
      agentId: "data-analyst",
      context: { csv: CSV },
      deliverables: ["analysis"],
    });
    await untilStatus(free, "completed");
    expect((await read(id)).spend).toEqual((await read(free)).spend);
  });

  it("a task asks again when its raised budget is also used up", async () => {
    const id = await analysis({ maxToolCalls: 0 });
    await untilStatus(id, "blocked");
    await post(`/agents/tasks/${id}/respond`, { response: { maxToolCalls: 1 } });
    await untilStatus(id, "blocked");
    expect((await read(id)).blocked.question).toContain("The budget of 1 tool calls");
  });

  it("an answer that does not raise the budget lets the agent finish without more calls", async () => {
    const id = await analysis({ maxToolCalls: 1 });
    await untilStatus(id, "blocked");
    await post(`/agents/tasks/${id}/respond`, { response: "Finish with what you have." });
    await untilStatus(id, "completed");
    expect(await read(id)).toMatchObject({ budget: { maxToolCalls: 1 }, spend: { toolCalls: 1 } });
    expect(await callsOf(id)).toHaveLength(1);
  });
});

describe("a cost budget", () => {
  it("a used-up cost budget blocks the task until an answer raises it", async () => {
    const id = await analysis({ maxCost: 0.25 });
    await untilStatus(id, "blocked");
    const task = await read(id);
    expect(task.blocked).toMatchObject({
      kind: "budget",
      question: expect.stringContaining("$0.25"),
    });
    expect(task.spend).toEqual({ cost: 0.25, toolCalls: 1 });
    await post(`/agents/tasks/${id}/respond`, { response: { maxCost: 100 } });
    await untilStatus(id, "completed");
    const calls = await callsOf(id);
    const { cost } = (await read(id)).spend;
    expect(cost).toBeCloseTo(0.25 * calls.filter(({ ok }) => ok).length, 9);
    expect(cost).toBeGreaterThan(0.25);
  });
});

it("a task without a budget completes without being blocked", async () => {
  const id = await create({
    agentId: "data-analyst",
    context: { csv: CSV },
    deliverables: ["analysis"],
  });
  await untilStatus(id, "completed");
  expect((await eventsOf(id)).map(({ type }) => type)).not.toContain("blocked");
  expect((await read(id)).spend.toolCalls).toBeGreaterThan(1);
});
