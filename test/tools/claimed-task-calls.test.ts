import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { queueStub } from "../../src/agents/queue/queue.rpc.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { CLAIM_TASKS_MAX } from "../../src/agents/limits.ts";
import { OVER_BUDGET_PAGES_MAX } from "../../src/tasks/limits.ts";
import { interceptCalls, type Binding } from "../fault-injection/interpose-bindings.ts";
import { patch, post, type Answer } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, read, stopClock, wake } from "../support/tasks.ts";
import { callTool, connect, REVISIONS } from "../interfaces/mcp/client.ts";
import {
  claim,
  claimOne,
  complete,
  report,
  waitingTask,
  workerAgent,
} from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const HOUR_MS = 3_600_000;
const TOOL = "json-workbench";
const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };

/** Creates a worker agent with a grant, and a key bound to it. */
async function granted(settings: JsonObject = {}): Promise<{ agentId: string; key: string }> {
  const agentId = await workerAgent(settings);
  expect((await post("/agents/tools/access", { agentId, toolId: TOOL })).status).toBe(201);
  return { agentId, key: await keyWith(UNMANAGING, { agentId }) };
}

async function claimed(
  agentId: string,
  body: JsonObject = {},
): Promise<{ id: string; lease: string }> {
  await waitingTask(agentId, body);
  const { taskId, lease } = await claimOne(agentId);
  return { id: taskId, lease: lease.token };
}

/** Claims a task with one of the agent's keys, and returns the task's id. */
async function claimedWith(key: string, agentId: string): Promise<string> {
  await waitingTask(agentId);
  const [task] = await claim(agentId, {}, { key });
  return task.taskId;
}

function invoke(key?: string, body: JsonObject = {}): Promise<Answer> {
  return post(
    `/agents/tools/${TOOL}/invoke`,
    { ...QUERY, ...body },
    key === undefined ? {} : { key },
  );
}

async function callsOf(taskId: string): Promise<number> {
  return (await read(taskId)).spend?.toolCalls ?? 0;
}

/** A key bound to the agent, with requireTask set. */
async function markedKey(agentId: string): Promise<string> {
  const body = { name: "marked", scopes: [...UNMANAGING], agentId, requireTask: true };
  const made = await post("/agents/keys", body);
  expect(made.body.data.requireTask, made.text).toBe(true);
  return made.body.data.key;
}

