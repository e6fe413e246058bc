import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { ask } from "../../e2e/deployed/api-client.ts";
import { call } from "../../e2e/deployed/processes.ts";
import { createClaimed, registerWorkerAgent } from "./worker.ts";

const TOOL = "json-workbench";
export const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
export const CALL_NAME = `${TOOL}/query`;
export const REASON = "A person must look at this.";

/** Makes calls of the tool require approval, also by two keys if `approvals` is 2. */
export async function requireApproval(bosun: Bosun, body: object = {}): Promise<void> {
  const policy = { id: "look-first", name: "Look first", effect: "ask", tools: [TOOL] };
  await call(bosun, "POST", "/agents/policies", { ...policy, reason: REASON, ...body });
}

/** A key that may use tools, so that the root key may decide about its calls. */
export async function callerKey(bosun: Bosun): Promise<string> {
  const body = { name: "caller", scopes: ["tools:invoke"] };
  return (await call(bosun, "POST", "/agents/keys", body)).key;
}

/** Makes a call with a key, and returns the id of its approval. */
export async function storeCall(bosun: Bosun, key: string, body: object = {}): Promise<string> {
  const path = `/agents/tools/${TOOL}/invoke`;
  const stored = await ask<{ approvalId: string }>({ origin: bosun.origin, key }, "POST", path, {
    ...QUERY,
    ...body,
  });
  return stored.approvalId;
}

/** A task that is blocked because a call of its agent requires approval. */
export async function blockOnApproval(
  bosun: Bosun,
  agentId: string,
): Promise<{ readonly taskId: string; readonly approvalId: string }> {
  await registerWorkerAgent(bosun, agentId);
  await call(bosun, "POST", "/agents/tools/access", { agentId, toolId: TOOL });
  const issued = { name: agentId, agentId, scopes: ["tools:invoke", "tasks:work"] };
  const { key } = await call(bosun, "POST", "/agents/keys", issued);
  const { taskId } = await createClaimed(bosun, agentId, { task: `Query as ${agentId}` });
  return { taskId, approvalId: await storeCall(bosun, key, { taskId }) };
}
