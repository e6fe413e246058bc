import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, post, send } from "../../support/client.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { create, passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { provideAi } from "../../support/workers-ai.ts";
import {
  bytesOf,
  claimOne,
  complete,
  report,
  setAgent,
  upload,
  waitingTask,
  workerAgent,
} from "../../tasks/workers/fixtures.ts";
import { grant, invoke, pauseOf, resume, wakeQueue } from "./fixtures.ts";

beforeAll(stopClock);

const FAILURE = { type: "failed", error: { message: "No page was found." } };
const TEXT = { "Content-Type": "text/plain" };

/** Creates a worker agent with a grant and a claimed task. */
async function workingAgent(noProgress: JsonObject = {}) {
  const agentId = await workerAgent({ noProgress });
  await grant(agentId);
  const id = await waitingTask(agentId);
  const { lease } = await claimOne(agentId);
  return { agentId, id, lease: String(lease.token) };
}

/** Makes tool calls for a task, and runs the task's alarm. */
async function makeCalls(taskId: string, times: number): Promise<void> {
  for (let made = 0; made < times; made += 1) {
    expect((await invoke({ taskId })).status).toBe(200);
  }
  await wake(taskId);
}

/** Lets the agent fail this many attempts, each of a new task, and returns the last task's id. */
async function failAttempts(agentId: string, times: number): Promise<string> {
  let last = "";
  for (let failed = 0; failed < times; failed += 1) {
    last = await waitingTask(agentId);
    const { lease } = await claimOne(agentId);
    passTime(1);
    expect((await report(last, String(lease.token), FAILURE)).status).toBe(200);
    await wake(last);
  }
  return last;
}

async function completeTask(agentId: string): Promise<void> {
  const id = await waitingTask(agentId);
  const { lease } = await claimOne(agentId);
  passTime(1);
  expect((await complete(id, String(lease.token))).status).toBe(200);
}

