import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import { callTool, connect, REVISIONS } from "../../interfaces/mcp/client.ts";
import { get, post, send } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { create, passTime, read, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import { DONE, modelAgent, provideAi } from "../../support/workers-ai.ts";
import {
  claim,
  claimOne,
  complete,
  report,
  sendHeartbeat,
  waitingTask,
  workerAgent,
} from "../../tasks/workers/fixtures.ts";
import { grant, invoke, pause, QUERY, resume, TOOL } from "./fixtures.ts";

beforeAll(stopClock);

const TEXT = "Merchants paid for two wharves. The wharves still stand.";

/** Creates a worker agent with a grant and a claimed task, and a key bound to the agent. */
async function workingAgent() {
  const agentId = await workerAgent();
  await grant(agentId);
  await waitingTask(agentId);
  const { taskId, lease } = await claimOne(agentId);
  const key = await keyWith(UNMANAGING, { agentId });
  return { agentId, taskId, lease: String(lease.token), key };
}

describe("the tool calls of an agent that is stopped", () => {
  it.each([
    ["paused", "AGENT_PAUSED"],
    ["disabled", "AGENT_DISABLED"],
  ])("no call of a %s agent starts, for itself or for a task, with any key", async (how, code) => {
    const { agentId, taskId, key } = await workingAgent();
    expect((await invoke({ taskId }, key)).status).toBe(200);
    if (how === "paused") expect((await post(`/agents/${agentId}/pause`)).status).toBe(200);
    else await send("PATCH", `/agents/${agentId}`, { enabled: false });
    for (const call of [
      await invoke({ agentId }),
      await invoke({ taskId }),
      await invoke({}, key),
      await invoke({ taskId }, key),
    ]) {
      expectError(call, 403, code);
      expect(call.body.error.retryable).toBe(false);
    }
    expect((await invoke()).status).toBe(200);
    expect((await read(taskId)).spend).toEqual({ cost: 0, toolCalls: 1 });
  });

  it.each(REVISIONS)("a call of a paused agent over MCP is rejected (%s)", async (revision) => {
    const { agentId, key } = await workingAgent();
    const client = await connect(key, revision);
    await pause(agentId);
    const result = await callTool(client, `${TOOL}__query`, QUERY.parameters);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ error: { code: "AGENT_PAUSED" } });
    await resume(agentId);
    expect((await callTool(client, `${TOOL}__query`, QUERY.parameters)).isError).not.toBe(true);
  });

  it("the explanation of access says that the agent is paused", async () => {
    const { agentId } = await workingAgent();
    await pause(agentId);
    const query = `agentId=${agentId}&toolId=${TOOL}&capability=query`;
    const explained = await get(`/agents/access/explain?${query}`);
    expect(explained.body.data).toMatchObject({ allowed: false, reason: { code: "AGENT_PAUSED" } });
  });
});

describe("the worker of a paused agent", () => {
  it("its next heartbeat says stop, and the attempt continues after the agent is resumed", async () => {
    const { agentId, taskId, lease } = await workingAgent();
    await report(taskId, lease, { type: "progress", progress: 40, work: { page: 3 } });
    await pause(agentId, { reason: "It deletes files." });
    const beat = await sendHeartbeat(taskId, lease);
    expect(beat.body.data).toEqual({ taskId, status: "in_progress", stop: true });
    expectError(await complete(taskId, lease), 409, "LEASE_LOST");
    expectError(
      await post("/agents/tasks/claim", { agentId, waitSeconds: 0 }),
      403,
      "AGENT_PAUSED",
    );

    const waiting = await read(taskId);
    expect(waiting).toMatchObject({ status: "in_progress", progress: 40, attempt: 1 });
    expect(waiting.waitingFor).toMatchObject({ kind: "pause", agentId, cause: "request" });
    expect(waiting.waitingFor.message).toContain("is paused: It deletes files. The task continues");

    // The lease would have expired by now.
    passTime(3_600_000);
    await wake(taskId);
    await resume(agentId);
    const again = await claimOne(agentId);
    expect(again).toMatchObject({ taskId, attempt: 1, progress: 40, work: { page: 3 } });
    expect((await complete(taskId, String(again.lease.token))).status).toBe(200);
    expect((await read(taskId)).status).toBe("completed");
  });

  it("a task that waits for a worker says that the agent is paused, and can be claimed after it is resumed", async () => {
    const agentId = await workerAgent();
    const before = await waitingTask(agentId);
    await pause(agentId);
    const after = await waitingTask(agentId);
    for (const id of [before, after]) {
      expect((await read(id)).waitingFor).toMatchObject({ kind: "pause", agentId });
    }
    await resume(agentId);
    for (const id of [before, after]) {
      expect((await read(id)).waitingFor).toMatchObject({ kind: "agent", reason: "unclaimed" });
    }
    const claimed = await claim(agentId, { max: 2 });
    expect(new Set(claimed.map(({ taskId }) => taskId))).toEqual(new Set([before, after]));
  });

  it("a claim that waits when its agent is paused receives no task", async () => {
    const agentId = await workerAgent();
    const claiming = post("/agents/tasks/claim", { agentId, waitSeconds: 5 });
    const isWaiting = async (): Promise<boolean> => {
      const { workers } = (await get(`/agents/${agentId}`)).body.data;
      return workers.some((worker: { waiting: boolean }) => worker.waiting);
    };
    await vi.waitUntil(isWaiting, { timeout: 10_000 });
    await pause(agentId);
    const id = await waitingTask(agentId);
    expect((await claiming).body.data.tasks).toEqual([]);
    expect((await read(id)).waitingFor.kind).toBe("pause");
  });

  it("a task is answered while the agent is paused, and waits until it is resumed", async () => {
    const { agentId, taskId, lease } = await workingAgent();
    await report(taskId, lease, { type: "blocked", kind: "input", question: "Which page?" });
    await pause(agentId);
    await post(`/agents/tasks/${taskId}/respond`, { response: "3" });
    await pause(agentId);
    expect((await read(taskId)).waitingFor.kind).toBe("pause");
    await resume(agentId);
    expect(await claimOne(agentId)).toMatchObject({ taskId, attempt: 1 });
  });
});

