import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { post } from "../../support/client.ts";
import { modelAgent } from "../../support/workers-ai.ts";
import { expectEnded } from "../expect-log.ts";
import { createOnce, TEXT, uniqueName, awaitStatus, type Scenario } from "./scenario.ts";
import { outcomeOf } from "../../../src/tasks/model/task.ts";

/** A model agent runs its turns through the turn queue, calls a tool, and delivers a file. */
export const modelTurnsScenario: Scenario = {
  async prepare() {
    const agentId = uniqueName("model");
    await modelAgent(agentId);
    const grant = { agentId, toolId: "text-analyst" };
    expect((await post("/agents/tools/access", grant)).status).toBe(201);
    return async (client, alarmDriver) => {
      const id = await createOnce(client, alarmDriver, {
        task: "Sum up",
        agentId,
        context: { text: TEXT },
      });
      await awaitStatus(client, alarmDriver, id, "completed");
      return async () => {
        const { task, log } = await expectEnded(id, "completed");
        expect(outcomeOf(task)?.deliverables.map(({ name }) => name)).toEqual(["report.md"]);
        // Each turn is charged once, even if its message was delivered several times.
        expect(task.tokens.output).toBeGreaterThan(0);
        expect(log.filter(({ type }) => type === "started")).toHaveLength(1);
        const file = await env.FILES.head(outcomeOf(task)?.deliverables[0]?.key ?? "");
        expect(file?.size).toBeGreaterThan(0);
      };
    };
  },
};
