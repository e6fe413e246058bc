import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import {
  decide,
  grant,
  approverKey,
  readApproval,
} from "../../../governance/approvals/fixtures.ts";
import { get, patch, post, send } from "../../../support/client.ts";
import { crash } from "../../../support/crash.ts";
import {
  invoke,
  queryCapability,
  registerHttpTool,
  requestsSeen,
} from "../../../support/server-tools.ts";
import { read } from "../../../support/tasks.ts";
import { claim, waitingTask, workerAgent } from "../../../tasks/workers/fixtures.ts";

let tools = 0;

/** Registers a tool whose calls require approval. */
async function askingTool(path: string, method = "GET"): Promise<string> {
  tools += 1;
  const id = `asking-tool-${tools}`;
  const { request, ...capability } = queryCapability("call", path, "key");
  const changed = { ...capability, request: { ...Object(request), method } };
  expect((await registerHttpTool("hostile", id, [changed])).status).toBe(201);
  const policy = { id, name: "Asks", effect: "ask", tools: [id], reason: "Look first." };
  expect((await post("/agents/policies", policy)).status).toBe(201);
  return id;
}

async function pendingCall(toolId: string, key: string): Promise<string> {
  const answer = await invoke(toolId, "call", { key });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.approvalId;
}

async function untilStatus(id: string, ...statuses: readonly string[]): Promise<void> {
  await vi.waitFor(async () => expect(statuses).toContain((await readApproval(id)).status), {
    timeout: 10_000,
  });
}

const stubOf = (id: string) => env.APPROVALS.get(env.APPROVALS.idFromName(id));

describe("the stored call", () => {
  it("a call is not sent before it is approved, and shows where it will be sent", async () => {
    const toolId = await askingTool("/ok");
    const id = await pendingCall(toolId, "approved-once");
    const { destination } = await readApproval(id);
    expect(destination).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await requestsSeen("approved-once")).toBe(0);
    const approver = await approverKey();
    await Promise.all([1, 2, 3].map(() => decide(id, "approve", approver)));
    await untilStatus(id, "executed");
    expect(await requestsSeen("approved-once")).toBe(1);
  });

  it("a call whose object crashes while it is sent is not sent again, and its outcome is unknown", async () => {
    const toolId = await askingTool("/hang", "POST");
    const id = await pendingCall(toolId, "crashed");
    await decide(id, "approve", await approverKey());
    await vi.waitUntil(async () => (await requestsSeen("crashed")) === 1);
    expect((await readApproval(id)).status).toBe("executing");
    await crash(stubOf(id));
    await untilStatus(id, "unknown");
    expect(await requestsSeen("crashed")).toBe(1);
  });

  it("a crash after the approval and before the call loses no call", async () => {
    const toolId = await askingTool("/ok");
    const approver = await approverKey();
    for (let round = 0; round < 5; round += 1) {
      const key = `crash-${round}`;
      const id = await pendingCall(toolId, key);
      await crash(stubOf(id));
      await decide(id, "approve", approver);
      await crash(stubOf(id)).catch(() => null);
      await untilStatus(id, "executed", "unknown");
      expect(await requestsSeen(key)).toBeLessThanOrEqual(1);
      const { status } = await readApproval(id);
      if (status === "executed") expect(await requestsSeen(key)).toBe(1);
    }
  });

  it("a tool that has changed since the approval is not called", async () => {
    const toolId = await askingTool("/ok");
    const id = await pendingCall(toolId, "redirected");
    const capabilities = [queryCapability("call", "/echo", "key")];
    await patch(`/agents/tools/${toolId}`, { capabilities });
    await decide(id, "approve", await approverKey());
    await untilStatus(id, "failed");
    expect((await readApproval(id)).error).toMatchObject({
      code: "APPROVED_CALL_FAILED",
      message: expect.stringContaining("has changed since the call was approved"),
    });
    expect(await requestsSeen("redirected")).toBe(0);
  });

  it("a failed call is reported with the system's error, and to the task", async () => {
    const toolId = await askingTool("/status");
    const agentId = await workerAgent();
    await grant(agentId, toolId);
    await waitingTask(agentId);
    const { taskId } = await vi.waitUntil(async () => (await claim(agentId))[0]);
    const stored = await invoke(toolId, "call", { key: "failing" }, { taskId });
    expect(stored.status, stored.text).toBe(202);
    const id = stored.body.data.approvalId;
    await decide(id, "approve", await approverKey());
    await untilStatus(id, "failed");
    expect((await readApproval(id)).error.code).toBe("TOOL_UPSTREAM_ERROR");
    await vi.waitUntil(async () => (await read(taskId)).status === "in_progress");
    const events = (await get(`/agents/tasks/${taskId}/events`)).body.data.events;
    expect(events.at(-1)).toMatchObject({ type: "call_settled", data: { status: "failed" } });
    await vi.waitUntil(async () => (await claim(agentId)).length > 0);
    const repeated = await invoke(toolId, "call", { key: "failing" }, { taskId });
    expect(repeated.status).toBe(409);
    expect(repeated.body.error.code).toBe("APPROVED_CALL_FAILED");
    expect(await requestsSeen("failing")).toBe(1);
  });

  it("the feed and the list contain each state of a call once", async () => {
    const toolId = await askingTool("/ok");
    const id = await pendingCall(toolId, "in-the-feed");
    await decide(id, "approve", await approverKey(), { message: "Go." });
    await untilStatus(id, "executed");
    const types = "approval.requested,approval.decided,approval.executed";
    const own = async () =>
      (await get(`/agents/events?type=${types}&limit=100`)).body.data.events.filter(
        (event: { approvalId: string }) => event.approvalId === id,
      );
    await vi.waitUntil(async () => (await own()).length === 3);
    expect(await own()).toMatchObject([
      { type: "approval.requested", seq: 1, data: { toolId, reason: "Look first." } },
      { type: "approval.decided", seq: 2, data: { status: "approved", message: "Go." } },
      { type: "approval.executed", seq: 3, data: { status: "executed" } },
    ]);
    const { approvals } = (await get(`/agents/approvals?toolId=${toolId}`)).body.data;
    expect(approvals).toMatchObject([{ id, status: "executed" }]);
  });

  it("a request with an idempotency key is stored once", async () => {
    const toolId = await askingTool("/ok");
    const body = { capability: "call", parameters: { key: "repeated" } };
    const options = { headers: { "Idempotency-Key": "one-approval" } };
    const request = () => send("POST", `/agents/tools/${toolId}/invoke`, body, options);
    const [first, second] = [await request(), await request()];
    expect(first.status, first.text).toBe(202);
    expect(second.body.data).toEqual(first.body.data);
  });
});