describe("the turns of a paused model", () => {
  it("a turn that is due waits, and the attempt completes after the agent is resumed", async () => {
    const agentId = "paused-thinker";
    await modelAgent(agentId);
    let turns = 0;
    const run = async (): Promise<object> => {
      turns += 1;
      return DONE;
    };
    onTestFinished(provideAi(run));
    const id = await create({ agentId, context: { text: TEXT } });
    await pause(agentId);
    await wake(id);
    await vi.waitUntil(async () => (await read(id)).waitingFor?.kind === "pause", {
      timeout: 10_000,
    });
    expect(turns).toBe(0);

    await resume(agentId);
    await untilDone(id);
    expect(await read(id)).toMatchObject({ status: "completed", attempt: 1 });
  });

  it("the turn that follows a pause does not start until the agent is resumed", async () => {
    const agentId = "interrupted-thinker";
    await modelAgent(agentId);
    let turns = 0;
    const run = async (): Promise<object> => {
      turns += 1;
      if (turns > 1) return DONE;
      expect((await post(`/agents/${agentId}/pause`)).status).toBe(200);
      return { response: "There are two wharves." };
    };
    onTestFinished(provideAi(run));
    const id = await create({ agentId, context: { text: TEXT } });
    await wake(id);
    await vi.waitUntil(async () => (await read(id)).waitingFor !== null || turns > 1, {
      timeout: 10_000,
    });
    expect(turns).toBe(1);
    expect((await read(id)).waitingFor).toMatchObject({ kind: "pause", agentId });
    await resume(agentId);
    await untilDone(id);
    expect(await read(id)).toMatchObject({ status: "completed", attempt: 1 });
  });

  it("a turn during which the agent is paused makes no further call, and continues with what it did", async () => {
    const agentId = "stopped-thinker";
    await modelAgent(agentId);
    await grant(agentId, "text-analyst");
    const requests: object[] = [];
    const run = async (_model: string, inputs: object): Promise<object> => {
      requests.push(inputs);
      if (requests.length > 1) return DONE;
      expect((await post(`/agents/${agentId}/pause`)).status).toBe(200);
      const call = { name: "text-analyst__summarise", arguments: { text: "$context.text" } };
      return { response: "", tool_calls: [call] };
    };
    onTestFinished(provideAi(run));
    const id = await create({ agentId, context: { text: TEXT } });
    await wake(id);
    await vi.waitUntil(async () => (await read(id)).waitingFor?.kind === "pause", {
      timeout: 10_000,
    });
    expect(requests).toHaveLength(1);
    expect((await read(id)).spend.toolCalls).toBe(0);

    await resume(agentId);
    await untilDone(id);
    expect(await read(id)).toMatchObject({ status: "completed", attempt: 1 });
    expect(JSON.stringify(requests[1])).toContain("Not called because you were paused.");
  });

  async function untilDone(id: string): Promise<void> {
    await vi.waitUntil(
      async () => {
        if (["completed", "failed"].includes((await read(id)).status)) return true;
        await wake(id);
        return false;
      },
      { timeout: 10_000 },
    );
  }
});

