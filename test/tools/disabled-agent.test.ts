import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { patch, post, type Answer } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, read, stopClock, wake } from "../support/tasks.ts";
import { DONE, modelAgent, provideAi } from "../support/workers-ai.ts";
import { callTool, connect, REVISIONS } from "../interfaces/mcp/client.ts";
import { claimOne, setAgent, waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const QUERY = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
const SUMMARISE = { name: "text-analyst__summarise", arguments: { text: "$context.text" } };
const TEXT = "Merchants paid for two wharves. The wharves still stand.";

/** Creates a worker agent with a grant, and a key bound to it. */
async function grantedAgent(): Promise<{ agentId: string; key: string }> {
  const agentId = await workerAgent();
  await grant(agentId, "json-workbench");
  return { agentId, key: await keyWith(UNMANAGING, { agentId }) };
}

async function grant(agentId: string, toolId: string): Promise<void> {
  const answer = await post("/agents/tools/access", { agentId, toolId });
  expect(answer.status).toBe(201);
}

function invoke(body: JsonObject, key?: string): Promise<Answer> {
  const options = key === undefined ? {} : { key };
  return post("/agents/tools/json-workbench/invoke", { ...QUERY, ...body }, options);
}

describe("a call by a disabled agent", () => {
  it("a disabled agent's calls with its own key, by its name and under its task are rejected until the agent is enabled", async () => {
    const { agentId, key } = await grantedAgent();
    await waitingTask(agentId);
    const { taskId } = await claimOne(agentId);
    expect((await invoke({}, key)).status).toBe(200);
    await setAgent(agentId, { enabled: false });

    const calls = [
      await invoke({}, key),
      await invoke({ agentId }),
      await invoke({ taskId }, key),
      await invoke({ taskId }),
    ];
    for (const call of calls) expectError(call, 403, "AGENT_DISABLED");
    expect(calls[0]?.body.error.message).toBe(
      `Agent "${agentId}" is disabled. Enable it with PATCH /agents/${agentId} and {"enabled": true}.`,
    );
    expect((await read(taskId)).spend).toEqual({ cost: 0, toolCalls: 1 });

    await setAgent(agentId, { enabled: true });
    expect((await invoke({}, key)).status).toBe(200);
  });

  it("a disabled agent's call is rejected before its grant and parameters are checked", async () => {
    const agentId = await workerAgent({ enabled: false });
    expectError(await invoke({ agentId, parameters: {} }), 403, "AGENT_DISABLED");
  });

  it.each(REVISIONS)("a disabled agent's call is rejected over MCP (%s)", async (revision) => {
    const { agentId, key } = await grantedAgent();
    const client = await connect(key, revision);
    await setAgent(agentId, { enabled: false });
    const result = await callTool(client, "json-workbench__query", QUERY.parameters);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ error: { code: "AGENT_DISABLED" } });
  });
});

describe("the work of a disabled agent", () => {
  it("a disabled agent's claim is rejected with its own key", async () => {
    const { agentId, key } = await grantedAgent();
    await waitingTask(agentId);
    await setAgent(agentId, { enabled: false });
    const claim = await post("/agents/tasks/claim", { waitSeconds: 0 }, { key });
    expectError(claim, 403, "AGENT_DISABLED");
  });

  it("an agent that is disabled during a model turn makes no call and takes no more turns", async () => {
    const agentId = "disabled-thinker";
    await modelAgent(agentId);
    await grant(agentId, "text-analyst");
    let turns = 0;
    const takeAway = provideAi(async () => {
      turns += 1;
      if (turns > 1) return DONE;
      expect((await patch(`/agents/${agentId}`, { enabled: false })).status).toBe(200);
      return { response: "", tool_calls: [SUMMARISE] };
    });
    onTestFinished(takeAway);

    const id = await create({ agentId, context: { text: TEXT } });
    await untilFailed(id);
    expect(turns).toBe(1);
    const { spend, error } = await read(id);
    expect(spend.toolCalls).toBe(0);
    expect(error).toMatchObject({ code: "AGENT_ERROR", message: "The agent is disabled." });
  });

  it("a built-in agent that is disabled between two steps takes no more steps", async () => {
    const agentId = "disabled-reader";
    await grant(agentId, "text-analyst");
    const id = await create({ agentId, context: { text: TEXT } });
    await untilPhase(id, "finalising");
    await setAgent(agentId, { enabled: false });
    await untilFailed(id);
    expect((await read(id)).error).toMatchObject({
      code: "AGENT_ERROR",
      message: `${agentId} is disabled or no longer registered.`,
      retryable: true,
    });
  });

  it("a built-in agent whose call is rejected because the agent was disabled fails instead of partly completing the task", async () => {
    const agentId = "disabled-elsewhere";
    await grant(agentId, "text-analyst");
    const id = await create({ agentId, context: { text: TEXT } });
    await untilPhase(id, "gathering");
    await disableElsewhere(agentId);
    await wake(id);
    const { status, error } = await read(id);
    expect([status, error?.code]).toEqual(["failed", "AGENT_ERROR"]);
  });
});

/**
 * Disables an agent as another isolate would. This isolate still has the agent cached as enabled.
 */
async function disableElsewhere(agentId: string): Promise<void> {
  await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = ?").bind(agentId).run();
}

async function untilPhase(id: string, phase: string): Promise<void> {
  await until(id, ({ currentPhase }) => currentPhase === phase);
}

async function untilFailed(id: string): Promise<void> {
  await until(id, ({ status }) => status === "failed");
}

/** Runs a task's alarms, and the turns between them, until a condition holds. */
async function until(
  id: string,
  isWanted: (task: { status: string; currentPhase?: string }) => boolean,
): Promise<void> {
  await vi.waitUntil(
    async () => {
      const task = await read(id);
      if (isWanted(task) || task.status === "completed") return true;
      await wake(id);
      return false;
    },
    { timeout: 10_000 },
  );
  const task = await read(id);
  expect(isWanted(task), JSON.stringify(task)).toBe(true);
}