describe("failed attempts in a row", () => {
  it("the fifth failed attempt in a row pauses the agent, and the fourth does not", async () => {
    const agentId = await workerAgent();
    await failAttempts(agentId, 4);
    expect(await pauseOf(agentId)).toBeNull();
    const taskId = await failAttempts(agentId, 1);
    expect(await pauseOf(agentId)).toEqual({
      at: new Date().toISOString(),
      cause: "no-progress",
      reason: `5 attempts in a row failed, the last one in task ${taskId}.`,
      evidence: {
        taskId,
        measure: "failedAttempts",
        limit: 5,
        counts: { failedAttempts: 5 },
      },
    });
    expectError(
      await post("/agents/tasks/claim", { agentId, waitSeconds: 0 }),
      403,
      "AGENT_PAUSED",
    );
  });

  it("a completed task restarts the count", async () => {
    const agentId = await workerAgent();
    await failAttempts(agentId, 4);
    await completeTask(agentId);
    await failAttempts(agentId, 4);
    expect(await pauseOf(agentId)).toBeNull();
    await failAttempts(agentId, 1);
    expect(await pauseOf(agentId)).not.toBeNull();
  });

  it("a task that waits for a review restarts the count", async () => {
    const agentId = await workerAgent({ requireReview: true });
    await failAttempts(agentId, 4);
    await completeTask(agentId);
    await failAttempts(agentId, 4);
    expect(await pauseOf(agentId)).toBeNull();
  });

  it("attempts before the agent was resumed do not count", async () => {
    const agentId = await workerAgent({ noProgress: { failedAttempts: 2 } });
    await failAttempts(agentId, 2);
    expect(await pauseOf(agentId)).not.toBeNull();
    passTime(1);
    await resume(agentId);
    await failAttempts(agentId, 1);
    expect(await pauseOf(agentId)).toBeNull();
    await failAttempts(agentId, 1);
    expect(await pauseOf(agentId)).not.toBeNull();
  });

  it("a task whose workers lose every lease counts once, when it fails", async () => {
    const agentId = await workerAgent({ noProgress: { failedAttempts: 1 } });
    const id = await waitingTask(agentId);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await pauseOf(agentId)).toBeNull();
      await claimOne(agentId, { leaseSeconds: 10 });
      passTime(10_000);
      await wake(id);
      passTime(120_000);
      await wake(id);
    }
    expect(await pauseOf(agentId)).toMatchObject({ evidence: { taskId: id } });
  });

  it("failures of a disabled agent do not count", async () => {
    const agentId = "switched-off";
    const executor = { type: "builtin" };
    await post("/agents", { id: agentId, executor, noProgress: { failedAttempts: 1 } });
    await grant(agentId, "text-analyst");
    const id = await create({ agentId, context: { text: "Two wharves." } });
    await wake(id);
    await setAgent(agentId, { enabled: false });
    const hasFailed = async (): Promise<boolean> => {
      await wake(id);
      return (await read(id)).status === "failed";
    };
    await vi.waitUntil(hasFailed, { timeout: 10_000 });
    await wake(id);
    expect(await pauseOf(agentId)).toBeNull();
  });

  it("a pause that fails is repeated by the task's alarm", async () => {
    const agentId = await workerAgent({ noProgress: { failedAttempts: 1 } });
    const id = await waitingTask(agentId);
    const { lease } = await claimOne(agentId);
    await env.DB.prepare("ALTER TABLE failed_attempts RENAME TO lost").run();
    expect((await report(id, String(lease.token), FAILURE)).status).toBe(200);
    await wake(id);
    expect(await pauseOf(agentId)).toBeNull();
    await env.DB.prepare("ALTER TABLE lost RENAME TO failed_attempts").run();
    passTime(5_000);
    expect(await wake(id)).toBe(true);
    expect(await pauseOf(agentId)).toMatchObject({ cause: "no-progress" });
  });

  it("the breaker keeps the latest failed attempts only", async () => {
    const agentId = await workerAgent({ noProgress: { failedAttempts: null } });
    const rows = JSON.stringify(Array.from({ length: 150 }, (_, index) => index + 1));
    await env.DB.prepare(
      "INSERT INTO failed_attempts SELECT ?1, value, 'task', value FROM json_each(?2)",
    )
      .bind(agentId, rows)
      .run();
    await failAttempts(agentId, 1);
    const count = env.DB.prepare("SELECT count(*) AS n FROM failed_attempts WHERE agent_id = ?");
    expect(await count.bind(agentId).first("n")).toBe(100);
    expect(await pauseOf(agentId)).toBeNull();
  });
});