describe("a call by an agent's own key that names no task", () => {
  it("a call without a task counts towards the one task claimed with the root key, until its budget is used up", async () => {
    const { agentId, key } = await granted();
    const { id } = await claimed(agentId, { budget: { maxToolCalls: 2 } });
    expect((await invoke(key)).status).toBe(200);
    expect((await invoke(key)).status).toBe(200);
    expect(await callsOf(id)).toBe(2);
    expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
    expect(await read(id)).toMatchObject({ status: "blocked", blocked: { kind: "budget" } });
  });

  it.each(REVISIONS)(
    "a call over MCP without a task counts towards the claimed task (%s)",
    async (revision) => {
      const { agentId, key } = await granted();
      const { id } = await claimed(agentId, { budget: { maxToolCalls: 1 } });
      const client = await connect(key, revision);
      const name = `${TOOL}__query`;
      expect((await callTool(client, name, QUERY.parameters)).isError).toBeUndefined();
      expect(await callsOf(id)).toBe(1);
      const second = await callTool(client, name, QUERY.parameters);
      expect(second.structuredContent).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
    },
  );

  it("a call counts towards no task before the claim, after the work, or if the agent has claimed two tasks", async () => {
    const { agentId, key } = await granted();
    const waiting = await waitingTask(agentId);
    expect((await invoke(key)).status).toBe(200);
    const { taskId, lease } = await claimOne(agentId);
    expect(taskId).toBe(waiting);
    const other = await claimed(agentId);
    expect((await invoke(key)).status).toBe(200);
    expect([await callsOf(taskId), await callsOf(other.id)]).toEqual([0, 0]);
    await complete(taskId, lease.token);
    expect((await invoke(key)).status).toBe(200);
    expect([await callsOf(taskId), await callsOf(other.id)]).toEqual([0, 1]);
    await complete(other.id, other.lease);
    expect((await invoke(key)).status).toBe(200);
    expect(await callsOf(other.id)).toBe(1);
  });

  it("a call without a task counts towards the one task that the key has claimed, whatever tasks other keys of the agent have claimed", async () => {
    const { agentId, key } = await granted();
    const other = await keyWith(UNMANAGING, { agentId });
    const own = await claimedWith(key, agentId);
    const others = await claimedWith(other, agentId);
    expect((await invoke(key)).status).toBe(200);
    expect([await callsOf(own), await callsOf(others)]).toEqual([1, 0]);
    const idle = await keyWith(UNMANAGING, { agentId });
    expect((await invoke(idle)).status).toBe(200);
    expect([await callsOf(own), await callsOf(others)]).toEqual([1, 0]);
    // A task claimed with the root key counts for every key of the agent, so this key now has two
    // tasks.
    await claimed(agentId);
    expect((await invoke(key)).status).toBe(200);
    expect([await callsOf(own), await callsOf(others)]).toEqual([1, 0]);
  });

  it("the queue is not called for keys without an agent or for agents that are not workers", async () => {
    const { agentId } = await granted();
    await claimed(agentId);
    const builtin = await keyWith(UNMANAGING, { agentId: "integrator" });
    const queues = env.QUEUES;
    Object.assign(env, { QUEUES: null });
    try {
      expect((await invoke(undefined, { agentId })).status).toBe(200);
      expect((await invoke()).status).toBe(200);
      expect((await invoke(builtin)).status).toBe(200);
    } finally {
      Object.assign(env, { QUEUES: queues });
    }
  });
});

/** The tasks that the agent's queue lists as stopped by their budgets. */
async function listed(agentId: string): Promise<readonly string[]> {
  return (await queueStub(env.QUEUES, agentId).listCallerTasks("")).overBudget;
}

/** Adds nonexistent ids, which sort before real ones, to the queue's list of stopped tasks. */
async function addOutdated(agentId: string, count: number): Promise<void> {
  const queue = queueStub(env.QUEUES, agentId);
  const ids = Array.from({ length: count }, (_, at) => `-${String(at).padStart(4, "0")}`);
  await Promise.all(ids.map((id) => queue.remove(id, 1, true)));
}

/** Counts the calls to each binding while an action runs. */
async function callsDuring(action: () => Promise<void>): Promise<Partial<Record<Binding, number>>> {
  const calls: Partial<Record<Binding, number>> = {};
  const restore = interceptCalls((binding, real) => {
    calls[binding] = (calls[binding] ?? 0) + 1;
    return real();
  });
  try {
    await action();
  } finally {
    restore();
  }
  return calls;
}

