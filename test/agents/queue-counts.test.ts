import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { readQueueCounts } from "../../src/agents/read-agent.ts";
import { findAgent } from "../../src/agents/agents.store.ts";
import { getDatabase } from "../../src/platform/d1/client.ts";
import { get, patch, post } from "../support/client.ts";
import { create, stopClock, wake } from "../support/tasks.ts";
import { queuesWhere, registerNewAgent } from "./fixtures.ts";

beforeAll(stopClock);

const shown = async (id: string) => (await get(`/agents/${id}`)).body.data;

describe("the queue counts of an agent", () => {
  it("GET of an agent shows how many tasks are waiting and how many are running", async () => {
    await registerNewAgent({ id: "busy", executor: { type: "worker" } });
    expect((await shown("busy")).queue).toEqual({ waiting: 0, running: 0 });
    for (let count = 0; count < 3; count += 1) await wake(await create({ agentId: "busy" }));
    await post("/agents/tasks/claim", { agentId: "busy" });
    expect((await shown("busy")).queue).toEqual({ waiting: 2, running: 1 });
  });

  it("GET of an agent that starts its tasks at once shows queue counts only if the agent has a limit", async () => {
    await registerNewAgent({ id: "free" });
    expect(await shown("free")).not.toHaveProperty("queue");
    await patch("/agents/free", { maxConcurrentTasks: 2 });
    expect((await shown("free")).queue).toEqual({ waiting: 0, running: 0 });
  });

  it.each([
    ["fails", () => Promise.reject(new Error("The object cannot be reached"))],
    ["does not answer", () => new Promise<never>(() => {})],
  ])("the queue counts are null if the queue %s", async (what, readCounts) => {
    const id = `ill-${what.replaceAll(" ", "-")}`;
    await registerNewAgent({ id, executor: { type: "worker" } });
    const agent = await findAgent(getDatabase(env.DB), id);
    if (agent === null) throw new Error("The agent was not registered");
    expect(await readQueueCounts({ QUEUES: queuesWhere({ readCounts }) }, agent)).toBeNull();
  });
});
