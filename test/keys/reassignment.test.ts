import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { connect, listToolNames } from "../interfaces/mcp/client.ts";
import { del, get, post, ROOT, send } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, read, stopClock, taskIn, wake } from "../support/tasks.ts";
import { eventsOf } from "../support/task-state.ts";

beforeAll(stopClock);

let teams = 0;

/** Registers a new team of two new agents and returns the three ids. */
async function pair(): Promise<{ teamId: string; own: string; other: string }> {
  teams += 1;
  const [teamId, own, other] = [`pair-${teams}`, `own-${teams}`, `other-${teams}`];
  for (const id of [own, other]) {
    expect((await post("/agents", { id })).status).toBe(201);
    await post("/agents/tools/access", { agentId: id, toolId: "text-analyst" });
  }
  await send("PUT", `/agents/teams/${teamId}`, { agents: [own, other] });
  return { teamId, own, other };
}

/** Creates a task with a key and rejects it in review, so that it fails. */
async function failedTask(key: string, body: object = {}): Promise<string> {
  const context = { text: "Ours alone.", requireReview: true };
  const created = await post("/agents/tasks", { task: "Read it", context, ...body }, { key });
  expect(created.status, created.text).toBe(201);
  const { taskId } = created.body.data;
  for (let wakes = 0; (await read(taskId)).status !== "review"; wakes += 1) {
    expect(wakes).toBeLessThan(40);
    await wake(taskId);
  }
  await post(`/agents/tasks/${taskId}/review`, { decision: "reject" });
  return taskId;
}

describe("reassignment by a key bound to an agent", () => {
  it("a key bound to an agent cannot reassign its task over REST: the request gets 403 and changes nothing", async () => {
    const { own } = await pair();
    const key = await keyWith(UNMANAGING, { agentId: own });
    const id = await failedTask(key);
    const before = await eventsOf(id);
    const context = { text: "A secret." };
    const refused = await post(`/agents/tasks/${id}/retry`, { reassign: true, context }, { key });
    expectError(refused, 403, "AGENT_MISMATCH");
    expect(refused.body.error.message).toBe(
      `This key is bound to agent ${own} and cannot give the task to another agent. Retry without reassign.`,
    );
    expect(await eventsOf(id)).toEqual(before);
    expect((await post(`/agents/tasks/${id}/retry`, {}, { key })).body.data).toMatchObject({
      status: "pending",
      agentId: own,
    });
  });

  it("the 403 is the same if the task has not failed or no other agent exists", async () => {
    await post("/agents/tools/access", { agentId: "lonely", toolId: "text-analyst" });
    await send("PUT", "/agents/teams/alone", { agents: ["lonely"] });
    const key = await keyWith(UNMANAGING, { agentId: "lonely" });
    const pending = (await post("/agents/tasks", { task: "x" }, { key })).body.data.taskId;
    const failed = await failedTask(key, { teamId: "alone" });
    for (const id of [pending, failed]) {
      const refused = await post(`/agents/tasks/${id}/retry`, { reassign: true }, { key });
      expectError(refused, 403, "AGENT_MISMATCH");
    }
  });

  it("reassigning another agent's task returns 404", async () => {
    const { own, other } = await pair();
    const key = await keyWith(UNMANAGING, { agentId: own });
    const id = await taskIn("failed", { agentId: other });
    const refused = await post(`/agents/tasks/${id}/retry`, { reassign: true }, { key });
    expectError(refused, 404, "TASK_NOT_FOUND");
  });

  it("MCP has no tool that retries a task", async () => {
    const key = await keyWith(UNMANAGING, { agentId: "researcher" });
    const names = await listToolNames(await connect(key, "2026-07-28"));
    expect(names).toContain("create_task");
    expect(names.filter((name) => /retry|assign/.test(name))).toEqual([]);
  });
});

