import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { AgentQueue } from "../../../src/agents/queue/queue.object.ts";
import { queueStub } from "../../../src/agents/queue/queue.rpc.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import { get, patch, post, type Answer } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import {
  create,
  passTime,
  read,
  stopClock,
  taskIn,
  untilStatus,
  wake,
} from "../../support/tasks.ts";
import { eventsOf, rowOf, typesOf } from "../../support/task-state.ts";
import { putTeam } from "../../agents/fixtures.ts";
import {
  claim,
  claimOne,
  complete,
  heldTask,
  report,
  setAgent,
  waitingTask,
  workerAgent,
} from "../workers/fixtures.ts";

beforeAll(stopClock);

const giveTo = (id: string, agentId: string, body: JsonObject = {}): Promise<Answer> =>
  patch(`/agents/tasks/${id}`, { agentId, ...body });

async function waitingIn(...agentIds: string[]): Promise<number[]> {
  const counts = agentIds.map((agentId) => queueStub(env.QUEUES, agentId).readCounts());
  return (await Promise.all(counts)).map(({ waiting }) => waiting);
}

describe("a waiting task that is given to another agent", () => {
  it("the task leaves the queue of the previous agent, enters that of the new one, and is done there", async () => {
    const [ada, bob] = [await workerAgent({ name: "Ada" }), await workerAgent({ name: "Bob" })];
    const id = await waitingTask(ada);
    expect(await waitingIn(ada, bob)).toEqual([1, 0]);

    const answer = await giveTo(id, bob, { priority: "urgent" });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      status: "pending",
      agentId: bob,
      agentName: "Bob",
      priority: "urgent",
      attempt: 1,
    });
    expect(answer.body.data).toEqual(await read(id));
    expect(await rowOf(id)).toMatchObject({
      status: "pending",
      agent_id: bob,
      agent_name: "Bob",
      priority: "urgent",
    });
    expect(await waitingIn(ada, bob)).toEqual([0, 0]);
    expect(await claim(ada)).toEqual([]);

    await wake(id);
    expect(await waitingIn(ada, bob)).toEqual([0, 1]);
    expect(await rowOf(id)).toMatchObject({ status: "assigned", agent_id: bob });
    expect(await claim(ada)).toEqual([]);
    const { lease } = await claimOne(bob);
    expect((await complete(id, lease.token)).body.data.status).toBe("completed");
    expect(await typesOf(id)).toEqual([
      "created",
      "assigned",
      "updated",
      "assigned",
      "started",
      "completed",
    ]);
    expect((await eventsOf(id))[2]?.data).toEqual({
      priority: "urgent",
      choice: {
        agentId: bob,
        agentName: "Bob",
        reasons: ["requested by the client"],
        candidates: [],
      },
      by: { keyId: "root", keyName: "root" },
    });
  });

  it("a claim that waits at the previous agent gets nothing, and one at the new agent gets the task", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await create({ agentId: ada });
    const claims = Promise.all([claim(ada, { waitSeconds: 1 }), claim(bob, { waitSeconds: 20 })]);
    expect((await giveTo(id, bob)).status).toBe(200);
    await wake(id);
    const [none, one] = await claims;
    expect([none, one.map(({ taskId }) => taskId)]).toEqual([[], [id]]);
  });

  it("the slot of a limited agent goes to its next task", async () => {
    const settings = { maxConcurrentTasks: 1 };
    const [ada, bob] = [await workerAgent(settings), await workerAgent()];
    await waitingTask(ada);
    const given = await waitingTask(ada);
    await giveTo(given, bob);
    await wake(given);
    expect(await waitingIn(ada, bob)).toEqual([1, 1]);
    expect((await claimOne(bob)).taskId).toBe(given);
  });

  it("new instances of all objects finish giving a task to another agent", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await waitingTask(ada);
    await giveTo(id, bob);
    await evictAllDurableObjects();
    await wake(id);
    expect(await waitingIn(ada, bob)).toEqual([0, 1]);
    expect((await claimOne(bob)).taskId).toBe(id);
  });

  it("a task can be given to several agents in a row, and only the last one gets it", async () => {
    const agents = [await workerAgent(), await workerAgent(), await workerAgent()];
    const [ada = "", bob = "", eve = ""] = agents;
    const id = await waitingTask(ada);
    await giveTo(id, bob);
    await giveTo(id, eve);
    await evictAllDurableObjects();
    await wake(id);
    expect(await waitingIn(...agents)).toEqual([0, 0, 1]);
    await giveTo(id, ada);
    await wake(id);
    expect(await waitingIn(...agents)).toEqual([1, 0, 0]);
    expect((await claimOne(ada)).taskId).toBe(id);
  });

  it("while the previous agent's queue does not respond, its workers get nothing and the task is not assigned", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await waitingTask(ada);
    const restore = divert(AgentQueue.prototype, "remove", async () => {
      throw new Error("The queue is down");
    });
    expect((await giveTo(id, bob)).status).toBe(200);
    await evictAllDurableObjects();
    await wake(id);
    expect(await read(id)).toMatchObject({ status: "pending", agentId: bob });
    // The queue still has the task, but the task rejects the slot.
    expect(await waitingIn(ada, bob)).toEqual([1, 0]);
    expect(await claim(ada)).toEqual([]);
    restore();
    passTime(60_000);
    await wake(id);
    expect(await waitingIn(ada, bob)).toEqual([0, 1]);
    expect((await claimOne(bob)).taskId).toBe(id);
  });

  it("the previous agent's release of its tasks does not take the task from the new agent", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await waitingTask(ada);
    await giveTo(id, bob);
    await wake(id);
    await setAgent(ada, { enabled: false });
    expect(await read(id)).toMatchObject({ status: "assigned", agentId: bob });
    expect(await typesOf(id)).toEqual(["created", "assigned", "updated", "assigned"]);
  });
});

