import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { queueStub } from "../../../src/agents/queue/queue.rpc.ts";
import { QueueTarget } from "../../../src/tasks/runtime/outbox.ts";
import { BOB, COMMANDS, QUEUED_COMMANDS_TO, T0, taskAfter } from "../model/fixtures.ts";

const FAILED = QUEUED_COMMANDS_TO.failed;
const { retry, assign, cancel } = COMMANDS;

it("a new instance removes a task that was retried from the queue of its earlier agent", async () => {
  const retried = taskAfter(...FAILED, { ...retry, choice: BOB });
  const taskId = await enqueueAt("ada");
  const target = new QueueTarget(env.QUEUES, taskId);
  expect(target.isBehind(retried)).toBe(true);
  await target.publish(retried);
  expect(target.isBehind(retried)).toBe(false);
  expect(await countWaiting("ada")).toEqual([0]);
});

it("a new instance removes a task that ended before it began from the queues of all its agents", async () => {
  const terms = { ...assign.terms, maxConcurrentTasks: 2 };
  const reassigned = [{ ...retry, choice: BOB }, { ...assign, choice: BOB, terms }, cancel];
  const cancelled = taskAfter(...FAILED, ...reassigned);
  const taskId = await enqueueAt("ada", "bob");
  await new QueueTarget(env.QUEUES, taskId).publish(cancelled);
  expect(await countWaiting("ada", "bob")).toEqual([0, 0]);
});

/** Puts a new task into the queues of these agents, where it waits for a worker. */
async function enqueueAt(...agentIds: string[]): Promise<string> {
  const taskId = env.TASKS.newUniqueId().toString();
  const entry = { taskId, seq: 1, priority: "medium", deadline: null, since: T0 } as const;
  const terms = { limit: null, isPulled: true };
  for (const agentId of agentIds) {
    await queueStub(env.QUEUES, agentId).enqueue(agentId, entry, terms);
  }
  return taskId;
}

async function countWaiting(...agentIds: string[]): Promise<number[]> {
  const counts = agentIds.map((agentId) => queueStub(env.QUEUES, agentId).readCounts());
  return (await Promise.all(counts)).map(({ waiting }) => waiting);
}
