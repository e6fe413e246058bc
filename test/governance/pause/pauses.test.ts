import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { pauseAgent } from "../../../src/agents/pause-agents.ts";
import { serviceActor } from "../../../src/governance/model/audit-entry.ts";
import { AgentQueue } from "../../../src/agents/queue/queue.object.ts";
import { del, get, post, send } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyWith } from "../../support/keys.ts";
import { create, passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { claimOne, sendHeartbeat, waitingTask, workerAgent } from "../../tasks/workers/fixtures.ts";
import { grant, invoke, pause, pauseOf, resume, wakeQueue } from "./fixtures.ts";

beforeAll(stopClock);

describe("a pause", () => {
  it("an agent shows who paused it, when and why, and nothing once it is resumed", async () => {
    const agentId = await workerAgent();
    expect(await pauseOf(agentId)).toBeNull();
    const paused = await pause(agentId, { reason: "  It deletes files.  " });
    const shown = {
      at: new Date().toISOString(),
      by: "root",
      cause: "request",
      reason: "It deletes files.",
    };
    expect(paused.body.data.paused).toEqual(shown);
    expect(await pauseOf(agentId)).toEqual(shown);
    const { agents } = (await get(`/agents?search=${agentId}`)).body.data;
    expect(agents[0].paused).toEqual(shown);
    expect((await resume(agentId)).body.data.paused).toBeNull();
  });

  it("pausing a paused agent and resuming a running one succeed without a change", async () => {
    const agentId = await workerAgent();
    expect((await resume(agentId)).body.data.paused).toBeNull();
    await pause(agentId, { reason: "First." });
    passTime(1_000);
    const before = await pauseOf(agentId);
    expect((await pause(agentId, { reason: "Second." })).body.data.paused).toEqual(before);
  });

  it("the body can be omitted, and the reason must contain text", async () => {
    const agentId = await workerAgent();
    expect((await post(`/agents/${agentId}/pause`)).body.data.paused).not.toHaveProperty("reason");
    expectProblems(await post(`/agents/${agentId}/pause`, { reason: " " }), { reason: "must" });
    expectError(await post("/agents/unknown/pause"), 404, "AGENT_NOT_FOUND");
    expectError(await post("/agents/unknown/resume"), 404, "AGENT_NOT_FOUND");
    expectError(await post("/agents", { id: "pause-all" }), 400, "VALIDATION_ERROR");
    expectError(await get("/agents/pause-all"), 405, "METHOD_NOT_ALLOWED");
  });

  it("a paused agent stays paused when it is changed, and can be deleted", async () => {
    const agentId = await workerAgent();
    await grant(agentId);
    await pause(agentId);
    await send("PATCH", `/agents/${agentId}`, { name: "Renamed", enabled: true });
    expect(await pauseOf(agentId)).toMatchObject({ cause: "request" });
    expectError(await invoke({ agentId }), 403, "AGENT_PAUSED");
    expect((await del(`/agents/${agentId}`)).status).toBe(200);
  });

  it("a pause lasts when all objects are evicted", async () => {
    const agentId = await workerAgent();
    const id = await waitingTask(agentId);
    await pause(agentId);
    await evictAllDurableObjects();
    await wakeQueue(agentId);
    expect((await read(id)).waitingFor.kind).toBe("pause");
    expectError(
      await post("/agents/tasks/claim", { agentId, waitSeconds: 0 }),
      403,
      "AGENT_PAUSED",
    );
    await resume(agentId);
    expect((await claimOne(agentId)).taskId).toBe(id);
  });
});

describe("pausing all agents", () => {
  it("stops every agent, and resume-all resumes only the agents that it stopped", async () => {
    const [first, second] = [await workerAgent(), await workerAgent()];
    await pause(first, { reason: "Alone." });
    const paused = await post("/agents/pause-all", { reason: "Everything." });
    expect(paused.body.data.paused).toBeGreaterThanOrEqual(1);
    expect((await post("/agents/pause-all")).body.data).toEqual({ paused: 0 });
    const later = await workerAgent();
    expect(await pauseOf(first)).toMatchObject({ cause: "request", reason: "Alone." });
    expect(await pauseOf(second)).toMatchObject({ cause: "pause-all", reason: "Everything." });
    expect(await pauseOf(later)).toBeNull();
    const { agents } = (await get("/agents?limit=100")).body.data;
    const running = agents.filter((agent: { paused: object | null }) => agent.paused === null);
    expect(running.map(({ id }: { id: string }) => id)).toEqual([later]);

    const resumed = await post("/agents/resume-all");
    expect(resumed.body.data).toEqual({ resumed: paused.body.data.paused });
    expect(await pauseOf(first)).toMatchObject({ cause: "request" });
    expect(await pauseOf(second)).toBeNull();
    await resume(first);
  });

  it("a worker gets stop, and its task can be claimed again after resume-all", async () => {
    const agentId = await workerAgent();
    const id = await waitingTask(agentId);
    const { lease } = await claimOne(agentId);
    await post("/agents/pause-all");
    await wakeQueue(agentId);
    expect((await sendHeartbeat(id, String(lease.token))).body.data.stop).toBe(true);
    await post("/agents/resume-all");
    expect(await claimOne(agentId)).toMatchObject({ taskId: id, attempt: 1 });
  });

  it("only a key with agents:manage can stop agents", async () => {
    const key = await keyWith(["tasks:read", "tasks:write", "tools:invoke"]);
    for (const path of ["pause-all", "resume-all", "someone/pause", "someone/resume"]) {
      expectError(await post(`/agents/${path}`, undefined, { key }), 403, "INSUFFICIENT_SCOPE");
    }
  });
});

describe("a pause that reaches only the registry", () => {
  it("a task that notices the pause first makes the queue notice it", async () => {
    const agentId = "half-paused";
    expect((await post("/agents", { id: agentId, maxConcurrentTasks: 2 })).status).toBe(201);
    const undo = divert(AgentQueue.prototype, "configure", async () => {
      throw new Error("The queue does not respond");
    });
    const cause = { at: Date.now(), by: "root", cause: "request", reason: null } as const;
    await expect(
      pauseAgent(env, agentId, { ...cause, evidence: null }, serviceActor(null)),
    ).rejects.toThrow("The queue does not respond");
    undo();
    const id = await create({ agentId });
    for (let wakes = 0; wakes < 3; wakes += 1) await wake(id);
    expect((await read(id)).waitingFor).toMatchObject({ kind: "pause", agentId });
    const { events } = (await get(`/agents/tasks/${id}/events`)).body.data;
    expect(events.length).toBeLessThan(10);
    await resume(agentId);
    await wake(id);
    expect((await read(id)).waitingFor).toBeNull();
  });

  it("a queue that misses the end of a pause notices it within a minute", async () => {
    const agentId = "half-resumed";
    expect((await post("/agents", { id: agentId, maxConcurrentTasks: 1 })).status).toBe(201);
    await pause(agentId);
    const id = await create({ agentId });
    await wake(id);
    expect((await read(id)).status).toBe("assigned");
    await env.DB.prepare("UPDATE agents SET pause = NULL WHERE id = ?").bind(agentId).run();
    await wakeQueue(agentId);
    expect((await read(id)).status).toBe("assigned");
    passTime(60_000);
    // One alarm reads the pause, and the next one starts the task.
    for (let wakes = 0; wakes < 2; wakes += 1) await wakeQueue(agentId);
    expect((await read(id)).status).toBe("in_progress");
  });
});