describe("a task without an assigned agent", () => {
  it("a task that was just created is done by the new agent, which was not the first choice", async () => {
    const id = await create({ context: { text: "Two wharves." } });
    const first: string = (await read(id)).agentId;
    const bob = await workerAgent();
    expect(bob).not.toBe(first);
    expect((await giveTo(id, bob)).body.data).toMatchObject({ status: "pending", agentId: bob });
    await wake(id);
    expect((await claimOne(bob)).taskId).toBe(id);
  });

  it("a task for which no agent is suitable goes to the one that a client names, and its wait ends", async () => {
    expect((await putTeam("nobody", { agents: [] })).status).toBeLessThan(300);
    const id = await create({ teamId: "nobody" });
    expect(await read(id)).toMatchObject({ status: "pending", waitingFor: { kind: "agent" } });
    const bob = await workerAgent();
    expectProblems(await giveTo(id, bob), {
      agentId: `must be a member of team "nobody", got "${bob}"`,
    });
    expect((await putTeam("nobody", { agents: [bob] })).status).toBe(200);
    const { body } = await giveTo(id, bob);
    expect(body.data).toMatchObject({ status: "pending", agentId: bob });
    expect(body.data.waitingFor).toBeNull();
    await wake(id);
    expect((await claimOne(bob)).taskId).toBe(id);
  });

  it("a task whose requested agent was disabled goes to another one", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await create({ agentId: ada });
    await setAgent(ada, { enabled: false });
    await wake(id);
    expect(await read(id)).toMatchObject({ waitingFor: { kind: "agent", reason: "unavailable" } });
    await giveTo(id, bob);
    await wake(id);
    expect((await claimOne(bob)).taskId).toBe(id);
  });

  it("a retried task whose new attempt has not started goes to another agent", async () => {
    const { id, lease } = await heldTask();
    await report(id, lease, { type: "failed", error: { message: "It broke." } });
    const bob = await workerAgent();
    expectError(await giveTo(id, bob), 409, "INVALID_STATE");
    expect((await post(`/agents/tasks/${id}/retry`)).status).toBe(200);
    expect((await giveTo(id, bob)).body.data).toMatchObject({ attempt: 2, agentId: bob });
    await wake(id);
    expect((await claimOne(bob)).taskId).toBe(id);
    expectError(await report(id, lease, { type: "progress", progress: 1 }), 409, "LEASE_LOST");
  });
});

describe("a task that has started", () => {
  it.each([
    [
      "in_progress",
      /^A task that is in_progress cannot be given to another agent; allowed actions: cancel, update\. The attempt has started\. Cancel the task, and create a new one for the other agent\.$/,
    ],
    ["blocked", /The attempt has started\./],
    ["review", /The attempt has started\./],
    [
      "failed",
      /Retry it with reassign, or retry it and change its agent before the new attempt starts\.$/,
    ],
    ["completed", /^A task that is completed cannot be updated/],
    ["cancelled", /^A task that is cancelled cannot be updated/],
  ] as const)("a task that is %s keeps its agent", async (status, message) => {
    const id = await taskIn(status);
    const [before, log] = [await read(id), await eventsOf(id)];
    const answer = await giveTo(id, await workerAgent(), { notes: "n" });
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({ code: "INVALID_STATE", context: { status } });
    expect(answer.body.error.message).toMatch(message);
    expect([await read(id), await eventsOf(id)]).toEqual([before, log]);
  });

  it("a task that a worker has claimed, or has returned, keeps its agent", async () => {
    const { id, lease } = await heldTask();
    const bob = await workerAgent();
    expectError(await giveTo(id, bob), 409, "INVALID_STATE");
    await report(id, lease, { type: "released" });
    expectError(await giveTo(id, bob), 409, "INVALID_STATE");
  });

  it.each(["pending", "in_progress", "blocked", "review", "failed"] as const)(
    "the agent that a task already has (%s) writes nothing",
    async (status) => {
      const id = await taskIn(status);
      const log = await eventsOf(id);
      const answer = await giveTo(id, (await read(id)).agentId);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual(await read(id));
      expect(await eventsOf(id)).toEqual(log);
    },
  );

  it("a PATCH with the task's current agent keeps it if another request changes it in the meantime", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await create({ agentId: ada });
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const restore = divert(TaskObject.prototype, "read", async (real) => {
      const task = await real();
      ask();
      await answered;
      return task;
    });
    const keeping = giveTo(id, ada, { notes: "n" });
    await asked;
    restore();
    expect((await giveTo(id, bob)).body.data).toMatchObject({ agentId: bob });
    answer();
    const kept = await keeping;
    expect([kept.status, kept.body.data.agentId]).toEqual([200, ada]);
    expect(await read(id)).toMatchObject({ agentId: ada });
    expect(await typesOf(id)).toEqual(["created", "updated", "updated"]);
  });

  it("a PATCH with the task's current agent writes nothing, even if the agent is disabled", async () => {
    const ada = await workerAgent();
    const id = await create({ agentId: ada });
    await setAgent(ada, { enabled: false });
    expect((await giveTo(id, ada)).status).toBe(200);
    expect(await typesOf(id)).toEqual(["created"]);
  });
});

