import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { putTeam, registerNewAgent } from "../../../agents/fixtures.ts";
import { del, post } from "../../../support/client.ts";
import { expectError } from "../../../support/expect-errors.ts";
import { shardsWith, setShardCount } from "../../../support/shards.ts";
import { create, stopClock } from "../../../support/tasks.ts";

beforeAll(stopClock);

it("agent and team ids that a task in another shard refers to are not reused", async () => {
  setShardCount(3, 2);
  await registerNewAgent({ id: "far" });
  await putTeam("far-team", { agents: ["far"] });
  const id = await create({ agentId: "far", teamId: "far-team" });
  expect(await shardsWith(id)).toEqual([2]);
  await del("/agents/far");
  await del("/agents/teams/far-team");
  // Simulate deletion by an earlier release, which did not record deleted ids.
  await env.DB.batch([
    env.DB.prepare("DELETE FROM deleted_agents"),
    env.DB.prepare("DELETE FROM deleted_teams"),
  ]);
  expectError(await post("/agents", { id: "far" }), 409, "AGENT_EXISTS");
  expectError(await putTeam("far-team", { agents: [] }), 409, "TEAM_EXISTS");
  expect((await post("/agents", { id: "near" })).status).toBe(201);
});
