import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { WEBHOOK_REREAD_MS, WEBHOOK_BACKOFF_MAX_MS } from "../../../../src/events/limits.ts";
import { EventFeed } from "../../../../src/events/feed.object.ts";
import { WebhookObject } from "../../../../src/events/webhooks/webhook.object.ts";
import { webhookStub } from "../../../../src/events/webhooks/webhook.rpc.ts";
import { patch, post } from "../../../support/client.ts";
import { divert } from "../../../support/divert.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  deliveriesOf,
  holdReceiver,
  publishEvents,
  receiveEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  objectOf,
  Receiver,
  settle,
  shown,
  typesOf,
  wakeHook,
} from "./fixtures.ts";

beforeAll(stopClock);
vi.spyOn(console, "warn").mockImplementation(() => {});

/** Blocks the first call to a method until `go` is called. */
function holdFirst(whose: object, method: string) {
  const held = Promise.withResolvers<void>();
  let calls = 0;
  divert(whose, method, async (real) => {
    calls += 1;
    if (calls === 1) await held.promise;
    return real();
  });
  return { go: () => held.resolve(), began: () => vi.waitUntil(() => calls > 0) };
}

describe("a webhook that moves while it is being disabled", () => {
  it("a webhook whose URL changes while it is being disabled gets the events published during that time", async () => {
    const { receiver: old, id, alarm } = await holdReceiver(["created"]);
    await patch(`/agents/webhooks/${id}`, { url: new Receiver().url });
    const refresh = holdFirst(EventFeed.prototype, "refreshSubscribers");
    await old.release(410);
    await refresh.began();
    await publishEvents(newTaskId(), ["failed"]);
    refresh.go();
    await alarm;
    expect(await shown(id)).toMatchObject({ enabled: true });
    await publishEvents(newTaskId(), ["completed"]);
    await settle(id);
    expect(await typesOf(id)).toEqual(["created", "failed", "completed"]);
    const states = (await deliveriesOf(id)).map(({ status }) => status);
    expect(states).toEqual(["delivered", "delivered", "failed"]);
  });
});

describe("a filter change during a read of the feed", () => {
  it("a filter change during a read of the feed skips no event that matches the new filter", async () => {
    const { id } = await createWebhook(new Receiver(), { types: ["failed"] });
    const page = holdFirst(EventFeed.prototype, "readPage");
    const reading = webhookStub(env.WEBHOOKS, id).notify(id);
    await page.began();
    expect((await patch(`/agents/webhooks/${id}`, { types: ["completed"] })).status).toBe(200);
    const poke = holdFirst(WebhookObject.prototype, "notify");
    const happening = publishEvents(newTaskId(), ["completed"]);
    await poke.began();
    page.go();
    await reading;
    poke.go();
    await happening;
    await settle(id);
    expect(await typesOf(id)).toEqual(["completed"]);
  });
});

describe("a webhook change that does not reach the feed", () => {
  /**
   * Makes a change while the feed cannot refresh, so the feed knows only the webhooks from before
   * the change.
   */
  async function withoutRefresh<Value>(change: () => Promise<Value>): Promise<Value> {
    await publishEvents(newTaskId(), ["created"]);
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const restore = divert(EventFeed.prototype, "refreshSubscribers", lost);
    const changed = await change();
    restore();
    return changed;
  }

  it("if the feed misses a filter change, the webhook gets a matching event without waiting for another one", async () => {
    const { id } = await createWebhook(new Receiver(), { types: ["failed"] });
    // Complete the read that follows the webhook's creation, so that it cannot find the event.
    passTime(WEBHOOK_REREAD_MS);
    await settle(id);
    await withoutRefresh(() => patch(`/agents/webhooks/${id}`, { types: ["completed"] }));
    await publishEvents(newTaskId(), ["completed"]);
    passTime(WEBHOOK_REREAD_MS);
    await settle(id);
    expect(await typesOf(id)).toEqual(["completed"]);
  });

  it("if the feed misses a new webhook, the webhook gets its event without waiting for another one", async () => {
    const { id } = await withoutRefresh(() =>
      createWebhook(new Receiver(), { types: ["completed"] }),
    );
    await publishEvents(newTaskId(), ["completed"]);
    passTime(WEBHOOK_REREAD_MS);
    await settle(id);
    expect(await typesOf(id)).toEqual(["completed"]);
  });

  it("a re-enabled webhook gets its events even if the feed and the webhook's object miss the change", async () => {
    const { id } = await createWebhook(new Receiver(), { types: ["completed"] });
    await patch(`/agents/webhooks/${id}`, { enabled: false });
    passTime(WEBHOOK_REREAD_MS);
    await settle(id);
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const restores = ["reloadSettings", "notify"].map((call) =>
      divert(WebhookObject.prototype, call, lost),
    );
    await withoutRefresh(() => patch(`/agents/webhooks/${id}`, { enabled: true }));
    for (const restore of restores) restore();
    await publishEvents(newTaskId(), ["completed"]);
    passTime(WEBHOOK_BACKOFF_MAX_MS);
    await settle(id);
    passTime(WEBHOOK_REREAD_MS);
    await settle(id);
    expect(await typesOf(id)).toEqual(["completed"]);
  });

  it("a webhook makes its pending deliveries even if the feed can no longer be read", async () => {
    const { receiver, id } = await receiveEvents(["created"], { status: 500 });
    await receiver.answers({ status: 200 });
    divert(EventFeed.prototype, "readPage", () => Promise.reject(new Error("Out of reach")));
    passTime(WEBHOOK_REREAD_MS);
    await wakeHook(id);
    expect((await deliveriesOf(id))[0].status).toBe("delivered");
  });
});

