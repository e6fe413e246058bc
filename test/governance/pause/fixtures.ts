import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, post, type Answer } from "../../support/client.ts";

export const TOOL = "json-workbench";
export const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };

export async function grant(agentId: string, toolId: string = TOOL): Promise<void> {
  expect((await post("/agents/tools/access", { agentId, toolId })).status).toBe(201);
}

/** Calls a tool over REST. `key`: the root key if absent. */
export function invoke(body: JsonObject = {}, key?: string): Promise<Answer> {
  const options = key === undefined ? {} : { key };
  return post(`/agents/tools/${TOOL}/invoke`, { ...QUERY, ...body }, options);
}

/** Pauses an agent, then runs the alarm of its queue, which tells the tasks. */
export async function pause(agentId: string, body: JsonObject = {}): Promise<Answer> {
  const answer = await post(`/agents/${agentId}/pause`, body);
  expect(answer.status, answer.text).toBe(200);
  await wakeQueue(agentId);
  return answer;
}

/** Resumes an agent, then runs the alarm of its queue, which starts tasks. */
export async function resume(agentId: string): Promise<Answer> {
  const answer = await post(`/agents/${agentId}/resume`);
  expect(answer.status, answer.text).toBe(200);
  await wakeQueue(agentId);
  return answer;
}

export function wakeQueue(agentId: string): Promise<boolean> {
  return runDurableObjectAlarm(env.QUEUES.get(env.QUEUES.idFromName(agentId)));
}

/** Why the agent is paused; null if it is not. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export async function pauseOf(agentId: string): Promise<any> {
  return (await get(`/agents/${agentId}`)).body.data.paused;
}
