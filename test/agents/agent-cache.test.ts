import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { AGENT_CACHE_MS } from "../../src/agents/limits.ts";
import { registerTeam } from "../support/catalogue.ts";
import { patch, post, send } from "../support/client.ts";
import { create, passTime, read, stopClock, wake } from "../support/tasks.ts";
import { typesOf } from "../support/task-state.ts";

beforeAll(stopClock);

async function register(...agentIds: string[]): Promise<void> {
  for (const id of agentIds) {
    const answer = await post("/agents", { id });
    if (answer.status !== 201) throw new Error(answer.text);
  }
}

/** Disables the agent in the database, as another isolate would. This isolate is not notified. */
function disableInOtherIsolate(agentId: string): Promise<unknown> {
  return env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = ?").bind(agentId).run();
}

const statusOf = async (agentId: string): Promise<number> =>
  (await post("/agents/tasks", { task: "Count", agentId })).status;

describe("the agent cache of an isolate", () => {
  it("a task that was rejected for an unknown agent is accepted once another isolate has registered the agent", async () => {
    expect(await statusOf("late")).toBe(404);
    await env.DB.prepare(
      "INSERT INTO agents (id, name, created_at) VALUES ('late', 'Late', 0)",
    ).run();
    expect(await statusOf("late")).toBe(201);
  });

  it("a change to an agent takes effect immediately in the isolate that makes the change", async () => {
    await register("changed");
    expect(await statusOf("changed")).toBe(201);
    await patch("/agents/changed", { enabled: false });
    expect(await statusOf("changed")).toBe(400);
    await patch("/agents/changed", { enabled: true });
    expect(await statusOf("changed")).toBe(201);
  });

  it("a change to a team's members takes effect immediately in the isolate that makes the change", async () => {
    await register("first", "second");
    await registerTeam("moving", "first");
    expect((await read(await create({ teamId: "moving" }))).agentId).toBe("first");
    await send("PUT", "/agents/teams/moving", { agents: ["second"] });
    expect((await read(await create({ teamId: "moving" }))).agentId).toBe("second");
  });

  it("a task assigned to an agent that another isolate has disabled is declined when it starts", async () => {
    await register("disabled", "stays");
    await registerTeam("pair", "disabled", "stays");
    // With equal scores, each agent gets one task.
    const agents = [await create({ teamId: "pair" }), await create({ teamId: "pair" })];
    expect((await read(agents[0] ?? "")).agentId).toBe("disabled");
    await disableInOtherIsolate("disabled");
    const id = await create({ teamId: "pair" });
    expect((await read(id)).agentId).toBe("disabled");
    await wake(id);
    expect(await typesOf(id)).toContain("declined");
    passTime(AGENT_CACHE_MS);
    expect((await read(await create({ teamId: "pair" }))).agentId).toBe("stays");
    expect(await statusOf("disabled")).toBe(400);
  });

  it("a second after another isolate disables an agent that has worked, the agent's next task is declined", async () => {
    await register("worked");
    await wake(await create({ agentId: "worked" }));
    const id = await create({ agentId: "worked" });
    await disableInOtherIsolate("worked");
    passTime(AGENT_CACHE_MS);
    await wake(id);
    expect(await typesOf(id)).toContain("declined");
  });

  it("a team's tasks are spread evenly over its agents even though the agents are cached", async () => {
    const agents = ["one", "three", "two"];
    await register(...agents);
    await registerTeam("spread", ...agents);
    const given: string[] = [];
    for (let task = 0; task < 6; task += 1) {
      given.push((await read(await create({ teamId: "spread" }))).agentId);
    }
    expect(given).toEqual([...agents, ...agents]);
  });
});
