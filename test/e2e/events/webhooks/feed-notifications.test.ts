import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { TaskEventType } from "../../../../src/tasks/model/events.ts";
import type { FeedEvent } from "../../../../src/events/model/feed.ts";
import { OUTBOX_RETRY_MS } from "../../../../src/tasks/limits.ts";
import { feedStub } from "../../../../src/events/feed.rpc.ts";
import { WebhookObject } from "../../../../src/events/webhooks/webhook.object.ts";
import { crash } from "../../../support/crash.ts";
import { divert } from "../../../support/divert.ts";
import { stopClock } from "../../../support/tasks.ts";
import {
  publishEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  Receiver,
  typesOf,
} from "./fixtures.ts";
import { STATEMENT_PROTOTYPE } from "../../../support/database-prototypes.ts";

beforeAll(stopClock);
vi.spyOn(console, "warn").mockImplementation(() => {});

/**
 * Calls `before` before each call to a webhook, with the number of calls so far. Returns a function
 * that returns this number.
 */
function countNotifications(id: string, before: (count: number) => Promise<void>): () => number {
  let pokes = 0;
  divert(WebhookObject.prototype, "notify", async (real, webhookId: string) => {
    if (webhookId !== id) return real();
    pokes += 1;
    await before(pokes);
    return real();
  });
  return () => pokes;
}

it("a webhook misses no event if calls from the feed overtake each other or fail", async () => {
  const { id } = await createWebhookWithReceiver();
  const held = Promise.withResolvers<void>();
  const pokes = countNotifications(id, async (count) => {
    if (count === 2) await held.promise;
    if (count === 4) throw new Error("Not this time");
  });
  await publishEvents(newTaskId(), ["created"]);
  const second = publishEvents(newTaskId(), ["started"]);
  await vi.waitUntil(() => pokes() === 2, 20_000);
  await publishEvents(newTaskId(), ["blocked"]);
  held.resolve();
  await second;
  await publishEvents(newTaskId(), ["responded"]);
  await publishEvents(newTaskId(), ["completed"]);
  expect(await typesOf(id)).toEqual(["created", "started", "blocked", "responded", "completed"]);
});

it("events that match only a webhook's new filter are delivered, even if the feed was not notified of the change", async () => {
  const { id } = await createWebhook(new Receiver(), { types: ["completed"] });
  await publishEvents(newTaskId(), ["completed"]);
  await env.DB.prepare("UPDATE webhooks SET types = NULL WHERE id = ?").bind(id).run();
  await publishEvents(newTaskId(), ["progressed"]);
  await feedStub(env.FEED).refreshSubscribers();
  await publishEvents(newTaskId(), ["failed"]);
  expect(await typesOf(id)).toEqual(["completed", "progressed", "failed"]);
});

it("events are rejected while the registry cannot be read, and appear once after they are sent again", async () => {
  const { id } = await createWebhookWithReceiver();
  await crash(feed());
  await env.DB.prepare("ALTER TABLE webhooks RENAME TO webhooks_away").run();
  const taskId = newTaskId();
  const events = [eventOf(taskId, 1, "created")];
  // Wrapped, because an object's promise is callable, and `expect` would call it.
  const announcing = async () => feedStub(env.FEED).publish(events, true);
  await expect(announcing()).rejects.toThrow("Failed query");
  await env.DB.prepare("ALTER TABLE webhooks_away RENAME TO webhooks").run();
  await feedStub(env.FEED).publish(events, false);
  expect(await typesOf(id)).toEqual(["created"]);
  expect(await seqsIn(taskId)).toEqual([1]);
});

