import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import { AGENT_CACHE_MS } from "../../../../src/agents/limits.ts";
import { registerTeam } from "../../../support/catalogue.ts";
import { post } from "../../../support/client.ts";
import { disconnectDatabase, rejectConnection, neverAnswer } from "../../../support/shards.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import { shardOf, SHARDS } from "./each-shard.ts";

/** Several times longer than the timeouts for a shard and for a row. */
const PATIENCE_MS = 8_000;

/** With twice this many tasks, the odds that some shard gets none are about 1 in 19 million. */
const EACH = 22;

beforeAll(stopClock);

/** Registers a team of two agents without workers, so each task stays with its agent. */
async function teamOf(id: string): Promise<[anna: string, zoe: string]> {
  const agents: [string, string] = [`${id}-anna`, `${id}-zoe`];
  for (const agentId of agents) {
    await post("/agents", { id: agentId, executor: { type: "worker" } });
  }
  await registerTeam(id, ...agents);
  return agents;
}

interface AssignedTask {
  readonly agentId: string;
  readonly taskId: string;
}

/** Creates tasks for a team one after the other, and returns each task's id and agent. */
async function give(teamId: string, count: number): Promise<AssignedTask[]> {
  const given: AssignedTask[] = [];
  for (let times = 0; times < count; times += 1) {
    given.push((await post("/agents/tasks", { task: "Wait", teamId })).body.data);
  }
  return given;
}

const agentIdsOf = (given: readonly AssignedTask[]) => given.map(({ agentId }) => agentId);

it("the agent with fewer tasks across all shards gets the next one", async () => {
  const [anna, zoe] = await teamOf("evenly");
  const given = await give("evenly", 2 * EACH);
  expect(agentIdsOf(given)).toEqual(Array.from({ length: EACH }, () => [anna, zoe]).flat());
  expect(new Set(given.map(({ taskId }) => shardOf(taskId))).size).toBe(SHARDS);

  for (const { agentId, taskId } of given) {
    if (agentId === anna) await post(`/agents/tasks/${taskId}/cancel`);
  }
  // An isolate caches agents for a second.
  passTime(AGENT_CACHE_MS);
  const next = [...Array.from({ length: EACH + 1 }, () => anna), zoe];
  expect(agentIdsOf(await give("evenly", next.length))).toEqual(next);
});

it.each([
  ["is unavailable", rejectConnection],
  ["does not respond", neverAnswer],
])("an agent is chosen while a shard %s, and a warning names the shard", async (name, answer) => {
  const teamId = name.replaceAll(" ", "-");
  const agents = await teamOf(teamId);
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const bringBack = disconnectDatabase(env.SHARD_1, answer);
  const given = await Promise.race([give(teamId, 1), scheduler.wait(PATIENCE_MS)]);
  bringBack();
  expect(agents).toContain(given?.[0]?.agentId);
  const unknown = { event: "agent_loads_read_failed" };
  expect(warned).toHaveBeenCalledWith(expect.objectContaining({ ...unknown, shard: 1 }));
  expect(warned).not.toHaveBeenCalledWith(expect.objectContaining({ ...unknown, shard: 2 }));
});