describe("the steps of a paused built-in agent", () => {
  it("no step starts, and the attempt completes after the agent is resumed", async () => {
    const agentId = "paused-reader";
    await grant(agentId, "text-analyst");
    const id = await create({ agentId, context: { text: TEXT } });
    await wake(id);
    const { progress } = await read(id);
    await pause(agentId);
    await wake(id);
    expect(await read(id)).toMatchObject({
      status: "in_progress",
      progress,
      waitingFor: { kind: "pause", agentId },
    });
    await resume(agentId);
    await untilStatus(id, "completed");
    expect(await read(id)).toMatchObject({ attempt: 1, waitingFor: null });
  });

  it("a step that would make no call does not start either", async () => {
    const agentId = "idle-reader";
    await grant(agentId, "text-analyst");
    const id = await create({ agentId });
    await wake(id);
    const { status, progress } = await read(id);
    expect(status).toBe("in_progress");
    await pause(agentId);
    await wake(id);
    expect(await read(id)).toMatchObject({ progress, waitingFor: { kind: "pause", agentId } });
    await resume(agentId);
    await untilStatus(id, "completed");
  });

  it("the time during which the agent is paused does not count as working time", async () => {
    const agentId = "budgeted-reader";
    await grant(agentId, "text-analyst");
    const budget = { maxDurationSeconds: 60 };
    const id = await create({ agentId, context: { text: TEXT }, budget });
    await wake(id);
    await pause(agentId);
    await wake(id);
    passTime(3_600_000);
    await resume(agentId);
    await untilStatus(id, "completed");
    expect((await read(id)).attempt).toBe(1);
  });

  it("a task for an agent with one slot keeps waiting, and starts after the agent is resumed", async () => {
    const agentId = "narrow-reader";
    const registered = await post("/agents", { id: agentId, maxConcurrentTasks: 1 });
    expect(registered.status).toBe(201);
    await grant(agentId, "text-analyst");
    await pause(agentId);
    const ids = [await create({ agentId, context: { text: TEXT } })];
    ids.push(await create({ agentId, context: { text: TEXT } }));
    for (const id of ids) {
      await wake(id);
      expect((await read(id)).waitingFor.kind).toBe("pause");
    }
    await resume(agentId);
    const isDone = async (id: string): Promise<boolean> => (await read(id)).status === "completed";
    const areDone = async (): Promise<boolean> => {
      for (const id of ids) await wake(id);
      return (await Promise.all(ids.map(isDone))).every(Boolean);
    };
    await vi.waitUntil(areDone, { timeout: 10_000 });
  });
});

describe("the assignment of tasks to a paused agent", () => {
  it("a task for any agent goes to another agent, and back after the agent is resumed", async () => {
    const teamId = "paused-team";
    const [first, second] = [await workerAgent(), await workerAgent()];
    await send("PUT", `/agents/teams/${teamId}`, { agents: [first, second] });
    await pause(first);
    const ids = await Promise.all([1, 2, 3].map(() => create({ teamId })));
    for (const id of ids) {
      await wake(id);
      expect((await read(id)).agentId).toBe(second);
    }
    await pause(second);
    const waiting = await create({ teamId });
    await wake(waiting);
    expect((await read(waiting)).waitingFor).toMatchObject({ kind: "agent", reason: "unassigned" });
    await resume(first);
    passTime(60_000);
    await wake(waiting);
    expect((await read(waiting)).agentId).toBe(first);
  });

  it("a task that was meant for a paused agent, but not requested for it, goes to another agent", async () => {
    const teamId = "moving-team";
    const first = await workerAgent();
    await send("PUT", `/agents/teams/${teamId}`, { agents: [first] });
    const id = await create({ teamId });
    const second = await workerAgent({ teams: [teamId] });
    await pause(first);
    await wake(id);
    passTime(60_000);
    await wake(id);
    expect((await read(id)).agentId).toBe(second);
  });
});

describe("a call that runs while its agent is paused", () => {
  it("the running call ends and is charged, and the next call is rejected", async () => {
    const { agentId, taskId, key } = await workingAgent();
    const undo = divert(TaskObject.prototype, "reserveCall", async (real) => {
      await pause(agentId);
      return real();
    });
    expect((await invoke({ taskId }, key)).status).toBe(200);
    undo();
    expectError(await invoke({ taskId }, key), 403, "AGENT_PAUSED");
    expect((await read(taskId)).spend.toolCalls).toBe(1);
  });
});