it("a call to a webhook that ends late does not clear a later call that is still pending", async () => {
  const { id } = await createWebhookWithReceiver();
  const held = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let place = 0;
  divert(WebhookObject.prototype, "notify", async (real, webhookId: string) => {
    if (webhookId !== id) return real();
    place += 1;
    if (place === 2) throw new Error("Not this time");
    const isFirst = place === 1;
    await real();
    read.resolve();
    if (isFirst) await held.promise;
    return undefined;
  });
  const first = publishEvents(newTaskId(), ["created"]);
  await read.promise;
  await publishEvents(newTaskId(), ["completed"]);
  held.resolve();
  await first;
  expect(await typesOf(id)).toEqual(["created"]);
  expect(await runDurableObjectAlarm(feed())).toBe(true);
  expect(await typesOf(id)).toEqual(["created", "completed"]);
});

it("a slow read of the registry does not overwrite the result of a later one", async () => {
  const slow = Promise.withResolvers<void>();
  const whole: (...args: unknown[]) => Promise<unknown> = Reflect.get(STATEMENT_PROTOTYPE, "raw");
  let isHeld = true;
  Reflect.set(STATEMENT_PROTOTYPE, "raw", async function raw(this: object, ...args: unknown[]) {
    const answer = await whole.apply(this, args);
    const isRegistry = String(Reflect.get(this, "statement")).includes('from "webhooks"');
    if (isHeld && isRegistry) {
      isHeld = false;
      await slow.promise;
    }
    return answer;
  });
  onTestFinished(() => void Reflect.set(STATEMENT_PROTOTYPE, "raw", whole));
  const late = feedStub(env.FEED).refreshSubscribers();
  await vi.waitUntil(() => !isHeld, 20_000);
  const { id } = await createWebhookWithReceiver();
  slow.resolve();
  await late;
  await publishEvents(newTaskId(), ["completed"]);
  expect(await typesOf(id)).toEqual(["completed"]);
});

it("events that are sent again while the feed stores them appear in it once", async () => {
  await crash(feed());
  const taskId = newTaskId();
  const events = [eventOf(taskId, 1, "created"), eventOf(taskId, 2, "completed")];
  const calls = [true, false, false].map((isFirstSend) =>
    feedStub(env.FEED).publish(events, isFirstSend),
  );
  await Promise.all(calls);
  expect(await seqsIn(taskId)).toEqual([1, 2]);
});

it("an event that cannot be stored does not keep another task's event out of the feed", async () => {
  const [good, bad] = [newTaskId(), newTaskId()];
  const tooLarge = { ...eventOf(bad, 1, "created"), data: { text: "x".repeat(9_000_000) } };
  const ended = await Promise.allSettled([
    feedStub(env.FEED).publish([tooLarge], true),
    feedStub(env.FEED).publish([eventOf(good, 1, "created")], true),
  ]);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect([await seqsIn(good), await seqsIn(bad)]).toEqual([[1], []]);
});

const feed = () => env.FEED.get(env.FEED.idFromName("feed"));

function eventOf(taskId: string, seq: number, type: TaskEventType): FeedEvent {
  const at = new Date().toISOString();
  return { taskId, seq, type, at, agentId: null, teamId: null, data: {} };
}

async function seqsIn(taskId: string): Promise<number[]> {
  const filter = { types: null, agentId: null, teamId: null, taskId };
  return (await feedStub(env.FEED).readPage(filter, 0, 100)).events.map(({ seq }) => seq);
}

it("the feed's alarm is no later than its pending call to a webhook", async () => {
  const { id } = await createWebhookWithReceiver();
  await crash(feed());
  await runInDurableObject(feed(), async (_, { storage }) => {
    storage.kv.put("owed", [id]);
    await storage.deleteAlarm();
  });
  await crash(feed());
  const held = Promise.withResolvers<void>();
  const pokes = countNotifications(id, () => held.promise);
  const happening = publishEvents(newTaskId(), ["created"]);
  await vi.waitUntil(() => pokes() > 0, 20_000);
  // If the alarm were set only for old events, a crash at this moment would lose the call.
  const alarmAt = await runInDurableObject(feed(), (_, { storage }) => storage.getAlarm());
  expect(alarmAt).toBeLessThanOrEqual(Date.now() + OUTBOX_RETRY_MS);
  held.resolve();
  await happening;
});