describe("an invalid change of the agent", () => {
  it("a PATCH with an agent that cannot take the task returns the same errors as POST and changes nothing", async () => {
    const ada = await workerAgent();
    await putTeam("closed", { agents: [ada] });
    const id = await waitingTask(ada, { teamId: "closed" });
    const disabled = await workerAgent();
    await putTeam("closed", { agents: [ada, disabled] });
    await setAgent(disabled, { enabled: false });
    const outside = await workerAgent();
    const log = await eventsOf(id);
    expectError(await giveTo(id, "nobody-at-all", { notes: "n" }), 404, "AGENT_NOT_FOUND");
    expectProblems(await giveTo(id, disabled), {
      agentId: `must be an enabled agent, got "${disabled}", which is disabled`,
    });
    expectProblems(await giveTo(id, outside), {
      agentId: `must be a member of team "closed", got "${outside}"`,
    });
    for (const agentId of ["", null, 7, ["a"], "x".repeat(1_000)]) {
      const answer = await patch(`/agents/tasks/${id}`, { agentId });
      expect(answer.status, JSON.stringify(agentId)).toBe(400);
      expect(answer.body.error.details).toMatchObject([{ path: "agentId" }]);
    }
    expect(await eventsOf(id)).toEqual(log);
    expect(await waitingIn(ada)).toEqual([1]);
  });

  it("an unknown task gets 404, whether the agent exists or not", async () => {
    const id = "0".repeat(64);
    for (const agentId of [await workerAgent(), "nobody-at-all"]) {
      expectError(await giveTo(id, agentId), 404, "TASK_NOT_FOUND");
    }
  });

  it("an If-Match with an earlier version gets 412, and the current one is accepted", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await waitingTask(ada);
    const send = (version: string): Promise<Answer> =>
      patch(`/agents/tasks/${id}`, { agentId: bob }, { headers: { "If-Match": version } });
    expectError(await send('"1"'), 412, "PRECONDITION_FAILED");
    expect((await send('"2"')).headers.get("ETag")).toBe('"3"');
    expectError(await send('"2"'), 412, "PRECONDITION_FAILED");
  });
});

describe("bound keys", () => {
  it("a key bound to an agent cannot give its task away, and no longer sees it once another key has", async () => {
    const [ada, bob] = [await workerAgent(), await workerAgent()];
    const id = await waitingTask(ada, { task: "Secret work" });
    const adas = { key: await keyWith(UNMANAGING, { agentId: ada }) };
    const bobs = { key: await keyWith(UNMANAGING, { agentId: bob }) };
    const path = `/agents/tasks/${id}`;
    expectError(await patch(path, { agentId: bob }, adas), 403, "AGENT_MISMATCH");
    expectError(await patch(path, { agentId: "nobody-at-all" }, adas), 403, "AGENT_MISMATCH");
    expect((await patch(path, { agentId: ada }, adas)).status).toBe(200);
    expectError(await patch(path, { agentId: bob }, bobs), 404, "TASK_NOT_FOUND");
    expect((await giveTo(id, bob)).status).toBe(200);
    expectError(await patch(path, { agentId: ada }, adas), 404, "TASK_NOT_FOUND");
    const log = await post("/agents/tasks/claim", { agentId: ada, waitSeconds: 0 }, adas);
    expect(log.body.data.tasks).toEqual([]);
    await wake(id);
    expect(await typesOfWith(id, bobs.key)).toEqual(["updated", "assigned"]);
  });

  it("a key bound to a team moves a task within its team, but not out of it", async () => {
    const [ada, bob, eve] = [await workerAgent(), await workerAgent(), await workerAgent()];
    await putTeam("movers", { agents: [ada, bob] });
    const id = await waitingTask(ada, { teamId: "movers" });
    const key = await keyWith(UNMANAGING, { teamId: "movers" });
    const path = `/agents/tasks/${id}`;
    expectError(await patch(path, { agentId: eve }, { key }), 403, "AGENT_MISMATCH");
    const answer = await patch(path, { agentId: bob }, { key });
    expect(answer.body.data).toMatchObject({ agentId: bob, teamId: "movers" });
    await untilStatus(id, "assigned");
  });
});

async function typesOfWith(id: string, key: string): Promise<string[]> {
  const { body } = await get(`/agents/tasks/${id}/events`, { key });
  return body.data.events.map(({ type }: { type: string }) => type);
}
