import { beforeAll, describe, expect, it, vi } from "vitest";
import { callTool, connect, REVISIONS } from "../../interfaces/mcp/client.ts";
import { get, post } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { create, read, stopClock, wake } from "../../support/tasks.ts";
import { modelAgent, provideSummarisingAi } from "../../support/workers-ai.ts";
import { claimOne, sendHeartbeat, waitingTask, workerAgent } from "../../tasks/workers/fixtures.ts";
import {
  approverKey,
  ask,
  decide,
  grant,
  invoke,
  pendingCall,
  QUERY,
  TOOL,
  untilApproval,
} from "./fixtures.ts";

beforeAll(stopClock);

const TEXT = "Merchants paid for two wharves. The wharves still stand.";
const RESULT = { count: 1, matches: [{ value: 1 }] };

/** Creates a worker agent with a grant and a claimed task, and a key bound to the agent. */
async function workingAgent() {
  const agentId = await workerAgent();
  await grant(agentId);
  await waitingTask(agentId);
  const { taskId, lease } = await claimOne(agentId);
  return { agentId, taskId, lease, key: await keyWith(UNMANAGING, { agentId }) };
}

/** Wakes a task until it has a status. */
async function untilTask(id: string, ...statuses: readonly string[]): Promise<void> {
  await vi.waitUntil(
    async () => {
      if (statuses.includes((await read(id)).status)) return true;
      await wake(id);
      return false;
    },
    { timeout: 10_000 },
  );
}

describe("a worker's call that requires approval", () => {
  it("the task is blocked until the call is made, and an equal call then returns its result", async () => {
    await ask();
    const { agentId, taskId, lease, key } = await workingAgent();
    const approvalId = await pendingCall({}, key);
    const blocked = await read(taskId);
    expect(blocked).toMatchObject({
      status: "blocked",
      blocked: { kind: "approval", approvalIds: [approvalId] },
      waitingFor: { kind: "question", question: { approvalIds: [approvalId] } },
    });
    expect((await sendHeartbeat(taskId, lease.token)).body.data).toMatchObject({
      stop: expect.anything(),
    });
    expectError(
      await post(`/agents/tasks/${taskId}/respond`, { response: "Approved." }),
      409,
      "APPROVAL_PENDING",
    );

    await decide(approvalId, "approve", await approverKey());
    await untilApproval(approvalId, "executed");
    await vi.waitUntil(async () => (await read(taskId)).status === "in_progress");
    expect((await read(taskId)).spend.toolCalls).toBe(1);
    await claimOne(agentId);
    for (const answer of [await invoke({}, key), await invoke({ taskId }, key)]) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.data).toMatchObject({ result: RESULT, usage: { cost: 0 } });
    }
    expect((await read(taskId)).spend.toolCalls).toBe(1);
    const { calls } = (await get(`/agents/tasks/${taskId}/calls`)).body.data;
    expect(calls.filter(({ outcome }: { outcome: string }) => outcome === "ok")).toMatchObject([
      { callId: approvalId },
    ]);
  });

  it("after a denial, the task continues, and an equal call is denied without a new request", async () => {
    await ask();
    const { agentId, taskId, key } = await workingAgent();
    const approvalId = await pendingCall({ taskId }, key);
    await decide(approvalId, "deny", await approverKey(), { message: "Not this one." });
    await vi.waitUntil(async () => (await read(taskId)).status === "in_progress");
    await claimOne(agentId);
    const repeated = await invoke({ taskId }, key);
    expectError(repeated, 403, "APPROVAL_DENIED");
    expect(repeated.body.error.message).toContain("Not this one.");
    const other = { parameters: { ...QUERY.parameters, path: "$[1]" } };
    expect(await pendingCall({ taskId, ...other }, key)).not.toBe(approvalId);
  });

  it("if the task ends, its call is withdrawn and cannot be approved", async () => {
    await ask();
    const { taskId, key } = await workingAgent();
    const approvalId = await pendingCall({ taskId }, key);
    await post(`/agents/tasks/${taskId}/cancel`, {});
    await untilApproval(approvalId, "withdrawn");
    expectError(await decide(approvalId, "approve", await approverKey()), 409, "APPROVAL_DECIDED");
    expect((await read(taskId)).spend).toBeUndefined();
  });
});

describe("another caller's call that requires approval", () => {
  it.each(REVISIONS)(
    "a call over MCP returns the approval, and get_approval its result (%s)",
    async (revision) => {
      await ask();
      const agentId = await workerAgent();
      await grant(agentId);
      const client = await connect(await keyWith(UNMANAGING, { agentId }), revision);
      const stored = await callTool(client, `${TOOL}__query`, QUERY.parameters);
      expect(stored.isError).not.toBe(true);
      expect(stored.structuredContent).toMatchObject({ status: "pending" });
      const { approvalId } = stored.structuredContent as { approvalId: string };
      const pending = await callTool(client, "get_approval", { approvalId });
      expect(pending.structuredContent).toMatchObject({ status: "pending", agentId });
      await decide(approvalId, "approve", await approverKey());
      await untilApproval(approvalId, "executed");
      const made = await callTool(client, "get_approval", { approvalId });
      expect(made.structuredContent).toMatchObject({ status: "executed", result: RESULT });
      const listed = await callTool(client, "list_approvals", { status: "executed", limit: 5 });
      expect(listed.structuredContent).toMatchObject({ approvals: [{ id: approvalId }], total: 1 });
    },
  );

  it.each(["approve", "deny"] as const)(
    "a model waits until people %s its call, and receives the outcome",
    async (how) => {
      const agentId = `asking-thinker-${how}`;
      await modelAgent(agentId);
      await grant(agentId, "text-analyst");
      await ask({ tools: ["text-analyst/summarise"], agents: [agentId] });
      const requests = provideSummarisingAi();
      const id = await create({ agentId, context: { text: TEXT } });
      await untilTask(id, "blocked");
      const { approvalIds } = (await read(id)).blocked;
      expect(approvalIds).toHaveLength(1);
      expect(requests).toHaveLength(1);
      await decide(approvalIds[0], how, await approverKey(), { message: "Because I say so." });
      await untilApproval(approvalIds[0], how === "approve" ? "executed" : "denied");
      await untilTask(id, "completed");
      const prompt = JSON.stringify(requests[1]);
      expect(prompt).toContain(how === "approve" ? "wharves still stand" : "Because I say so.");
      expect((await read(id)).spend?.toolCalls ?? 0).toBe(how === "approve" ? 1 : 0);
    },
  );

  it("a built-in agent waits for each of its calls, and makes each once", async () => {
    const agentId = "asking-reader";
    await grant(agentId, "text-analyst");
    await ask({ tools: ["text-analyst"], agents: [agentId] });
    const approver = await approverKey();
    const id = await create({ agentId, context: { text: TEXT } });
    const approved: string[] = [];
    for (;;) {
      await untilTask(id, "blocked", "completed", "failed");
      const task = await read(id);
      if (task.status !== "blocked") break;
      for (const approvalId of task.blocked.approvalIds) {
        approved.push(approvalId);
        await decide(approvalId, "approve", approver);
        await untilApproval(approvalId, "executed");
      }
      await vi.waitUntil(async () => (await read(id)).status !== "blocked");
    }
    const task = await read(id);
    expect(task.status, JSON.stringify(task.error)).toBe("completed");
    expect(approved.length).toBeGreaterThan(0);
    expect(new Set(approved).size).toBe(approved.length);
    expect(task.spend.toolCalls).toBe(approved.length);
  });
});
