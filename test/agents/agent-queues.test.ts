import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { queueStub } from "../../src/agents/queue/queue.rpc.ts";
import { syncQueue } from "../../src/agents/queue/sync-queue.ts";
import { del, patch, post } from "../support/client.ts";
import { create, passTime, read, stopClock, untilStatus, wake } from "../support/tasks.ts";
import { putTeam, queuesWhere, registerNewAgent } from "./fixtures.ts";

beforeAll(stopClock);

const TEXT = "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf.";
const countsOf = (agentId: string) => queueStub(env.QUEUES, agentId).readCounts();

/** Creates a task for the agent, later than the previous one, because queues order tasks by age. */
async function given(agentId: string): Promise<string> {
  passTime(1);
  const id = await create({ agentId, context: { text: TEXT } });
  await wake(id);
  return id;
}

const statusesOf = (...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await read(id)).status));

/** Runs the alarm of an agent's queue, which releases waiting tasks. */
function wakeQueue(agentId: string): Promise<boolean> {
  return runDurableObjectAlarm(env.QUEUES.get(env.QUEUES.idFromName(agentId)));
}

/** The queues, but `meanwhile` runs before the first `configure` call reaches its queue. */
function delaying(meanwhile: () => Promise<void>): Env["QUEUES"] {
  let isFirst = true;
  return queuesWhere({
    configure: async (agentId, terms, isOpen) => {
      if (isFirst) await meanwhile();
      isFirst = false;
      await queueStub(env.QUEUES, agentId).configure(agentId, terms, isOpen);
    },
  });
}

describe("waiting tasks of an agent that stops accepting them", () => {
  it.each([
    ["is disabled", (id: string) => patch(`/agents/${id}`, { enabled: false })],
    ["is deleted", (id: string) => del(`/agents/${id}`)],
    [
      "changes its executor",
      (id: string) => patch(`/agents/${id}`, { executor: { type: "builtin" } }),
    ],
  ])("waiting tasks go back to pending when their agent %s", async (what, change) => {
    const agentId = `worker-${what.replaceAll(" ", "-")}`;
    await registerNewAgent({ id: agentId, executor: { type: "worker" } });
    const ids = [await given(agentId), await given(agentId)];
    expect(await statusesOf(...ids)).toEqual(["assigned", "assigned"]);
    expect(await countsOf(agentId)).toMatchObject({ waiting: 2, running: 0 });
    expect((await change(agentId)).status).toBe(200);
    expect(await wakeQueue(agentId)).toBe(true);
    expect(await statusesOf(...ids)).toEqual(["pending", "pending"]);
    expect(await countsOf(agentId)).toMatchObject({ waiting: 0, running: 0 });
  });

  it("a waiting task is completed by another agent of the team when its agent is disabled", async () => {
    await registerNewAgent({ id: "sick", executor: { type: "worker" }, skills: ["harbours"] });
    await registerNewAgent({ id: "stand-in" });
    await post("/agents/tools/access", { agentId: "stand-in", toolId: "text-analyst" });
    await putTeam("shift", { agents: ["sick", "stand-in"] });
    const id = await create({
      task: "Describe the harbours",
      teamId: "shift",
      context: { text: TEXT },
    });
    await wake(id);
    expect(await read(id)).toMatchObject({ status: "assigned", agentId: "sick" });
    await patch("/agents/sick", { enabled: false });
    await wakeQueue("sick");
    passTime(60_000);
    await untilStatus(id, "completed");
    expect(await read(id)).toMatchObject({ agentId: "stand-in" });
  });

  it("disabling an agent again releases its waiting tasks if the queue missed the first change", async () => {
    await registerNewAgent({ id: "half", executor: { type: "worker" } });
    const id = await given("half");
    // The state that remains if a PATCH is interrupted after it updates the registry and before it
    // notifies the queue.
    await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = 'half'").run();
    expect(await wakeQueue("half")).toBe(false);
    expect(await statusesOf(id)).toEqual(["assigned"]);
    expect((await patch("/agents/half", { enabled: false })).status).toBe(200);
    expect(await wakeQueue("half")).toBe(true);
    expect(await statusesOf(id)).toEqual(["pending"]);
  });
});

describe("maxConcurrentTasks", () => {
  it("tasks above maxConcurrentTasks wait, and start when the limit is raised or removed", async () => {
    await registerNewAgent({ id: "narrow", maxConcurrentTasks: 1 });
    await post("/agents/tools/access", { agentId: "narrow", toolId: "text-analyst" });
    const ids = [await given("narrow"), await given("narrow"), await given("narrow")];
    expect(await statusesOf(...ids)).toEqual(["in_progress", "assigned", "assigned"]);
    await patch("/agents/narrow", { maxConcurrentTasks: 2 });
    await wakeQueue("narrow");
    expect(await statusesOf(...ids)).toEqual(["in_progress", "in_progress", "assigned"]);
    await patch("/agents/narrow", { maxConcurrentTasks: null });
    await wakeQueue("narrow");
    expect(await statusesOf(...ids)).toEqual(["in_progress", "in_progress", "in_progress"]);
    expect(await countsOf("narrow")).toMatchObject({ limit: null });
  });

  it("the queue keeps the limit in the registry when a later change to maxConcurrentTasks overtakes an earlier one", async () => {
    await registerNewAgent({ id: "fickle", maxConcurrentTasks: 1 });
    await env.DB.prepare("UPDATE agents SET max_concurrent_tasks = 2 WHERE id = 'fickle'").run();
    const overtaken = delaying(async () => {
      await patch("/agents/fickle", { maxConcurrentTasks: 3 });
      expect(await countsOf("fickle")).toMatchObject({ limit: 3 });
    });
    const terms = { limit: 2, isPulled: false };
    await syncQueue({ DB: env.DB, QUEUES: overtaken }, "fickle", terms);
    expect(await countsOf("fickle")).toMatchObject({ limit: 3 });
  });

  it("a team's task goes to an agent with a free slot before an agent at its maxConcurrentTasks", async () => {
    await registerNewAgent({ id: "full", maxConcurrentTasks: 1, skills: ["harbours"] });
    await registerNewAgent({ id: "free" });
    await putTeam("pair", { agents: ["full", "free"] });
    const chosen = async () => {
      const id = await create({ task: "Describe the harbours", teamId: "pair" });
      return (await read(id)).agentId;
    };
    expect([await chosen(), await chosen()]).toEqual(["full", "free"]);
    await patch("/agents/free", { enabled: false });
    expect(await chosen()).toBe("full");
  });
});

describe("a disabled agent that is enabled", () => {
  it("a disabled agent accepts tasks again once it is enabled", async () => {
    await registerNewAgent({ id: "back", executor: { type: "worker" }, enabled: false });
    await patch("/agents/back", { enabled: true });
    const id = await given("back");
    expect(await statusesOf(id)).toEqual(["assigned"]);
    expect(await wakeQueue("back")).toBe(false);
    expect(await countsOf("back")).toMatchObject({ waiting: 1 });
  });
});