describe("overlapping changes of one webhook", () => {
  it("a webhook that is enabled while it is being disabled stays enabled and gets events", async () => {
    const { receiver, id } = await receiveEvents(["created"]);
    const changed = holdFirst(WebhookObject.prototype, "reloadSettings");
    const off = patch(`/agents/webhooks/${id}`, { enabled: false });
    await changed.began();
    expect((await patch(`/agents/webhooks/${id}`, { enabled: true })).status).toBe(200);
    changed.go();
    await off;
    expect(await shown(id)).toMatchObject({ enabled: true });
    await publishEvents(newTaskId(), ["completed"]);
    await settle(id);
    expect(await typesOf(id)).toEqual(["created", "completed"]);
    expect(await receiver.seen()).toHaveLength(2);
  });

  it("after many concurrent changes, a webhook gets events if and only if its row is enabled", async () => {
    const { id } = await createWebhookWithReceiver();
    for (let round = 0; round < 5; round += 1) {
      const wishes = [true, false, true, false, round % 2 === 0];
      await Promise.all(wishes.map((enabled) => patch(`/agents/webhooks/${id}`, { enabled })));
      const { enabled } = await shown(id);
      const before = (await deliveriesOf(id)).length;
      await publishEvents(newTaskId(), ["completed"]);
      expect((await deliveriesOf(id)).length - before).toBe(enabled ? 1 : 0);
    }
  });

  it("an attempt that fails after the webhook was disabled and enabled again does not disable it", async () => {
    const { receiver, id } = await receiveEvents(["created"], { status: 500 });
    await receiver.answers({ hangs: true });
    passTime(6_000);
    const alarm = wakeHook(id);
    await receiver.seen(2);
    await patch(`/agents/webhooks/${id}`, { enabled: false });
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    await receiver.release(500);
    await alarm;
    await settle(id);
    const { enabled, deliveries } = await shown(id);
    expect(enabled).toBe(true);
    expect(deliveries).toMatchObject({ pending: 0, consecutiveFailures: 1 });
  });
});

describe("a webhook object that missed a change to its row", () => {
  /** Changes a webhook without notifying its object. */
  async function patchUnnoticed(id: string, body: { enabled: boolean }): Promise<void> {
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const restore = divert(WebhookObject.prototype, "reloadSettings", lost);
    const answer = await patch(`/agents/webhooks/${id}`, body);
    restore();
    expect([answer.status, answer.body.data.enabled]).toEqual([200, body.enabled]);
  }

  it("a webhook object that missed being enabled follows its row and delivers", async () => {
    const { receiver, id } = await createWebhookWithReceiver();
    await patch(`/agents/webhooks/${id}`, { enabled: false });
    await publishEvents(newTaskId(), ["failed"]);
    await patchUnnoticed(id, { enabled: true });
    await publishEvents(newTaskId(), ["completed"]);
    await settle(id);
    expect(await typesOf(id)).toEqual(["completed"]);
    const [delivery] = await deliveriesOf(id);
    expect((await post(`/agents/webhooks/${id}/deliveries/${delivery.id}/redeliver`)).status).toBe(
      200,
    );
    await settle(id);
    expect(await receiver.seen()).toHaveLength(2);
  });

  it("a webhook object that missed being disabled does not later deliver the events of that time", async () => {
    const { id } = await createWebhookWithReceiver();
    await patchUnnoticed(id, { enabled: false });
    await publishEvents(newTaskId(), ["failed"]);
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    await publishEvents(newTaskId(), ["completed"]);
    expect(await typesOf(id)).toEqual(["completed"]);
  });
});

describe("an ending webhook while events are waiting in the feed", () => {
  it("an ending webhook does not keep waking for events that are waiting in the feed", async () => {
    const { id } = await createWebhookWithReceiver({ status: 503 });
    await publishEvents(newTaskId(), ["created"]);
    // Simulate an A2A task's last message while more events are waiting than may be pending.
    await runInDurableObject(objectOf(id), (_, { storage: { kv } }) => {
      const ending = { closing: { kind: "end" }, isBehind: true };
      kv.put("standing", { ...kv.get<object>("standing"), ...ending });
    });
    await wakeHook(id);
    const next = await runInDurableObject(objectOf(id), (_, { storage }) => storage.getAlarm());
    expect((next ?? 0) - Date.now()).toBeGreaterThanOrEqual(5_000);
  });
});