describe("a retry by a key bound to an agent that can no longer take the task", () => {
  it.each<[string, (pair: { teamId: string; agentId: string }) => Promise<unknown>]>([
    ["is disabled", ({ agentId }) => setEnabled(agentId, false)],
    ["has left the team", ({ teamId }) => send("PUT", `/agents/teams/${teamId}`, { agents: [] })],
  ])(
    "a plain retry does not give an automatically assigned task to another agent if its agent %s",
    async (_, remove) => {
      const { teamId, own, other } = await pair();
      const id = await failedTask(ROOT, { teamId });
      const agentId: string = (await read(id)).agentId;
      const key = await keyWith(UNMANAGING, { agentId });
      await remove({ teamId, agentId });
      const before = await eventsOf(id);
      const refused = await post(`/agents/tasks/${id}/retry`, { context: { text: "x" } }, { key });
      expectError(refused, 403, "AGENT_MISMATCH");
      expect(refused.body.error.message).toContain("cannot take the task at the moment");
      expect(await eventsOf(id)).toEqual(before);
      await setEnabled(agentId, true);
      await send("PUT", `/agents/teams/${teamId}`, { agents: [own, other] });
      const retried = await post(`/agents/tasks/${id}/retry`, {}, { key });
      expect(retried.body.data).toMatchObject({ status: "pending", agentId });
    },
  );
});

describe("a task created by a key bound to an agent", () => {
  it("the task waits for its agent when its agent is disabled", async () => {
    const { own, teamId } = await pair();
    const key = await keyWith(UNMANAGING, { agentId: own });
    const body = { task: "Read it", teamId, context: { text: "Ours alone." } };
    const { taskId } = (await post("/agents/tasks", body, { key })).body.data;
    await setEnabled(own, false);
    for (let wakes = 0; wakes < 4; wakes += 1) {
      passTime(60_000);
      await wake(taskId);
    }
    expect(await read(taskId)).toMatchObject({ status: "pending" });
    const events = await eventsOf(taskId);
    expect(events.map(({ type }) => type)).toContain("declined");
    for (const { data } of events) expect(data.agentId ?? own).toBe(own);
  });

  it("a retry does not give the task to another agent after its agent was deleted", async () => {
    const { own } = await pair();
    const key = await keyWith(UNMANAGING, { agentId: own });
    const taskId = await failedTask(key);
    await del(`/agents/${own}`);
    expect((await post(`/agents/tasks/${taskId}/retry`)).status).toBe(200);
    for (let wakes = 0; wakes < 4; wakes += 1) {
      passTime(60_000);
      await wake(taskId);
    }
    expect((await read(taskId)).status).toBe("pending");
    for (const { data } of await eventsOf(taskId)) expect(data.agentId ?? own).toBe(own);
  });
});

describe("reassignment by a key bound to a team", () => {
  it("a team's key reassigns to another member, and gets an error if there is none", async () => {
    const { teamId } = await pair();
    const key = await keyWith(UNMANAGING, { teamId });
    const id = await failedTask(key);
    const first: string = (await read(id)).agentId;
    const retried = await post(`/agents/tasks/${id}/retry`, { reassign: true }, { key });
    const { agents } = (await get(`/agents/teams/${teamId}`)).body.data;
    expect(agents).toContain(retried.body.data.agentId);
    expect(retried.body.data.agentId).not.toBe(first);
    const left = agents.filter((agent: string) => agent === first);
    await send("PUT", `/agents/teams/${teamId}`, { agents: left });
    const again = await failedTask(key);
    const refused = await post(`/agents/tasks/${again}/retry`, { reassign: true }, { key });
    expectError(refused, 409, "NO_OTHER_AGENT");
  });

  it("a team's key retries with a current member when the agent has left the team", async () => {
    const { teamId } = await pair();
    const key = await keyWith(UNMANAGING, { teamId });
    const id = await failedTask(key);
    const gone: string = (await read(id)).agentId;
    const { agents } = (await get(`/agents/teams/${teamId}`)).body.data;
    const stays = agents.filter((agent: string) => agent !== gone);
    await send("PUT", `/agents/teams/${teamId}`, { agents: stays });
    passTime(2_000);
    await post(`/agents/tasks/${id}/retry`, {}, { key });
    for (let wakes = 0; wakes < 3; wakes += 1) {
      passTime(60_000);
      await wake(id);
    }
    expect((await read(id)).agentId).toBe(stays[0]);
    const started = (await eventsOf(id)).filter(({ type }) => type === "started");
    expect(started.map(({ data }) => data.agentId)).toEqual([gone, stays[0]]);
  });
});

async function setEnabled(agentId: string, enabled: boolean): Promise<void> {
  await env.DB.prepare("UPDATE agents SET enabled = ? WHERE id = ?")
    .bind(enabled ? 1 : 0, agentId)
    .run();
}