describe("calls and cost without progress", () => {
  it("the fiftieth call without progress pauses the agent, and the forty-ninth does not", async () => {
    const { agentId, id } = await workingAgent();
    await makeCalls(id, 49);
    expect(await pauseOf(agentId)).toBeNull();
    await makeCalls(id, 1);
    const paused = await pauseOf(agentId);
    expect(paused).toMatchObject({
      cause: "no-progress",
      reason: `Task ${id} made 50 tool calls without new progress, a new file or an end.`,
      evidence: { taskId: id, measure: "calls", limit: 50, counts: { calls: 50, cost: 0 } },
    });
    expect(paused).not.toHaveProperty("by");
    expectError(await invoke({ taskId: id }), 403, "AGENT_PAUSED");
  });

  it.each(["progress", "file"])("new %s restarts the count", async (kind) => {
    const { agentId, id, lease } = await workingAgent({ calls: 3 });
    await makeCalls(id, 2);
    if (kind === "progress") await report(id, lease, { type: "progress", progress: 10 });
    else await upload(id, "page.txt", bytesOf("1"), { "Bosun-Lease": lease, ...TEXT });
    await makeCalls(id, 2);
    expect(await pauseOf(agentId)).toBeNull();
    await makeCalls(id, 1);
    expect(await pauseOf(agentId)).toMatchObject({ evidence: { counts: { calls: 3 } } });
  });

  it("a report without more progress does not restart the count", async () => {
    const { agentId, id, lease } = await workingAgent({ calls: 3 });
    await report(id, lease, { type: "progress", progress: 10 });
    await makeCalls(id, 2);
    await report(id, lease, { type: "progress", progress: 10, phase: "still reading" });
    await makeCalls(id, 1);
    expect(await pauseOf(agentId)).not.toBeNull();
  });

  it("the count restarts when the agent is resumed", async () => {
    const { agentId, id } = await workingAgent({ calls: 2 });
    await makeCalls(id, 2);
    expect(await pauseOf(agentId)).not.toBeNull();
    await wakeQueue(agentId);
    await resume(agentId);
    await claimOne(agentId);
    await makeCalls(id, 1);
    expect(await pauseOf(agentId)).toBeNull();
    await makeCalls(id, 1);
    expect(await pauseOf(agentId)).toMatchObject({ evidence: { counts: { calls: 2 } } });
  });

  it("the count restarts even if the agent is resumed before the task notices the pause", async () => {
    const { agentId, id } = await workingAgent({ calls: 2 });
    await makeCalls(id, 2);
    expect((await post(`/agents/${agentId}/resume`)).status).toBe(200);
    await makeCalls(id, 1);
    expect(await pauseOf(agentId)).toBeNull();
    await makeCalls(id, 1);
    expect(await pauseOf(agentId)).toMatchObject({ evidence: { counts: { calls: 2 } } });
  });

  it("a model that spends $5 without a file pauses, whatever progress is estimated", async () => {
    const agentId = "spendthrift";
    const prices = { inputPerMillion: 1_000, outputPerMillion: 0 };
    const executor = { type: "model", provider: "workers-ai", model: "@cf/meta/test", prices };
    expect((await post("/agents", { id: agentId, executor })).status).toBe(201);
    await grant(agentId, "text-analyst");
    let turns = 0;
    const run = async (): Promise<object> => {
      turns += 1;
      const call = { name: "text-analyst__keywords", arguments: { text: `Wharf ${turns}` } };
      return { response: "", tool_calls: [call] };
    };
    onTestFinished(provideAi(run));
    const id = await create({ agentId });
    await vi.waitUntil(
      async () => {
        await wake(id);
        return (await pauseOf(agentId)) !== null;
      },
      { timeout: 20_000 },
    );
    const { evidence } = await pauseOf(agentId);
    expect(evidence).toMatchObject({ taskId: id, measure: "cost", limit: 5 });
    expect(evidence.counts.cost).toBeGreaterThanOrEqual(5);
    // The turns before the pause stopped at the limit.
    expect(evidence.counts.cost).toBeLessThan(10);
    expect((await read(id)).progress).toBeGreaterThan(0);
  });

  it("limits that are null are off, and a change applies to a running task when it reaches its old limit", async () => {
    const off = await workingAgent({ calls: null });
    await makeCalls(off.id, 60);
    expect(await pauseOf(off.agentId)).toBeNull();

    const raised = await workingAgent({ calls: 2 });
    await setAgent(raised.agentId, { noProgress: { calls: 5 } });
    await makeCalls(raised.id, 3);
    expect(await pauseOf(raised.agentId)).toBeNull();
    await makeCalls(raised.id, 3);
    expect(await pauseOf(raised.agentId)).not.toBeNull();
  });
});

describe("the limits in an agent", () => {
  it("an agent has the defaults unless it sets limits, and a change replaces all of them", async () => {
    const agentId = await workerAgent();
    const shown = async () => (await get(`/agents/${agentId}`)).body.data.noProgress;
    expect(await shown()).toEqual({ failedAttempts: 5, calls: 50, cost: 5 });
    await setAgent(agentId, { noProgress: { calls: null, cost: 2.5 } });
    expect(await shown()).toEqual({ failedAttempts: 5, calls: null, cost: 2.5 });
    await setAgent(agentId, { noProgress: {} });
    expect(await shown()).toEqual({ failedAttempts: 5, calls: 50, cost: 5 });
    const noProgress = { failedAttempts: 0, calls: 1.5, cost: 0, other: 1 };
    expectProblems(await send("PATCH", `/agents/${agentId}`, { noProgress }), {
      "noProgress.failedAttempts": "must",
      "noProgress.calls": "must",
      "noProgress.cost": "must",
      "noProgress.other": "is not a known field",
    });
  });
});
