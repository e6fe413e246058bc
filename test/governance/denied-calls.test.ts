import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { callTool, connect, REVISIONS } from "../interfaces/mcp/client.ts";
import { del, get, post, send, type Answer } from "../support/client.ts";
import { expectError, expectProblems } from "../support/expect-errors.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { create, read, stopClock, wake } from "../support/tasks.ts";
import { modelAgent, provideSummarisingAi } from "../support/workers-ai.ts";
import { claimOne, waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const TOOL = "json-workbench";
const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
const TEXT = "Merchants paid for two wharves. The wharves still stand.";

let policies = 0;

/** Creates a policy that denies calls, until the test ends. */
async function deny(body: JsonObject): Promise<string> {
  policies += 1;
  const id = `denies-${policies}`;
  const policy = { id, name: "Denies", effect: "deny", tools: [TOOL], reason: "Not today." };
  const answer = await post("/agents/policies", { ...policy, ...body });
  expect(answer.status, answer.text).toBe(201);
  onTestFinished(async () => {
    await del(`/agents/policies/${id}`);
  });
  return id;
}

async function grant(agentId: string, toolId: string): Promise<void> {
  expect((await post("/agents/tools/access", { agentId, toolId })).status).toBe(201);
}

function invoke(body: JsonObject = {}, key?: string): Promise<Answer> {
  const options = key === undefined ? {} : { key };
  return post(`/agents/tools/${TOOL}/invoke`, { ...QUERY, ...body }, options);
}

/** Creates a worker agent with a grant and a claimed task, and a key bound to the agent. */
async function workingAgent() {
  const agentId = await workerAgent();
  await grant(agentId, TOOL);
  await waitingTask(agentId);
  const { taskId } = await claimOne(agentId);
  return { agentId, taskId, key: await keyWith(UNMANAGING, { agentId }) };
}

describe("a call that a policy denies", () => {
  it("a policy denies the next call of every caller, and the denied call costs nothing", async () => {
    const { agentId, taskId, key } = await workingAgent();
    expect((await invoke({ taskId })).status).toBe(200);
    const policyId = await deny({});
    for (const call of [
      await invoke(),
      await invoke({ agentId }),
      await invoke({ taskId }),
      await invoke({}, key),
      await invoke({ taskId }, key),
    ]) {
      expectError(call, 403, "POLICY_DENIED");
      expect(call.body.error).toMatchObject({
        message: `Policy "${policyId}" denies this call: Not today.`,
        retryable: false,
        context: { policyId },
      });
    }
    expect((await read(taskId)).spend).toEqual({ cost: 0, toolCalls: 1 });
    await vi.waitUntil(async () => {
      const { calls } = (await get(`/agents/tasks/${taskId}/calls`)).body.data;
      const codes = calls.map((call: { error?: { code: string } }) => call.error?.code);
      return codes.filter((code: string) => code === "POLICY_DENIED").length === 3;
    });
    await del(`/agents/policies/${policyId}`);
    expect((await invoke({ taskId }, key)).status).toBe(200);
  });

  it.each(REVISIONS)("a denial applies to a call over MCP (%s)", async (revision) => {
    const { key } = await workingAgent();
    const client = await connect(key, revision);
    await deny({ tools: [`${TOOL}/query`] });
    const result = await callTool(client, `${TOOL}__query`, QUERY.parameters);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ error: { code: "POLICY_DENIED" } });
  });

  it("a denial applies to a model's call, and the model receives the reason", async () => {
    const agentId = "denied-thinker";
    await modelAgent(agentId);
    await grant(agentId, "text-analyst");
    await deny({ tools: ["text-analyst/summarise"], agents: [agentId] });
    const requests = provideSummarisingAi();
    const id = await create({ agentId, context: { text: TEXT } });
    await vi.waitUntil(
      async () => {
        if ((await read(id)).status === "completed") return true;
        await wake(id);
        return false;
      },
      { timeout: 10_000 },
    );
    expect(JSON.stringify(requests[1])).toContain("denies this call: Not today.");
    expect((await read(id)).spend.toolCalls).toBe(0);
  });

  it("a denial applies to a built-in agent's calls", async () => {
    const agentId = "denied-reader";
    await grant(agentId, "text-analyst");
    await deny({ tools: ["text-analyst"] });
    const id = await create({ agentId, context: { text: TEXT } });
    await vi.waitUntil(
      async () => {
        if (["completed", "failed"].includes((await read(id)).status)) return true;
        await wake(id);
        return false;
      },
      { timeout: 10_000 },
    );
    expect((await read(id)).spend.cost).toBe(0);
    const { calls } = (await get(`/agents/tasks/${id}/calls`)).body.data;
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(call).toMatchObject({ error: { code: "POLICY_DENIED" } });
  });
});

describe("the calls that a policy covers", () => {
  it("a policy covers its tools and capabilities, its agents and the members of its teams", async () => {
    const [named, member, other] = [await workerAgent(), await workerAgent(), await workerAgent()];
    for (const agentId of [named, member, other]) await grant(agentId, TOOL);
    await send("PUT", "/agents/teams/denied-team", { agents: [member] });
    await deny({
      agents: [named],
      teams: ["denied-team"],
      tools: ["text-analyst", `${TOOL}/query`],
    });
    expectError(await invoke({ agentId: named }), 403, "POLICY_DENIED");
    expectError(await invoke({ agentId: member }), 403, "POLICY_DENIED");
    expect((await invoke({ agentId: other })).status).toBe(200);
    expect((await invoke()).status).toBe(200);

    const validate = { capability: "validate", parameters: { document: "1", schema: {} } };
    expect((await invoke({ agentId: named, ...validate })).status).toBe(200);
  });

  it("a denial wins over a permission, and a disabled policy does not apply", async () => {
    const policyId = await deny({ tools: ["*"] });
    await deny({ effect: "allow" });
    expectError(await invoke(), 403, "POLICY_DENIED");
    await send("PATCH", `/agents/policies/${policyId}`, { enabled: false });
    expect((await invoke()).status).toBe(200);
  });

  it("a condition is evaluated on valid parameters, and denies the call if it cannot be evaluated", async () => {
    await deny({ when: { "parameters.path": { matches: "^\\$\\.secret" } } });
    const withPath = (path: string) => invoke({ parameters: { document: '{"a":1}', path } });
    expect((await withPath("$.a")).status).toBe(200);
    expectError(await withPath("$.secret"), 403, "POLICY_DENIED");
    expectProblems(await invoke({ parameters: { document: "1", path: 5 } }), {
      "parameters.path": "must",
    });
    await deny({ effect: "allow", when: { "parameters.path": { gt: 5 } } });
    const failed = await withPath("$.a");
    expectError(failed, 403, "POLICY_DENIED");
    expect(failed.body.error.message).toMatch(
      / cannot be evaluated, so the call is denied: "parameters.path" must be a number for the operator "gt", got "\$\.a"\. Change the parameters/,
    );
  });
});
