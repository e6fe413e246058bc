import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { startCounting } from "../performance/counters.ts";
import { del, get, post, type Answer } from "../support/client.ts";
import { expectError, expectProblems } from "../support/expect-errors.ts";
import { keyWith } from "../support/keys.ts";
import { registerTeam } from "../support/catalogue.ts";
import { create, passTime, stopClock } from "../support/tasks.ts";
import { claimOne, waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";
import { approverKey, decide, pendingCall, untilApproval } from "./approvals/fixtures.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JSON_TOOL = "json-workbench";
const TEXT_TOOL = "text-analyst";
const TEXT = "Wharves burn. Stone does not. Merchants paid.";
const POLICY = { name: "Tried out", effect: "ask", tools: [JSON_TOOL], reason: "Look at it." };

let periodStart = 0;

beforeAll(stopClock);

// Each test has its own period, so that it examines only its own tasks.
beforeEach(() => {
  passTime(HOUR_MS);
  periodStart = Date.now();
});

interface Call {
  readonly toolId: string;
  readonly capability: string;
  readonly parameters: JsonObject;
}

const query = (path: string, document = '{"a":[1]}'): Call => ({
  toolId: JSON_TOOL,
  capability: "query",
  parameters: { document, path },
});
const summarise = (parameters: JsonObject = {}): Call => ({
  toolId: TEXT_TOOL,
  capability: "summarise",
  parameters: { text: TEXT, ...parameters },
});

/** An agent with access to both tools and a task that it works on. */
async function worker(): Promise<{ agentId: string; taskId: string }> {
  const agentId = await workerAgent();
  for (const toolId of [JSON_TOOL, TEXT_TOOL]) {
    expect((await post("/agents/tools/access", { agentId, toolId })).status).toBe(201);
  }
  return { agentId, taskId: await claimedTask(agentId) };
}

async function claimedTask(agentId: string): Promise<string> {
  await waitingTask(agentId);
  return (await claimOne(agentId)).taskId;
}

/** Makes a call. Later calls have a later time. */
async function make({ toolId, ...call }: Call, body: JsonObject, afterMs = 1_000): Promise<Answer> {
  passTime(afterMs);
  return post(`/agents/tools/${toolId}/invoke`, { ...call, ...body });
}

async function untilRecorded(taskId: string, count: number): Promise<{ callId: string }[]> {
  for (;;) {
    const { calls } = (await get(`/agents/tasks/${taskId}/calls?limit=100`)).body.data;
    if (calls.length === count) return calls;
  }
}

function simulate(policy: JsonObject = {}, body: JsonObject = {}): Promise<Answer> {
  passTime(1_000);
  const [from, to] = [periodStart, Date.now()].map((at) => new Date(at).toISOString());
  return post("/agents/policies/simulate", {
    policy: { ...POLICY, ...policy },
    from: from ?? "",
    to: to ?? "",
    ...body,
  });
}

async function simulated(policy: JsonObject = {}, body: JsonObject = {}) {
  const answer = await simulate(policy, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

const effectOf = ({ status }: Answer): string =>
  ({ 200: "allow", 202: "ask", 403: "deny" })[status] ?? `status ${status}`;

describe("the simulation of a policy", () => {
  it("says about each recorded call what the policy decides about it once it is created", async () => {
    const { agentId, taskId } = await worker();
    const { agentId: otherId } = await worker();
    await registerTeam("simulated-team", agentId);
    const calls = [
      query("$.a"),
      query("$.a[0]"),
      query("$", '{"b":"x"}'),
      summarise(),
      summarise({ sentences: 1 }),
      summarise({ sentences: 5 }),
      { toolId: TEXT_TOOL, capability: "readability", parameters: { text: TEXT } },
    ];
    for (const call of calls) expect((await make(call, { taskId })).status).toBe(200);
    const recorded = (await untilRecorded(taskId, calls.length)).toReversed();
    const policies: readonly JsonObject[] = [
      {},
      { effect: "deny" },
      { effect: "allow", tools: ["*"] },
      { tools: ["*"] },
      { effect: "deny", tools: [`${JSON_TOOL}/*`, `${TEXT_TOOL}/readability`] },
      { when: { "parameters.path": { startsWith: "$.a" } } },
      { when: { not: { "parameters.path": { matches: "0]$" } } } },
      { tools: [TEXT_TOOL], when: { "parameters.sentences": { gte: 3 } } },
      { tools: [TEXT_TOOL], when: { "parameters.sentences": { exists: false } } },
      { tools: ["*"], effect: "deny", when: { "parameters.sentences": { lt: 2 } } },
      // A string cannot be compared with a number, which denies the call whatever the effect.
      { effect: "allow", when: { "parameters.document": { gt: 1 } } },
      { tools: ["*"], when: { estimatedCost: { gt: 0.001 } } },
      { tools: ["*"], when: { agentId: { eq: agentId } } },
      { tools: ["*"], agents: [agentId] },
      { tools: ["*"], agents: [otherId] },
      { tools: ["*"], effect: "deny", teams: ["simulated-team"] },
      { tools: ["*"], teams: ["insights"] },
    ];
    const seen = new Set<string>();
    for (const [index, policy] of policies.entries()) {
      const { calls: affected, examined, undecided, complete } = await simulated(policy);
      expect([complete, undecided]).toEqual([true, 0]);
      expect(examined).toBeGreaterThanOrEqual(affected.length);
      const expected = recorded.map(({ callId }) => {
        const found = affected.find((one: { callId: string }) => one.callId === callId);
        return found?.effect ?? "allow";
      });
      const id = `simulated-${index}`;
      expect((await post("/agents/policies", { ...POLICY, ...policy, id })).status).toBe(201);
      const decided: string[] = [];
      for (const call of calls) decided.push(effectOf(await make(call, { agentId })));
      await del(`/agents/policies/${id}`);
      expect(expected, JSON.stringify(policy)).toEqual(decided);
      for (const effect of decided) seen.add(effect);
    }
    expect([...seen].toSorted()).toEqual(["allow", "ask", "deny"]);
  });

  it("lists the affected calls newest first, with the reason and without parameters", async () => {
    const { agentId, taskId } = await worker();
    await make(query("$.a"), { taskId });
    await make(query("$.a[0]"), { taskId });
    const [newest, oldest] = await untilRecorded(taskId, 2);
    const when = { "parameters.document": { gt: 1 } };
    const data = await simulated({ effect: "ask", when });
    const call = {
      at: expect.any(String),
      toolId: JSON_TOOL,
      capability: "query",
      agentId,
      taskId,
      effect: "deny",
      reason: POLICY.reason,
      error: expect.stringContaining("must be a number"),
    };
    expect(data).toEqual({
      source: "tasks",
      calls: [
        { ...call, callId: newest?.callId },
        { ...call, callId: oldest?.callId },
      ],
      matched: 2,
      examined: 2,
      undecided: 0,
      tasks: 1,
      cutTasks: 0,
      complete: true,
      nextCursor: null,
    });
  });

  it("a policy that is not in force is tried out as if it were", async () => {
    const { taskId } = await worker();
    await make(query("$.a"), { taskId });
    await untilRecorded(taskId, 1);
    expect((await simulated({ enabled: false })).matched).toBe(1);
  });

  it("writes no row, changes no audit log, and calls no tool", async () => {
    const { taskId } = await worker();
    await make(query("$.a"), { taskId });
    await untilRecorded(taskId, 1);
    const before = (await get("/agents/audit?limit=1")).body.data.rows[0];
    const usage = async () =>
      (await get(`/agents/tools/${JSON_TOOL}/usage?days=1`)).body.data.total;
    const used = await usage();
    const counters = await startCounting();
    onTestFinished(() => counters.stop());
    expect((await simulated()).matched).toBe(1);
    expect(counters.rowsWritten()).toEqual({ objects: 0, meters: 0, d1: 0, feed: 0 });
    expect(await usage()).toEqual(used);
    expect((await get("/agents/audit?limit=1")).body.data.rows[0]).toEqual(before);
    const { policies } = (await get("/agents/policies")).body.data;
    expect(policies.map(({ name }: { name: string }) => name)).not.toContain(POLICY.name);
  });
});

describe("the calls that a simulation examines", () => {
  it("are those that reached the policies: not a call without a grant or with invalid parameters", async () => {
    const { agentId, taskId } = await worker();
    await make(query("$.a"), { taskId });
    await make({ ...query("$.a"), parameters: {} }, { taskId });
    await make({ ...query("$.a"), toolId: "table-analyst", capability: "trend" }, { taskId });
    await post("/agents/policies", { ...POLICY, id: "denies-one", effect: "deny" });
    expect((await make(query("$.a"), { taskId })).status).toBe(403);
    await del("/agents/policies/denies-one");
    const recorded = await untilRecorded(taskId, 4);
    const { calls, examined } = await simulated({ tools: ["*"], agents: [agentId] });
    expect(examined).toBe(2);
    const ids = calls.map(({ callId }: { callId: string }) => callId);
    expect(ids).toEqual([recorded[0]?.callId, recorded[3]?.callId]);
  });

  it("include a call that waits for approval or was approved, once", async () => {
    const { agentId, taskId } = await worker();
    await post("/agents/policies", { ...POLICY, id: "asks-once", agents: [agentId] });
    const key = await keyWith(["tools:invoke", "tasks:write"]);
    passTime(1_000);
    const { toolId: _toolId, ...call } = query("$.a");
    const id = await pendingCall({ taskId, ...call }, key);
    await untilRecorded(taskId, 1);
    expect((await simulated()).matched).toBe(1);
    await decide(id, "approve", await approverKey());
    await untilApproval(id, "executed");
    await untilRecorded(taskId, 2);
    await del("/agents/policies/asks-once");
    expect(await simulated()).toMatchObject({ matched: 1, examined: 1 });
  });

  it("are counted as undecided if the condition reads parameters that are recorded only in part", async () => {
    const { taskId } = await worker();
    const long = JSON.stringify("x".repeat(20_000));
    await make(query("$", long), { taskId });
    await make(query("$", '{"password":"hunter2!"}'), { taskId });
    await make(query("$"), { taskId });
    await untilRecorded(taskId, 3);
    const when = { "parameters.path": { eq: "$" } };
    expect(await simulated({ when })).toMatchObject({
      matched: 1,
      examined: 3,
      undecided: 2,
      complete: false,
    });
    const without = { when: { estimatedCost: { gte: 0 } } };
    expect(await simulated(without)).toMatchObject({ matched: 3, undecided: 0, complete: true });
  });

  it("are the calls of tasks that were created in the period, at times in the period", async () => {
    const { agentId, taskId } = await worker();
    await make(query("$.a"), { taskId });
    const middle = Date.now() + 1_000;
    passTime(2_000);
    await make(query("$.a"), { taskId });
    const later = await claimedTask(agentId);
    await make(query("$.a"), { taskId: later });
    await untilRecorded(taskId, 2);
    await untilRecorded(later, 1);
    const at = (time: number): string => new Date(time).toISOString();
    expect((await simulated({}, { to: at(middle) })).matched).toBe(1);
    expect((await simulated({}, { from: at(middle) })).matched).toBe(1);
    expect((await simulated()).matched).toBe(3);
  });

  it("are returned in pages of tasks, and a cursor is valid only for the same policy and period", async () => {
    const { agentId, taskId } = await worker();
    await make(query("$.a"), { taskId });
    await untilRecorded(taskId, 1);
    for (let tasks = 0; tasks < 50; tasks += 1) {
      passTime(1);
      await create({ agentId });
    }
    passTime(1_000);
    const to = new Date(Date.now()).toISOString();
    const first = await simulated({}, { to });
    expect(first).toMatchObject({ matched: 0, tasks: 50, complete: false });
    const rest = await simulated({}, { to, cursor: first.nextCursor });
    expect(rest).toMatchObject({ matched: 1, tasks: 1, complete: true, nextCursor: null });
    for (const policy of [{ effect: "deny" }, { when: { agentId: { eq: "x" } } }]) {
      const answer = await simulate(policy, { to, cursor: first.nextCursor });
      expectProblems(answer, { cursor: "must be a nextCursor from a request with the same" });
    }
    expectProblems(await simulate({}, { cursor: first.nextCursor }), { cursor: "must be" });
  });

  it("are divided into more pages if the condition has many comparisons", async () => {
    const { agentId, taskId } = await worker();
    const ids = [taskId, await claimedTask(agentId)];
    for (const id of ids) {
      for (let calls = 0; calls < 101; calls += 1) await make(query("$.a"), { taskId: id }, 1);
    }
    passTime(1_000);
    const to = new Date(Date.now()).toISOString();
    const or = Array.from({ length: 50 }, (_, index) => ({
      "parameters.path": { eq: `${index}` },
    }));
    const first = await simulated({ when: { or } }, { to });
    expect(first).toMatchObject({ tasks: 1, examined: 101, complete: false });
    const rest = await simulated({ when: { or } }, { to, cursor: first.nextCursor });
    expect(rest).toMatchObject({ tasks: 1, examined: 101, complete: true, nextCursor: null });
    expect(await simulated({}, { to })).toMatchObject({ tasks: 2, matched: 202, complete: true });
  });

  it("are at most the newest 200 of a task, and the response says that there are more", async () => {
    const { taskId } = await worker();
    // The worker's lease must not expire meanwhile.
    for (let calls = 0; calls < 201; calls += 1) await make(query("$.a"), { taskId }, 1);
    expect(await simulated()).toMatchObject({
      matched: 200,
      examined: 200,
      cutTasks: 1,
      complete: false,
    });
  });
});

describe("an invalid simulation", () => {
  const at = (time: number): string => new Date(time).toISOString();

  it("has the problems of the policy, as when the policy is created", async () => {
    expectProblems(await simulate({ tools: ["nope"], agents: ["nobody"], teams: ["none"] }), {
      "policy.tools[0]": "must name an existing tool or capability",
      "policy.agents[0]": "must name an existing agent",
      "policy.teams[0]": "must name an existing team",
    });
    expectProblems(await simulate({ when: { "parameters.nope": { eq: 1 } } }), {
      "policy.when": "must name a parameter of a covered capability",
    });
    expectProblems(await simulate({ when: { "parameters.path": { near: 1 } } }), {
      "policy.when.parameters.path.near": "",
    });
    expectProblems(await simulate({ effect: "stop", id: "simulate" }), {
      "policy.effect": "must be",
      "policy.id": "must not be one of the reserved words",
    });
  });

  it("names the field of a wrong period, together with the problems of the policy", async () => {
    const now = Date.now();
    const cases: readonly [JsonObject, Readonly<Record<string, string>>][] = [
      [{ from: at(now), to: at(now) }, { from: "must be before to" }],
      [{ from: at(now), to: at(now - 1) }, { from: "must be before to" }],
      [
        { from: at(now - 31 * DAY_MS - 1), to: at(now) },
        { from: "must be at most 31 days before to" },
      ],
      [{ to: at(now + DAY_MS) }, { to: "must not be in the future" }],
      [
        { from: at(now + DAY_MS), to: at(now + 2 * DAY_MS) },
        { from: "must not be in the future", to: "must not be in the future" },
      ],
      [{ from: "yesterday" }, { from: "must be a date-time with a time zone" }],
    ];
    for (const [body, problems] of cases) expectProblems(await simulate({}, body), problems);
    const both = await simulate({ tools: ["nope"] }, { to: at(now + DAY_MS) });
    expectProblems(both, { "policy.tools[0]": "must name", to: "must not be in the future" });
    expect((await simulate({}, { from: at(now - 31 * DAY_MS), to: at(now) })).status).toBe(200);
  });

  it("is refused to a key without the scope policies:manage", async () => {
    const key = await keyWith(["tasks:read", "approvals:decide"]);
    const body = { policy: POLICY, from: at(Date.now() - 1), to: at(Date.now()) };
    const answer = await post("/agents/policies/simulate", body, { key });
    expectError(answer, 403, "INSUFFICIENT_SCOPE");
  });
});
