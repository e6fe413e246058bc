import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { queueStub } from "../../../src/agents/queue/queue.rpc.ts";
import { EventFeed } from "../../../src/events/feed.object.ts";
import { Outbox } from "../../../src/tasks/runtime/outbox.ts";
import { QueueTarget } from "../../../src/tasks/runtime/queue-target.ts";
import { Subscribers } from "../../../src/platform/subscribers.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { TaskStore } from "../../../src/tasks/runtime/task.store.ts";
import { divert } from "../../support/divert.ts";
import { objectOf } from "../../support/task-state.ts";
import {
  BOB,
  COMMANDS,
  COMMANDS_TO,
  QUEUED,
  QUEUED_COMMANDS_TO,
  T0,
  taskAfter,
} from "../model/fixtures.ts";

const HOUR_MS = 60 * 60_000;

const RETRIED = [...QUEUED_COMMANDS_TO.failed, { ...COMMANDS.retry, choice: BOB }];

it("a new instance removes a retried task from the queue of its earlier agent", async () => {
  const retried = taskAfter(...RETRIED);
  const taskId = await enqueueAt("ada");
  expect(await countWaiting("ada")).toEqual([1]);
  const target = new QueueTarget(env.QUEUES, taskId);
  expect(target.isBehind(retried)).toBe(true);
  await target.publish(retried);
  expect(target.isBehind(retried)).toBe(false);
  expect(await countWaiting("ada")).toEqual([0]);
});

it("a task that was cancelled before its second attempt started is removed from the queues of both agents by a new instance", async () => {
  const assign = { ...COMMANDS.assign, choice: BOB, terms: QUEUED };
  const cancelled = taskAfter(...RETRIED, assign, COMMANDS.cancel);
  const taskId = await enqueueAt("ada", "bob");
  expect(await countWaiting("ada", "bob")).toEqual([1, 1]);
  await new QueueTarget(env.QUEUES, taskId).publish(cancelled);
  expect(await countWaiting("ada", "bob")).toEqual([0, 0]);
});

it("a task that a client gave to another agent is removed from the queue of the previous agent by a new instance", async () => {
  const give: TaskCommand = { type: "update", change: {}, choice: BOB };
  const given = taskAfter(...QUEUED_COMMANDS_TO.assigned, give);
  const taskId = await enqueueAt("ada");
  const target = new QueueTarget(env.QUEUES, taskId);
  expect(target.isBehind(given)).toBe(true);
  await target.publish(given);
  expect(target.isBehind(given)).toBe(false);
  expect(await countWaiting("ada", "bob")).toEqual([0, 0]);
});

it("a task that was cancelled before its new agent got it is removed from the queue of the previous one", async () => {
  const give: TaskCommand = { type: "update", change: {}, choice: BOB };
  const cancelled = taskAfter(...QUEUED_COMMANDS_TO.assigned, give, COMMANDS.cancel);
  const taskId = await enqueueAt("ada");
  await new QueueTarget(env.QUEUES, taskId).publish(cancelled);
  expect(await countWaiting("ada")).toEqual([0]);
});

/** Records, for each call to the feed, whether it includes a directory row. */
function recordRowsSent(): boolean[] {
  const sent: boolean[] = [];
  divert(EventFeed.prototype, "publish", (real, _events, _isFirstSend, write) => {
    sent.push(write !== null);
    return real();
  });
  return sent;
}

/**
 * Publishes the events of each list of commands in a separate alarm run, using the real storage of
 * a new object.
 */
async function publishRuns(
  retentionMs: number | null,
  ...runs: readonly (readonly TaskCommand[])[]
): Promise<void> {
  const taskId = env.TASKS.newUniqueId().toString();
  await runInDurableObject(objectOf(taskId), async (_task, ctx) => {
    const timing = { stepIntervalMs: HOUR_MS, retentionMs };
    const store = new TaskStore(taskId, ctx.storage, timing);
    const outbox = new Outbox(env, taskId, store, new Subscribers(ctx, 1));
    for (const commands of runs) {
      store.beginAlarmRun();
      store.commit(commands);
      await outbox.publishRun();
      store.endAlarmRun(null);
    }
  });
}

it.each([
  ["is not sent to the feed if the task can be deleted within an hour", HOUR_MS - 1, false],
  ["is sent to the feed if ended tasks are kept for more than an hour", HOUR_MS * 2, true],
  ["is sent to the feed if ended tasks are kept permanently", null, true],
])("the row of a task in review %s", async (_, retentionMs, isSent) => {
  const sent = recordRowsSent();
  await publishRuns(retentionMs, COMMANDS_TO.review);
  expect(sent).toEqual([isSent]);
});

it("progress does not change the row, so it is not sent to the feed again", async () => {
  const sent = recordRowsSent();
  await publishRuns(null, COMMANDS_TO.in_progress, [COMMANDS.progress]);
  expect(sent).toEqual([true, false]);
});

/**
 * Adds a new task to these agents' queues. The queues start nothing, because their tasks are
 * claimed by workers.
 */
async function enqueueAt(...agentIds: string[]): Promise<string> {
  const taskId = env.TASKS.newUniqueId().toString();
  const entry = { taskId, seq: 1, priority: "medium", deadline: null, since: T0 } as const;
  for (const agentId of agentIds) {
    const terms = { limit: null, isPulled: true };
    await queueStub(env.QUEUES, agentId).enqueue(agentId, entry, terms);
  }
  return taskId;
}

async function countWaiting(...agentIds: string[]): Promise<number[]> {
  const counts = agentIds.map((agentId) => queueStub(env.QUEUES, agentId).readCounts());
  return (await Promise.all(counts)).map(({ waiting }) => waiting);
}
