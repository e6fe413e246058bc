import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { del, post } from "../../support/client.ts";
import { create, read, stopClock, wake } from "../../support/tasks.ts";
import { DONE, modelAgent, provideAi } from "../../support/workers-ai.ts";

const SUMMARISE = { name: "text-analyst__summarise", arguments: { text: "$context.text" } };

beforeAll(stopClock);

it("a model whose grant is revoked while it responds cannot use the tool", async () => {
  const agentId = "thinker";
  await modelAgent(agentId);
  const grant = { agentId, toolId: "text-analyst" };
  expect((await post("/agents/tools/access", grant)).status).toBe(201);

  const shown: string[] = [];
  const takeAway = provideAi(async (_, inputs) => {
    shown.push(JSON.stringify(inputs));
    if (shown.length > 1) return DONE;
    expect((await del(`/agents/tools/access/${agentId}/text-analyst`)).status).toBe(200);
    return { response: "", tool_calls: [SUMMARISE] };
  });
  onTestFinished(takeAway);

  const id = await create({ agentId, context: { text: "Merchants paid for two wharves." } });
  await vi.waitUntil(
    async () => {
      await wake(id);
      return (await read(id)).status === "completed";
    },
    { timeout: 10_000 },
  );
  expect(shown[0]).toContain(SUMMARISE.name);
  expect(shown).toHaveLength(2);
  expect((await read(id)).spend.toolCalls).toBe(0);
});
