import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { agent } from "../../agents/queue/fixtures.ts";
import { expectEnded } from "../expect-log.ts";
import {
  createOnce,
  dataOf,
  patchNote,
  TEXT,
  uniqueName,
  awaitStatus,
  type Scenario,
} from "./scenario.ts";
import { feedbackOf } from "../../../src/tasks/model/task.ts";

/**
 * A built-in agent has one slot. One task completes and is rated, while another waits and is
 * cancelled.
 */
export const builtinAgentScenario: Scenario = {
  async prepare() {
    const { id: agentId } = await agent("builtin", 1);
    return async (client, alarmDriver) => {
      alarmDriver.agents.add(agentId);
      const task = uniqueName("Summarise what happened in Bergen");
      const body = { task, agentId, context: { text: TEXT }, deliverables: ["summary"] };
      const worked = await createOnce(client, alarmDriver, body);
      const waiting = await createOnce(client, alarmDriver, { ...body, priority: "low" });
      await alarmDriver.runAlarms();
      const isNoted = await patchNote(client, worked, "Soon, please.");
      // Only a spurious alarm can have ended the task before the note.
      expect(isNoted || alarmDriver.spuriousAlarms > 0).toBe(true);
      dataOf(await client.get(`/agents/tasks?agentId=${agentId}`), 200);
      const cancel = await client.once(
        `/agents/tasks/${waiting}/cancel`,
        { reason: "Not needed." },
        async () => (await statusOf(waiting)) === "cancelled",
      );
      expect([200, 409]).toContain(cancel.status);
      await awaitStatus(client, alarmDriver, worked, "completed");

      const listed = dataOf(await client.get(`/agents/tasks/${worked}/deliverables`), 200);
      const [file] = listed.deliverables;
      const bytes = await client.get(`/agents/tasks/${worked}/deliverables/${file.name}`);
      expect(new TextEncoder().encode(bytes.text)).toHaveLength(file.size);
      await client.once(
        `/agents/tasks/${worked}/feedback`,
        { rating: 4 },
        async () => dataOf(await client.get(`/agents/tasks/${worked}`), 200).feedback !== undefined,
      );

      async function statusOf(id: string): Promise<string> {
        return dataOf(await client.get(`/agents/tasks/${id}`), 200).status;
      }
      return async () => {
        const { task: done } = await expectEnded(worked, "completed");
        expect(feedbackOf(done)).toMatchObject({ rating: 4 });
        if (isNoted) expect(done.notes).toBe("Soon, please.");
        const { task: gone } = await expectEnded(waiting, "cancelled");
        expect(gone).toMatchObject({ cancelReason: "Not needed." });
        const rated = env.DB.prepare(
          "SELECT rating_sum AS sum, rating_count AS count FROM agents WHERE id = ?",
        );
        expect(await rated.bind(agentId).first()).toEqual({ sum: 4, count: 1 });
        const rows = env.DB.prepare("SELECT count(*) AS count FROM directory WHERE task = ?");
        expect(await rows.bind(task).first("count")).toBe(2);
        expect(await agentQueue(agentId)).toEqual({ waiting: 0, running: 0, limit: 1 });
      };
    };
  },
};

function agentQueue(agentId: string): Promise<object> {
  return env.QUEUES.get(env.QUEUES.idFromName(agentId)).readCounts();
}
