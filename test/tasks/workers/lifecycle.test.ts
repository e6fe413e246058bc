import { beforeAll, describe, expect, it } from "vitest";
import { get, post, send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { expectError } from "../../support/expect-errors.ts";
import { read, stopClock } from "../../support/tasks.ts";
import { eventsOf, typesOf } from "../../support/task-state.ts";
import {
  sendHeartbeat,
  bytesOf,
  claim,
  claimOne,
  complete,
  heldTask,
  OUTCOME,
  report,
  upload,
  waitingTask,
  workerAgent,
} from "./fixtures.ts";

beforeAll(stopClock);

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Buffer.from(digest).toString("hex");
}

describe("a worker's work", () => {
  it("a worker claims a task, reports on it, uploads a file and completes it, and the file is served unchanged", async () => {
    const agentId = await workerAgent();
    const key = await keyWith(["tasks:work"], { agentId });
    const body = {
      context: { text: "wind" },
      deliverables: ["report"],
      deadline: "2031-01-01T00:00:00Z",
    };
    const id = await waitingTask(agentId, body);
    expect(await read(id)).toMatchObject({ status: "assigned", progress: 0 });

    const claimed = await post("/agents/tasks/claim", { worker: "w-1", leaseSeconds: 30 }, { key });
    expect(claimed.status).toBe(200);
    const [task] = claimed.body.data.tasks;
    expect(task).toMatchObject({
      taskId: id,
      status: "in_progress",
      agentId,
      attempt: 1,
      context: { text: "wind" },
      deliverables: ["report"],
      answers: [],
      reviewComments: [],
      work: {},
      files: [],
      lease: { token: expect.stringMatching(/^\S{20,}$/), seconds: 30 },
    });
    const { token } = task.lease;
    expect(Date.parse(task.lease.expiresAt) - Date.now()).toBe(30_000);
    const { expiresAt } = task.lease;
    const renewedAt = new Date(Date.parse(expiresAt) - 30_000).toISOString();
    expect((await read(id)).lease).toEqual({ worker: "w-1", renewedAt, expiresAt });

    const step = { type: "progress", progress: 40, phase: "counting", work: { at: 3 } };
    const reported = await report(id, token, step, { key });
    const lease = { expiresAt: task.lease.expiresAt, seconds: 30 };
    expect(reported.body.data).toEqual({ taskId: id, status: "in_progress", stop: false, lease });
    expect(await read(id)).toMatchObject({ progress: 40, currentPhase: "counting" });

    const bytes = bytesOf("# Report\n\nwind: 1\n");
    const headers = { "Bosun-Lease": token, Authorization: `Bearer ${key}` };
    const uploaded = await upload(id, "report.md?type=report", bytes, {
      ...headers,
      "Content-Type": "text/markdown",
    });
    const file = {
      type: "report",
      name: "report.md",
      size: bytes.byteLength,
      sha256: await sha256(bytes),
    };
    expect([uploaded.status, uploaded.body.data]).toMatchObject([
      201,
      { ...file, format: "text/markdown" },
    ]);

    const quality = { score: 90, accuracy: 95, completeness: 80, clarity: 100 };
    const result = { summary: "One word.", insights: ["wind"], recommendations: [] };
    const done = await report(id, token, { type: "completed", result, quality }, { key });
    expect(done.body.data).toEqual({ taskId: id, status: "completed", stop: true });
    expect(await read(id)).toMatchObject({
      status: "completed",
      progress: 100,
      result,
      quality,
      deliverables: [file],
    });
    expect(await read(id)).not.toHaveProperty("lease");

    const { deliverables } = (await get(`/agents/tasks/${id}/deliverables`)).body.data;
    expect(deliverables).toMatchObject([{ ...file, format: "text/markdown" }]);
    const download = await send(
      "GET",
      new URL(deliverables[0].downloadUrl).href.slice(18),
      undefined,
      { key: null },
    );
    expect(download.text).toBe("# Report\n\nwind: 1\n");
    expect(download.headers.get("Content-Type")).toBe("text/markdown");
    expect((await post(`/agents/tasks/${id}/feedback`, { rating: 5 })).status).toBe(201);
    const types = [
      "created",
      "assigned",
      "started",
      "progressed",
      "progressed",
      "completed",
      "rated",
    ];
    expect(await typesOf(id)).toEqual(types);
  });

  it("a worker asks a question, and the next claim continues with the answer, the saved work and the files", async () => {
    const { agentId, id, lease } = await heldTask();
    await report(id, lease, { type: "progress", progress: 30, work: { pages: 3, draft: "a" } });
    await upload(id, "notes.txt", bytesOf("x"), { "Bosun-Lease": lease });
    const asked = await report(id, lease, {
      type: "blocked",
      question: "Which year?",
      work: { draft: "b" },
    });
    expect(asked.body.data).toEqual({ taskId: id, status: "blocked", stop: true });
    expect((await read(id)).blocked).toMatchObject({ kind: "input", question: "Which year?" });
    expect(await claim(agentId)).toEqual([]);

    await post(`/agents/tasks/${id}/respond`, { response: { year: 1702 } });
    const again = await claimOne(agentId, { worker: "w-2" });
    expect(again).toMatchObject({
      taskId: id,
      attempt: 1,
      progress: 30,
      answers: [{ question: "Which year?", response: { year: 1702 } }],
      work: { pages: 3, draft: "b" },
      files: [{ name: "notes.txt", type: "txt", format: "application/octet-stream", size: 1 }],
    });
    expect(again.lease.token).not.toBe(lease);
    expectError(await complete(id, lease), 409, "LEASE_LOST");
    expect((await complete(id, again.lease.token)).body.data.status).toBe("completed");
    expect((await read(id)).deliverables).toMatchObject([{ name: "notes.txt" }]);
  });

  it("a worker submits for review, receives the requested changes and is approved", async () => {
    const { agentId, id, lease } = await heldTask({ context: { text: "wind" } });
    await upload(id, "a.txt", bytesOf("first"), { "Bosun-Lease": lease });
    await upload(id, "b.txt", bytesOf("kept"), { "Bosun-Lease": lease });
    const handed = await report(id, lease, { type: "review", ...OUTCOME });
    expect(handed.body.data).toEqual({ taskId: id, status: "review", stop: true });
    await post(`/agents/tasks/${id}/review`, { decision: "request_changes", comment: "Longer." });

    const again = await claimOne(agentId);
    expect(again).toMatchObject({
      reviewComments: ["Longer."],
      files: [{ name: "a.txt" }, { name: "b.txt" }],
    });
    const { token } = again.lease;
    const replaced = await upload(id, "a.txt", bytesOf("second"), { "Bosun-Lease": token });
    expect(replaced.status).toBe(200);
    // The result needs another review, even if the worker reports the task as completed.
    expect((await complete(id, token)).body.data.status).toBe("review");
    expect(
      (await post(`/agents/tasks/${id}/review`, { decision: "approve" })).body.data.status,
    ).toBe("completed");
    expect((await get(`/agents/tasks/${id}/deliverables/a.txt`)).text).toBe("second");
    expect((await get(`/agents/tasks/${id}/deliverables/b.txt`)).text).toBe("kept");
  });

  it("completed work of an agent that requires review goes to review, and can be rejected", async () => {
    const { id, lease } = await heldTask({}, { requireReview: true });
    const done = await complete(id, lease);
    expect(done.body.data).toEqual({ taskId: id, status: "review", stop: true });
    const rejected = await post(`/agents/tasks/${id}/review`, {
      decision: "reject",
      comment: "No.",
    });
    expect(rejected.body.data).toMatchObject({
      status: "failed",
      error: { code: "REVIEW_REJECTED", message: "No." },
    });
  });

  it("a worker's failure is stored with its error, and the retry is claimed like any other task", async () => {
    const { agentId, id, lease } = await heldTask();
    const error = { message: "The sheet is empty.", retryable: false, details: { sheet: 2 } };
    const failed = await report(id, lease, { type: "failed", error });
    expect(failed.body.data).toEqual({ taskId: id, status: "failed", stop: true });
    expect((await read(id)).error).toMatchObject({ code: "AGENT_ERROR", ...error, attempt: 1 });
    expect((await post(`/agents/tasks/${id}/retry`, { context: { sheet: 1 } })).status).toBe(200);
    const again = await claimAfterWake(agentId, id);
    expect(again).toMatchObject({ attempt: 2, context: { sheet: 1 }, work: {}, files: [] });
  });
});

