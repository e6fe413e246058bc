import { beforeAll, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, post, send } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { stopClock } from "../support/tasks.ts";
import { claimOne, waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";

/** An agent that is in two teams, and a key for each team. */
let agentId = "";
let red = "";
let blue = "";

beforeAll(async () => {
  stopClock();
  agentId = await workerAgent();
  await post("/agents/tools/access", { agentId, toolId: "json-workbench" });
  for (const teamId of ["red", "blue"]) {
    const made = await send("PUT", `/agents/teams/${teamId}`, { name: teamId, agents: [agentId] });
    expect(made.status, made.text).toBeLessThan(300);
  }
  red = await keyWith(UNMANAGING, { teamId: "red" });
  blue = await keyWith(UNMANAGING, { teamId: "blue" });
});

async function invoke(body: JsonObject, key: string): Promise<void> {
  const query = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
  const answer = await post("/agents/tools/json-workbench/invoke", { ...query, ...body }, { key });
  expect(answer.status, answer.text).toBe(200);
}

async function claimedTask(body: JsonObject): Promise<string> {
  await waitingTask(agentId, body);
  return (await claimOne(agentId)).taskId;
}

async function usageSeenBy(key: string) {
  const answer = await get("/agents/tools/json-workbench/usage", { key });
  const { total, days, recentCalls } = answer.body.data;
  const tasks = recentCalls.map(({ taskId }: { taskId?: string }) => taskId ?? null);
  return { calls: total.calls, days, tasks };
}

it("a team's key sees a shared agent's usage without its calls for other teams", async () => {
  const own = await keyWith(UNMANAGING, { agentId });
  const ofRed = await claimedTask({ teamId: "red" });
  const ofNoTeam = await claimedTask({});
  await invoke({ taskId: ofRed }, own);
  await invoke({ agentId }, red);
  await invoke({ taskId: ofNoTeam }, own);
  await invoke({}, own);

  const seenByBlue = await usageSeenBy(blue);
  expect(seenByBlue).toMatchObject({ calls: 2, tasks: [null, null] });
  expect(seenByBlue.days).toMatchObject([{ agentId, calls: 2 }]);
  expect(seenByBlue.days).toHaveLength(1);

  const seenByRed = await usageSeenBy(red);
  expect(seenByRed).toMatchObject({ calls: 4, tasks: [null, null, null, ofRed] });
  expect(seenByRed.days).toHaveLength(1);

  expect(await usageSeenBy(own)).toMatchObject({ calls: 4, tasks: [null, ofNoTeam, null, ofRed] });
});
