import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import worker from "../../../src/index.ts";
import type { TurnMessage } from "../../../src/tasks/model/turn.ts";
import { create, read, stopClock, wake } from "../../support/tasks.ts";
import { DONE, modelAgent, provideAi } from "../../support/workers-ai.ts";

beforeAll(stopClock);

const LOOK_MS = 10;
/** Many times the duration of a turn if the model responds. */
const PATIENCE_MS = 3_000;

it("a model that does not respond does not delay other agents' turns, even in the same batch", async () => {
  await modelAgent("mute");
  await modelAgent("ready");
  const mute = { isOn: true };
  const takeAway = provideAi(async (_, inputs) => {
    while (mute.isOn && JSON.stringify(inputs).includes("Wait")) await scheduler.wait(LOOK_MS);
    return DONE;
  });
  // Hold the turns until both have arrived.
  const kept: TurnMessage[] = [];
  const whole = worker.queue;
  worker.queue = ({ messages }) => {
    kept.push(...messages.map(({ body }) => body));
    return Promise.resolve();
  };
  onTestFinished(() => {
    mute.isOn = false;
    worker.queue = whole;
    takeAway();
  });
  const waiting = await create({ task: "Wait", agentId: "mute", context: { text: "A wharf." } });
  const other = await create({ task: "Go on", agentId: "ready", context: { text: "A wharf." } });
  await wake(waiting);
  await wake(other);
  // The queue may still deliver turns from an earlier test file.
  const turns = (): TurnMessage[] =>
    kept.filter(({ kind, taskId }) => kind === "turn" && [waiting, other].includes(taskId));
  await vi.waitUntil(() => turns().length === 2, 20_000);
  expect(turns().map(({ taskId }) => taskId)).toEqual([waiting, other]);

  const messages = turns().map((body, place) => ({
    id: `turn-${place}`,
    timestamp: new Date(),
    attempts: 1,
    body,
  }));
  const batch = createMessageBatch<TurnMessage>("bosun-turns", messages);
  const done = whole(batch, env);
  const giveUpAt = performance.now() + PATIENCE_MS;
  const statusOf = async (id: string): Promise<string> => (await read(id)).status;
  while ((await statusOf(other)) === "in_progress" && performance.now() < giveUpAt) {
    await scheduler.wait(LOOK_MS);
  }
  expect([await statusOf(waiting), await statusOf(other)]).toEqual(["in_progress", "completed"]);
  mute.isOn = false;
  await done;
  expect(await statusOf(waiting)).toBe("completed");
});
