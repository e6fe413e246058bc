import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call } from "../../e2e/deployed/processes.ts";
import { createTask } from "./session.ts";

/** A task that a test works on. */
export interface ClaimedTask {
  readonly taskId: string;
  readonly report: (body: object) => Promise<unknown>;
}

/** Creates a task for a worker agent and claims it, so that a test decides what happens to it. */
export async function createClaimed(
  bosun: Bosun,
  agentId: string,
  body: object,
): Promise<ClaimedTask> {
  const { taskId } = await createTask(bosun, { agentId, ...body });
  const claim = { agentId, worker: "test", waitSeconds: 5, leaseSeconds: 600 };
  const { tasks } = await call(bosun, "POST", "/agents/tasks/claim", claim);
  const claimed = tasks.find((task: { taskId: string }) => task.taskId === taskId);
  const lease: string = claimed.lease.token;
  return {
    taskId,
    report: (report) => call(bosun, "POST", `/agents/tasks/${taskId}/report`, { lease, ...report }),
  };
}

export async function registerWorkerAgent(bosun: Bosun, agentId: string): Promise<void> {
  await call(bosun, "POST", "/agents", {
    id: agentId,
    executor: { type: "worker" },
    maxConcurrentTasks: 20,
  });
}
