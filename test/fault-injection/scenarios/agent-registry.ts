import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { jsonWorkbench } from "../../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../../support/catalogue.ts";
import { del, get, post } from "../../support/client.ts";
import { dataOf, uniqueName, type Scenario } from "./scenario.ts";
import { MeteredCalls, PRICING } from "./metered-calls.ts";

const DIFF = {
  capability: "diff",
  parameters: { before: '{"a":1,"b":2}', after: '{"a":1,"b":3}' },
};

/** Grants an agent a tool, invokes the tool under a spending limit, and reads its usage. */
export const agentRegistryScenario: Scenario = {
  async prepare() {
    const agentId = uniqueName("granted");
    await registerTools({ ...jsonWorkbench, pricing: PRICING });
    const limits = await limitCalls(agentId);
    const path = `/agents/tools/access/${agentId}`;
    return async (client) => {
      const grant = { agentId, toolId: "json-workbench", proficiency: "expert" };
      const isGranted = async (): Promise<boolean> => {
        const { status, body } = await client.get(path);
        return status === 200 && body.data.tools.length === 1;
      };
      await client.once("/agents/tools/access", grant, isGranted);
      expect(await isGranted()).toBe(true);
      const metered = new MeteredCalls(client);
      const invoke = "/agents/tools/json-workbench/invoke";
      const call = await metered.one(() =>
        client.once(invoke, { ...DIFF, agentId }, async () => false),
      );
      expect(JSON.stringify(dataOf(call, 200).result)).toContain('"path":"/b"');
      dataOf(await client.get("/agents/tools/json-workbench/usage"), 200);
      return async () => {
        const rows = env.DB.prepare("SELECT tool_id, proficiency FROM grants WHERE agent_id = ?");
        const { results } = await rows.bind(agentId).all();
        expect(results).toEqual([{ tool_id: "json-workbench", proficiency: "expert" }]);
        await metered.expectCounted("json-workbench", agentId);
        await limits.expectCounted(client.keys + client.retries);
      };
    };
  },
};

/** Limits the calls of an agent, which need not be registered yet. */
async function limitCalls(agentId: string) {
  const id = uniqueName("limit");
  const rule = {
    name: "Calls",
    scope: { all: true },
    measure: "calls",
    per: "total",
    limit: 1_000,
  };
  dataOf(await post("/agents/limits", { id, ...rule }), 201);
  const scope = env.DB.prepare("UPDATE limits SET scope_kind = 'agent', scope_id = ? WHERE id = ?");
  await scope.bind(agentId, id).run();
  return {
    /** Asserts that the answered call counts, and each request at most once. */
    async expectCounted(requests: number): Promise<void> {
      const { used, reserved } = dataOf(await get(`/agents/limits/${id}`), 200);
      expect(used + reserved).toBeGreaterThanOrEqual(1);
      expect(used + reserved).toBeLessThanOrEqual(requests);
      await del(`/agents/limits/${id}`);
    },
  };
}
