import { expect } from "vitest";
import { env } from "cloudflare:workers";
import { agent } from "../../agents/queue/fixtures.ts";
import { passTime } from "../../support/tasks.ts";
import { expectEnded } from "../expect-log.ts";
import { createOnce, dataOf, TEXT, awaitStatus, type Scenario } from "./scenario.ts";
import { outcomeOf } from "../../../src/tasks/model/task.ts";

const FILE = "# Bergen\n\nRebuilt in 1702.";
const CLAIMS_MAX = 20;
/** Longer than the requested lease plus the pause before the next attempt. */
const LEASE_MS = 8_000;

/**
 * A worker claims a task, reports on it, uploads a file, and completes the task. If the response to
 * its claim is lost, the lease expires.
 */
export const workerScenario: Scenario = {
  async prepare() {
    const { id: agentId } = await agent("worker", 2);
    return async (client, alarmDriver) => {
      alarmDriver.agents.add(agentId);
      const id = await createOnce(client, alarmDriver, {
        task: "Count",
        agentId,
        context: { text: TEXT },
      });
      const path = `/agents/tasks/${id}`;
      let tries = 0;
      while (dataOf(await client.get(path), 200).status !== "completed") {
        tries += 1;
        if (tries > CLAIMS_MAX)
          throw new Error(`The task was not completed after ${CLAIMS_MAX} claims`);
        await awaitStatus(client, alarmDriver, id, "assigned", "in_progress", "completed");
        const lease = await claimed();
        if (lease !== null) await workOn(lease);
        else passTime(LEASE_MS);
      }

      /** Claims a task. If the response is lost, the lease expires and the worker claims again. */
      async function claimed(): Promise<string | null> {
        const body = { agentId, leaseSeconds: 5, waitSeconds: 0 };
        const answer = await client.write("POST", "/agents/tasks/claim", body);
        return dataOf(answer, 200).tasks[0]?.lease.token ?? null;
      }

      async function workOn(lease: string): Promise<void> {
        const report = (body: object) => client.write("POST", `${path}/report`, { lease, ...body });
        const headers = {
          "Bosun-Lease": lease,
          "Content-Type": "text/markdown",
          "Content-Length": `${FILE.length}`,
        };
        // A worker that has lost its lease stops and claims again.
        const half = await report({ type: "progress", progress: 50, phase: "counting" });
        if (half.status === 409) return;
        const file = await client.write("PUT", `${path}/deliverables/report.md`, FILE, headers);
        if (file.status === 409) return;
        dataOf(file, 200, 201);
        const end = await report({ type: "completed", result: { summary: "18 words." } });
        dataOf(end, 200, 409);
      }

      return async () => {
        const { task } = await expectEnded(id, "completed");
        const [file] = outcomeOf(task)?.deliverables ?? [];
        const stored = await env.FILES.get(file?.key ?? "");
        expect(await stored?.text()).toBe(FILE);
        // If a late update makes the queue offer the ended task, the task rejects the claim.
        expect(await claimed()).toBeNull();
        const queue = env.QUEUES.get(env.QUEUES.idFromName(agentId));
        expect(await queue.readCounts()).toEqual({
          waiting: 0,
          running: 0,
          limit: 2,
          workers: [
            { worker: null, keyId: null, lastSeenAt: Date.now(), isWaiting: false, taskIds: [] },
          ],
        });
      };
    };
  },
};
