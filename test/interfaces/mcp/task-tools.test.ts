import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AgentQueue } from "../../../src/agents/queue/queue.object.ts";
import worker from "../../../src/index.ts";
import { get, ROOT } from "../../support/client.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { read, stopClock, taskIn, untilStatus, wake } from "../../support/tasks.ts";
import { claim, waitingTask, workerAgent } from "../../tasks/workers/fixtures.ts";
import { callTool, connect, dataOf, REVISIONS, toolCallRequest } from "./client.ts";

beforeAll(stopClock);
afterEach(() => {
  vi.restoreAllMocks();
});

const TEXT = "The harbour of Bergen was rebuilt in 1702. Merchants paid for stone cellars.";

describe.each(REVISIONS)("the task tools by revision %s", (revision) => {
  it("tasks are created, read and listed, and their deliverables are listed, over MCP as over REST", async () => {
    const client = await connect(await keyWith(UNMANAGING), revision);
    const given = { task: "Summarise", context: { text: TEXT }, deliverables: ["summary"] };
    const created = dataOf(await callTool(client, "create_task", given));
    expect(created).toMatchObject({ status: "pending", task: "Summarise" });
    const { taskId } = created;
    await untilStatus(taskId, "completed");

    const seen = dataOf(await callTool(client, "get_task", { taskId, include: "context" }));
    expect(seen).toEqual(await read(taskId));
    expect(seen).toMatchObject({ status: "completed", progress: 100 });

    const page = dataOf(await callTool(client, "list_tasks", { status: "completed", limit: 1 }));
    expect(page).toEqual((await get("/agents/tasks?status=completed&limit=1")).body.data);

    const { deliverables } = dataOf(await callTool(client, "list_deliverables", { taskId }));
    const { pathname, search } = new URL(deliverables[0].downloadUrl);
    expect((await get(`${pathname}${search}`, { key: null })).text).toContain("1702");
  });

  it("create_task warns about budget fields that are not enforced", async () => {
    const client = await connect(await keyWith(UNMANAGING), revision);
    const make = async (budget: object) =>
      dataOf(await callTool(client, "create_task", { task: "One", budget }));
    expect((await make({ maxUsd: 3 })).warnings).toEqual([expect.stringContaining('"maxUsd"')]);
    expect(await make({ maxCost: 3 })).not.toHaveProperty("warnings");
  });

  it("a task is created once per idempotency key, and a different body is rejected", async () => {
    const client = await connect(await keyWith(UNMANAGING), revision);
    const idempotencyKey = crypto.randomUUID();
    const make = (task: string) => callTool(client, "create_task", { task, idempotencyKey });
    const [first, again] = [dataOf(await make("One")), dataOf(await make("One"))];
    expect(again).toEqual(first);
    expect((await make("Two")).structuredContent).toMatchObject({
      error: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
  });

  it("respond_task continues a blocked task, and review_task completes a task in review", async () => {
    const client = await connect(ROOT, revision);
    const blocked = await taskIn("blocked");
    const answered = await callTool(client, "respond_task", { taskId: blocked, response: "1702" });
    expect(dataOf(answered)).toMatchObject({ status: "in_progress" });

    const inReview = await taskIn("review");
    const verdict = { taskId: inReview, decision: "approve" };
    expect(dataOf(await callTool(client, "review_task", verdict))).toMatchObject({
      status: "completed",
    });
  });

  it("a task is cancelled once, and a second cancellation is rejected", async () => {
    const client = await connect(ROOT, revision);
    const taskId = await taskIn("pending");
    const cancel = () => callTool(client, "cancel_task", { taskId, reason: "Enough" });
    expect(dataOf(await cancel())).toMatchObject({ status: "cancelled", cancelReason: "Enough" });
    expect((await cancel()).structuredContent).toMatchObject({
      error: { code: "INVALID_STATE", context: { status: "cancelled", allowed: [] } },
    });
  });

  it("a worker claims a task, reports on it and completes it over MCP", async () => {
    const agentId = await workerAgent();
    const taskId = await waitingTask(agentId, { context: { text: TEXT } });
    const client = await connect(await keyWith(["tasks:work"], { agentId }), revision);
    const { tasks } = dataOf(await callTool(client, "claim_task", { waitSeconds: 0 }));
    expect(tasks).toMatchObject([{ taskId, status: "in_progress", context: { text: TEXT } }]);
    const lease = tasks[0].lease.token;
    const report = (rest: object) => callTool(client, "report_task", { taskId, lease, ...rest });

    expect(dataOf(await report({ type: "heartbeat" }))).toMatchObject({ stop: false });
    expect((await report({ type: "heartbeat", lease: "another" })).structuredContent).toMatchObject(
      {
        error: { code: "LEASE_LOST" },
      },
    );
    const progress = { type: "progress", progress: 40, phase: "Reading" };
    expect(dataOf(await report(progress))).toMatchObject({ status: "in_progress" });
    expect(await read(taskId)).toMatchObject({ progress: 40, currentPhase: "Reading" });
    const done = { type: "completed", result: { summary: "All read." } };
    expect(dataOf(await report(done))).toMatchObject({ status: "completed", stop: true });
    expect(await read(taskId)).toMatchObject({ result: { summary: "All read." } });
  });

  it("a worker can return a task over MCP, and it can be claimed again in the same attempt", async () => {
    const agentId = await workerAgent();
    const taskId = await waitingTask(agentId);
    const client = await connect(await keyWith(["tasks:work"], { agentId }), revision);
    const claimOnce = async () =>
      dataOf(await callTool(client, "claim_task", { waitSeconds: 0 })).tasks[0];
    const { token: lease } = (await claimOnce()).lease;
    const released = { taskId, lease, type: "released", reason: "Shutdown", work: { page: 7 } };
    expect(dataOf(await callTool(client, "report_task", released))).toEqual({
      taskId,
      status: "in_progress",
      stop: true,
    });
    expect(await claimOnce()).toMatchObject({ taskId, attempt: 1, work: { page: 7 } });
  });

  it.each([
    ["create_task", {}, { task: /is required/ }],
    ["create_task", { task: "x", foo: 1 }, { foo: /is not a known field/ }],
    ["create_task", { task: "x", deadline: "2001-01-01T00:00:00Z" }, { deadline: /future/ }],
    ["create_task", { task: "x", idempotencyKey: "a b" }, { idempotencyKey: /printable ASCII/ }],
    ["create_task", { task: "x", context: [] }, { context: /must be an object/ }],
    ["get_task", {}, { taskId: /is required/ }],
    ["get_task", { taskId: "x", include: "all" }, { include: /context/ }],
    ["list_tasks", { limit: 0 }, { limit: /from 1 to 100/ }],
    ["list_tasks", { limit: 1.5 }, { limit: /whole number/ }],
    ["list_tasks", { cursor: "x" }, { cursor: /nextCursor/ }],
    ["list_tasks", { colour: "red" }, { colour: /is not a known field/ }],
    ["cancel_task", { taskId: 7 }, { taskId: /must be a string/ }],
    ["respond_task", { taskId: "x", response: 7 }, { response: /must be a string/ }],
    ["review_task", { taskId: "x", decision: "maybe" }, { decision: /approve/ }],
    ["claim_task", { agentId: "researcher", max: 0 }, { max: /at least 1/ }],
    ["claim_task", { agentId: "researcher" }, { agentId: /executor type worker/ }],
    ["report_task", { taskId: "x", lease: "l", type: "nap" }, { type: /heartbeat/ }],
    ["report_task", { lease: "l", type: "heartbeat" }, { taskId: /is required/ }],
    [
      "report_task",
      { taskId: "x", lease: "l", type: "heartbeat", progress: 1 },
      { progress: /known/ },
    ],
  ])("the error for %s with %j says what to change", async (name, given, problems) => {
    const result = await callTool(await connect(ROOT, revision), name, given);
    expect(result.isError).toBe(true);
    const { error } = Object(result.structuredContent);
    expect(error.code).toBe("VALIDATION_ERROR");
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual(Object.keys(problems));
    for (const { path, message } of error.details) {
      expect(message).toMatch(Reflect.get(problems, path));
    }
  });

  it("a task of another agent gets the same error as an unknown task", async () => {
    const taskId = await taskIn("pending", { agentId: "storyteller" });
    const client = await connect(await keyWith(UNMANAGING, { agentId: "researcher" }), revision);
    const unknownId = "a".repeat(64);
    for (const [name, rest] of [
      ["get_task", {}],
      ["cancel_task", {}],
      ["list_deliverables", {}],
      ["respond_task", { response: "x" }],
      ["review_task", { decision: "approve" }],
      ["report_task", { type: "heartbeat", lease: "l" }],
    ] as const) {
      const ask = async (id: string) =>
        JSON.stringify(await callTool(client, name, { taskId: id, ...rest })).replaceAll(
          new RegExp(id.slice(0, 59) + "[0-9a-f…]*", "g"),
          "ID",
        );
      expect(await ask(taskId)).toBe(await ask(unknownId));
      expect(await ask(taskId)).toContain("TASK_NOT_FOUND");
    }
  });
});

describe("a claim whose client hangs up", () => {
  it("a claim whose client hangs up leaves the queue, and the next claim gets the task", async () => {
    const agentId = await workerAgent();
    const client = new AbortController();
    const context = createExecutionContext();
    const claims = vi.spyOn(AgentQueue.prototype, "claim");
    const request = toolCallRequest("claim_task", { agentId, waitSeconds: 20 }, client.signal);
    const claiming = worker.fetch(request, env, context);
    do await get(`/agents/${agentId}`);
    while (claims.mock.calls.length === 0);
    client.abort();
    await claiming;
    await waitOnExecutionContext(context);

    const id = await waitingTask(agentId);
    await wake(id);
    expect((await read(id)).status).toBe("assigned");
    expect((await claim(agentId)).map(({ taskId }) => taskId)).toEqual([id]);
  });
});