describe("an agent whose task is stopped by its budget", () => {
  /** Creates an agent whose only task has used up its budget of one call. */
  async function stopped(
    body: JsonObject = {},
  ): Promise<{ agentId: string; key: string; id: string }> {
    const { agentId, key } = await granted();
    const { id } = await claimed(agentId, { budget: { maxToolCalls: 1 }, ...body });
    expect((await invoke(key)).status).toBe(200);
    expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
    return { agentId, key, id };
  }

  it("a call without a task is rejected until the stopped task's budget is raised, even after an eviction", async () => {
    const { agentId, key, id } = await stopped();
    const second = await invoke(key);
    expectError(second, 402, "BUDGET_EXCEEDED");
    expect(second.body.error.message).toContain(id);
    await evictDurableObject(env.QUEUES.get(env.QUEUES.idFromName(agentId)));
    expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
    expect(await callsOf(id)).toBe(1);
    const response = { maxToolCalls: 2 };
    expect((await post(`/agents/tasks/${id}/respond`, { response })).status).toBe(200);
    expect((await invoke(key)).status).toBe(200);
    await claimOne(agentId);
    expect((await invoke(key)).status).toBe(200);
    expect(await callsOf(id)).toBe(2);
  });

  it("only as many parallel calls without a task succeed as the budget allows", async () => {
    const { agentId, key } = await granted();
    const { id } = await claimed(agentId, { budget: { maxToolCalls: 3 } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => invoke(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await callsOf(id)).toBe(3);
  });

  it("an MCP call without a task is rejected while a budget has stopped a task of the agent", async () => {
    const { key, id } = await stopped();
    const client = await connect(key, REVISIONS[0]);
    const result = await callTool(client, `${TOOL}__query`, QUERY.parameters);
    expect(result.structuredContent).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
    expect(JSON.stringify(result.content)).toContain(id);
  });

  it("a call without a task counts towards another task that the key has claimed", async () => {
    const { agentId, key } = await stopped();
    const other = await claimed(agentId);
    expect((await invoke(key)).status).toBe(200);
    expect(await callsOf(other.id)).toBe(1);
  });

  it("the queue forgets a stopped task that is cancelled, and calls without a task succeed again", async () => {
    const { agentId, key, id } = await stopped();
    expect(await listed(agentId)).toEqual([id]);
    expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    expect(await listed(agentId)).toEqual([]);
    expect((await invoke(key)).status).toBe(200);
  });

  it("the queue forgets a stopped task that fails at its deadline", async () => {
    const deadline = new Date(Date.now() + HOUR_MS).toISOString();
    const { agentId, id } = await stopped({ deadline });
    passTime(HOUR_MS + 1);
    await wake(id);
    expect((await read(id)).status).toBe("failed");
    expect(await listed(agentId)).toEqual([]);
  });

  it("a queue that cannot be reached when a stopped task is cancelled forgets the task at the next alarm", async () => {
    const { agentId, id } = await stopped();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const restore = interceptCalls(async (binding, real) => {
      if (binding === "QUEUES") throw new Error("The queue cannot be reached");
      return real();
    });
    try {
      expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    } finally {
      restore();
      warn.mockRestore();
    }
    expect(await listed(agentId)).toEqual([id]);
    passTime(HOUR_MS);
    await wake(id);
    expect(await listed(agentId)).toEqual([]);
  });

  it("a whole page of outdated entries does not hide a stopped task", async () => {
    const { agentId, key, id } = await stopped();
    await addOutdated(agentId, CLAIM_TASKS_MAX);
    const calls = await callsDuring(async () => {
      expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
    });
    // One call reads the first page. The second removes the entries on that page and reads the next
    // page.
    expect(calls.QUEUES).toBe(2);
    expect(await listed(agentId)).toEqual([id]);
  });

  it("a rejected call removes the outdated entries on the page of the stopped task", async () => {
    const { agentId, key, id } = await stopped();
    await addOutdated(agentId, 3);
    expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
    expect(await listed(agentId)).toEqual([id]);
  });

  it("a call is rejected with 503 if entries remain unread, and the next call reads them", async () => {
    const { agentId, key } = await stopped();
    await addOutdated(agentId, OVER_BUDGET_PAGES_MAX * CLAIM_TASKS_MAX);
    expectError(await invoke(key), 503, "SERVICE_UNAVAILABLE");
    expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
  });

  it("a call without a task reads the queue once", async () => {
    const { key } = await granted();
    const calls = await callsDuring(async () => {
      expect((await invoke(key)).status).toBe(200);
    });
    expect(calls.QUEUES).toBe(1);
  });
});

describe("an agent or key with requireTask", () => {
  it.each([
    ["agent", true],
    ["key", false],
  ])("with requireTask on the %s, tools can be called only under a task", async (_, isAgents) => {
    const { agentId, key: own } = await granted(isAgents ? { requireTask: true } : {});
    const key = isAgents ? own : await markedKey(agentId);
    const none = await invoke(key);
    expectError(none, 403, "TASK_REQUIRED");
    expect(none.body.error.context).toEqual({ taskIds: [] });

    const one = await claimed(agentId);
    expect((await invoke(key)).status).toBe(200);
    expect(await callsOf(one.id)).toBe(1);

    const two = await claimed(agentId);
    const several = await invoke(key);
    expectError(several, 403, "TASK_REQUIRED");
    const { taskIds } = several.body.error.context;
    expect(taskIds.toSorted()).toEqual([one.id, two.id].toSorted());
    for (const id of taskIds) expect(several.body.error.message).toContain(id);
    expect((await invoke(key, { taskId: two.id })).status).toBe(200);
    expect(await callsOf(two.id)).toBe(1);
  });

  it("calls without a task are rejected over MCP with an error that lists the claimed tasks, and so are calls that name the agent with another key", async () => {
    const { agentId, key } = await granted({ requireTask: true });
    const tasks = [await claimed(agentId), await claimed(agentId)].map(({ id }) => id);
    const result = await callTool(
      await connect(key, REVISIONS[0]),
      `${TOOL}__query`,
      QUERY.parameters,
    );
    expect(result.structuredContent).toMatchObject({ error: { code: "TASK_REQUIRED" } });
    expect(JSON.stringify(result.content)).toContain(tasks[0]);
    expectError(await invoke(undefined, { agentId }), 403, "TASK_REQUIRED");
  });

  it("the error names the tasks that the key has claimed, and not tasks that other keys of the agent have claimed", async () => {
    const { agentId, key } = await granted({ requireTask: true });
    const other = await keyWith(UNMANAGING, { agentId });
    await claimedWith(other, agentId);
    const none = await invoke(key);
    expectError(none, 403, "TASK_REQUIRED");
    expect(none.body.error.context).toEqual({ taskIds: [] });
    const own = [await claimedWith(key, agentId), await claimedWith(key, agentId)];
    const several = await invoke(key);
    expectError(several, 403, "TASK_REQUIRED");
    expect(several.body.error.context.taskIds.toSorted()).toEqual(own.toSorted());
  });

  it("for a team's key, the error does not name the agent's tasks", async () => {
    const { agentId } = await granted({ requireTask: true, teams: ["insights"] });
    await claimed(agentId);
    const team = await keyWith(UNMANAGING, { teamId: "insights" });
    const answer = await invoke(team, { agentId });
    expectError(answer, 403, "TASK_REQUIRED");
    expect(answer.body.error.context).toEqual({ taskIds: [] });
  });

  it("requireTask is shown and changed like any other agent field", async () => {
    const { agentId } = await granted();
    const marked = await patch(`/agents/${agentId}`, { requireTask: true });
    expect(marked.body.data.requireTask).toBe(true);
    const unmarked = await patch(`/agents/${agentId}`, { requireTask: false });
    expect(unmarked.body.data).not.toHaveProperty("requireTask");
  });

  it("keys created by a key with requireTask have requireTask", async () => {
    const body = { name: "marked", scopes: ["keys:manage", "tools:invoke"], requireTask: true };
    const { key } = (await post("/agents/keys", body)).body.data;
    const child = { name: "child", scopes: ["tools:invoke"] };
    const made = await post("/agents/keys", child, { key });
    expect(made.body.data.requireTask).toBe(true);
    expectError(await invoke(made.body.data.key), 403, "TASK_REQUIRED");
  });
});

describe("the budget of an agent's own task", () => {
  /**
   * Creates a worker agent that has a key and one task. The task has used up its budget of one
   * call.
   */
  async function usedUp(): Promise<{ agentId: string; key: string; id: string }> {
    const { agentId, key } = await granted();
    const { id } = await claimed(agentId, { budget: { maxToolCalls: 1, maxCost: 5 } });
    await invoke(key);
    expectError(await invoke(key), 402, "BUDGET_EXCEEDED");
    return { agentId, key, id };
  }

  it.each<[string, JsonObject]>([
    ["more calls", { maxToolCalls: 2 }],
    ["more dollars", { maxCost: 5.01 }],
  ])("the budget is not raised by the agent's key: %s", async (_, response) => {
    const { key, id } = await usedUp();
    const path = `/agents/tasks/${id}/respond`;
    expectError(await post(path, { response }, { key }), 403, "BUDGET_RAISE_DENIED");
    expect(await read(id)).toMatchObject({ status: "blocked", budget: { maxToolCalls: 1 } });
    expect((await post(path, { response })).status).toBe(200);
    expect((await read(id)).budget).toMatchObject(response);
  });

  it("the budget is not raised by the agent's key over MCP", async () => {
    const { key, id } = await usedUp();
    const client = await connect(key, REVISIONS[1]);
    const response = { maxToolCalls: 100 };
    const result = await callTool(client, "respond_task", { taskId: id, response });
    expect(result.structuredContent).toMatchObject({ error: { code: "BUDGET_RAISE_DENIED" } });
    expect((await read(id)).budget.maxToolCalls).toBe(1);
  });

  it("the budget is not raised by the agent's key over A2A", async () => {
    const { key, id } = await usedUp();
    const message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER",
      taskId: id,
      parts: [{ data: { maxToolCalls: 100 } }],
    };
    const headers = { "A2A-Version": "1.0" };
    const answer = await post("/a2a/v1/message:send", { message }, { key, headers });
    expect(answer.status, answer.text).toBe(403);
    expect((await read(id)).budget.maxToolCalls).toBe(1);
  });

  it("the agent's key cannot raise the budget by answering the worker's own question", async () => {
    const { agentId, key } = await granted();
    const { id, lease } = await claimed(agentId, { budget: { maxToolCalls: 1 } });
    const asked = await report(id, lease, { type: "blocked", kind: "budget", question: "More?" });
    expect(asked.status, asked.text).toBe(200);
    const response = { maxToolCalls: 9 };
    const answer = await post(`/agents/tasks/${id}/respond`, { response }, { key });
    expectError(answer, 403, "BUDGET_RAISE_DENIED");
  });

  it("the agent's key can answer a budget question with text, and no key can answer it with a lower limit", async () => {
    const first = await usedUp();
    const text = { response: "Finish with what is there." };
    const path = (id: string) => `/agents/tasks/${id}/respond`;
    expect((await post(path(first.id), text, { key: first.key })).status).toBe(200);
    const second = await usedUp();
    const lower = { response: { maxToolCalls: 1, maxCost: 1 } };
    for (const key of [second.key, undefined]) {
      const answer = await post(path(second.id), lower, key === undefined ? {} : { key });
      expectError(answer, 400, "VALIDATION_ERROR");
    }
    expect((await read(second.id)).budget).toMatchObject({ maxToolCalls: 1, maxCost: 5 });
  });

  it("the budget is not raised by the agent's key with PATCH", async () => {
    const { key, id } = await usedUp();
    const body = { budget: { maxToolCalls: 100 } };
    expectError(await patch(`/agents/tasks/${id}`, body, { key }), 403, "BUDGET_RAISE_DENIED");
    expect((await read(id)).budget).toMatchObject({ maxToolCalls: 1, maxCost: 5 });
  });

  it("a budget is not a field of retry", async () => {
    const { key, id } = await usedUp();
    const body = { budget: { maxToolCalls: 100 } };
    const answer = await post(`/agents/tasks/${id}/retry`, body, { key });
    expectError(answer, 400, "VALIDATION_ERROR");
  });
});
