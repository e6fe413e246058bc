import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, post, type Answer } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";

export const TOOL = "json-workbench";
export const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
/** The result of QUERY. */
export const REASON = "A person must look at this.";

let policies = 0;

/** Creates a policy that requires approval, until the test ends. */
export async function ask(body: JsonObject = {}): Promise<string> {
  policies += 1;
  const id = `asks-${policies}`;
  const policy = { id, name: "Asks", effect: "ask", tools: [TOOL], reason: REASON };
  const answer = await post("/agents/policies", { ...policy, ...body });
  expect(answer.status, answer.text).toBe(201);
  onTestFinished(async () => {
    await del(`/agents/policies/${id}`);
  });
  return id;
}

export async function grant(agentId: string, toolId: string = TOOL): Promise<void> {
  expect((await post("/agents/tools/access", { agentId, toolId })).status).toBe(201);
}

export function invoke(body: JsonObject = {}, key?: string): Promise<Answer> {
  const options = key === undefined ? {} : { key };
  return post(`/agents/tools/${TOOL}/invoke`, { ...QUERY, ...body }, options);
}

/** Makes a call that requires approval and returns the approval's id. */
export async function pendingCall(body: JsonObject = {}, key?: string): Promise<string> {
  const answer = await invoke(body, key);
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.approvalId;
}

export function approverKey(): Promise<string> {
  return keyWith(["approvals:decide"]);
}

export function decide(id: string, how: "approve" | "deny", key: string, body: JsonObject = {}) {
  return post(`/agents/approvals/${id}/${how}`, body, { key });
}

/** Runs an approval's alarm, which a stopped clock does not. */
export function wakeApproval(id: string): Promise<boolean> {
  return runDurableObjectAlarm(env.APPROVALS.get(env.APPROVALS.idFromName(id)));
}

/** Runs an approval's alarm until it has a status. */
export async function untilApproval(id: string, status: string): Promise<void> {
  const wakeUntilThen = async (): Promise<void> => {
    const before = (await readApproval(id)).status;
    if (before !== status) await wakeApproval(id);
    expect(before).toBe(status);
  };
  await vi.waitFor(wakeUntilThen, { timeout: 5_000 });
}

export async function readApproval(id: string, key?: string) {
  const answer = await get(`/agents/approvals/${id}`, key === undefined ? {} : { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}
