import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { ExecutionContext } from "../../../../src/executors/contract.ts";
import { fail, ok } from "../../../../src/kernel/result.ts";
import { toWireError } from "../../../../src/http/to-wire-error.ts";
import { searchGrantedCapabilities } from "../../../../src/tools/access.ts";
import { invokeTool } from "../../../../src/tools/invoke.ts";
import { UNLIMITED_BUDGET } from "../../../../src/tools/invoke.ts";
import { LlmTurnHarness } from "../../../executors/llm/turn-harness.ts";
import { post, del } from "../../../support/client.ts";
import { calls, requestsOf, run, script } from "./fixtures.ts";

/** Creates an agent's execution context with the service's own grants, tools and meters. */
function createRealContext(harness: LlmTurnHarness, agentId: string): ExecutionContext {
  return {
    ...harness.context,
    listCapabilities: (search, limit) => searchGrantedCapabilities(env, agentId, { search, limit }),
    callTool: async (toolId, capability, parameters) => {
      const call = {
        toolId,
        capability,
        parameters,
        agentId,
        keyId: null,
        source: "turn" as const,
        visibleAgentIds: null,
        payer: {
          taskId: null,
          teamId: null,
          keyId: null,
          labels: null,
          budget: UNLIMITED_BUDGET,
          requestApproval: null,
        },
      };
      const outcome = await invokeTool(env, call);
      if (outcome.ok) return ok(outcome.value.result);
      return fail({ kind: "rejected", message: toWireError(outcome.failure).message });
    },
  };
}

async function grant(agentId: string, toolId: string, capabilities?: string[]): Promise<void> {
  const more = capabilities === undefined ? {} : { capabilities };
  const answer = await post("/agents/tools/access", { agentId, toolId, ...more });
  if (answer.status >= 300) throw new Error(answer.text);
}

describe("a model with the service's own tools", () => {
  it("a model correlates a table from the context and cannot use a tool that it was not granted", async () => {
    const agentId = "model-penguins";
    await grant(agentId, "table-analyst", ["correlate"]);
    const rows = Array.from({ length: 40 }, (_, n) => `${180 + n},${3_000 + 50 * n + (n % 3)}`);
    const csv = ["flipper_length_mm,body_mass_g", ...rows].join("\n");
    const table = { csv: "$context.csv" };
    await script("penguins", [
      calls(["table-analyst__correlate", table]),
      calls(["table-analyst__profile", table], ["table-analyst__correlate", { csv: 7 }]),
      calls(["finish", { summary: "Flippers and mass go together." }]),
    ]);
    const harness = new LlmTurnHarness({ context: { csv } });
    Object.assign(harness, { context: createRealContext(harness, agentId) });
    expect(await run(harness, "penguins")).toEqual([
      "used table-analyst/correlate",
      "used table-analyst/correlate",
      "complete",
    ]);
    const requests = await requestsOf("penguins");
    const results = requests[2]?.body.messages.filter(
      (one: { role: string }) => one.role === "tool",
    );
    expect(results[0].content).toMatch(
      /flipper_length_mm.*body_mass_g|body_mass_g.*flipper_length_mm/s,
    );
    expect(results[1].content).toContain('"table-analyst__profile" is not granted to you');
    expect(results[2].content).toContain("csv must be a string, got 7");
    const [tool] = requests[0]?.body.tools ?? [];
    expect(tool.function.name).toBe("table-analyst__correlate");
    expect(tool.function.parameters).toMatchObject({
      type: "object",
      properties: { csv: { type: "string" }, data: { type: "array", items: {} } },
    });
  });

  it("a model loses a tool during its work if the grant is revoked", async () => {
    const agentId = "model-revoked";
    await grant(agentId, "text-analyst");
    const read = calls(["text-analyst__readability", { text: "The cat sat on the mat." }]);
    await script("revoked", [
      read,
      calls(["text-analyst__keywords", { text: "The cat sat on the mat." }]),
      calls(["finish", { summary: "Done." }]),
    ]);
    const harness = new LlmTurnHarness();
    const context = createRealContext(harness, agentId);
    Object.assign(harness, {
      context: {
        ...context,
        callTool: async (...call: Parameters<ExecutionContext["callTool"]>) => {
          const outcome = await context.callTool(...call);
          await del(`/agents/tools/access/${agentId}/text-analyst`);
          return outcome;
        },
      },
    });
    expect(await run(harness, "revoked")).toEqual([
      "used text-analyst/readability",
      "turn 2",
      "complete",
    ]);
    const requests = await requestsOf("revoked");
    expect(requests[2]?.body.messages.at(-1).content).toContain("is not granted to you");
  });
});
