import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { QueueTarget } from "../../../src/tasks/runtime/outbox.ts";
import { COMMANDS, QUEUED_COMMANDS_TO, taskAfter } from "../model/fixtures.ts";

it("a new instance removes a task that was retried from the queue of its earlier agent", async () => {
  const retried = taskAfter(...QUEUED_COMMANDS_TO.failed, COMMANDS.retry);
  const target = new QueueTarget(env.QUEUES, env.TASKS.newUniqueId().toString());
  expect(target.isBehind(retried)).toBe(true);
  await target.publish(retried);
  expect(target.isBehind(retried)).toBe(false);
});