describe("a task that is cancelled while a worker holds it", () => {
  it("a cancelled task stops its worker at the next heartbeat and rejects further reports", async () => {
    const { id, lease } = await heldTask();
    expect((await sendHeartbeat(id, lease)).body.data).toMatchObject({
      status: "in_progress",
      stop: false,
    });
    await post(`/agents/tasks/${id}/cancel`, { reason: "Not needed." });
    const log = await eventsOf(id);
    expect((await sendHeartbeat(id, lease)).body.data).toEqual({
      taskId: id,
      status: "cancelled",
      stop: true,
    });
    for (const body of [
      { type: "progress", progress: 50 },
      { type: "blocked", question: "Why?" },
      { type: "review", ...OUTCOME },
      { type: "completed", ...OUTCOME },
      { type: "failed", error: { message: "x" } },
    ]) {
      const late = await report(id, lease, body);
      expectError(late, 409, "LEASE_LOST");
      expect(late.body.error.context.status).toBe("cancelled");
    }
    expectError(
      await upload(id, "a.txt", bytesOf("x"), { "Bosun-Lease": lease }),
      409,
      "LEASE_LOST",
    );
    expect(await eventsOf(id)).toEqual(log);
  });
});

async function claimAfterWake(agentId: string, id: string) {
  const { wake } = await import("../../support/tasks.ts");
  await wake(id);
  return claimOne(agentId);
}
