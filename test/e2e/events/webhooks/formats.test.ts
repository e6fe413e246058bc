import type { StoredWebhook, WebhookLimits } from "../../../../src/events/model/webhook.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { getDatabase } from "../../../../src/platform/d1/client.ts";
import { webhookStub } from "../../../../src/events/webhooks/webhook.rpc.ts";
import {
  generateWebhookId,
  subscribeWebhook,
} from "../../../../src/events/webhooks/manage-webhooks.ts";
import { removePushConfig, removeWebhook } from "../../../../src/events/webhooks/remove-webhook.ts";
import { sealWebhookSettings } from "../../../../src/events/webhooks/settings.ts";
import { unaudited } from "../../../../src/platform/d1/audited-batch.ts";
import {
  insertWebhook,
  listEnabledWebhooks,
  listEnabledTaskWebhooks,
  listTaskWebhooks,
} from "../../../../src/events/webhooks/webhooks.store.ts";
import { ROOT_ACTOR } from "../../../support/actor.ts";
import { get } from "../../../support/client.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  publishEvents,
  createWebhookWithReceiver,
  newTaskId,
  objectOf,
  Receiver,
  shown,
  wakeHook,
} from "./fixtures.ts";

beforeAll(stopClock);

/** Creates a webhook in the A2A format for a single task, with empty settings. */
async function quietWebhook({ url }: Receiver, taskId: string): Promise<StoredWebhook> {
  const id = generateWebhookId();
  const sealed = await sealWebhookSettings(env, id, {});
  if (!sealed.ok) throw new Error("CREDENTIALS_KEY is malformed");
  return {
    id,
    format: "a2a",
    url,
    description: "",
    types: null,
    template: null,
    headerNames: null,
    agentId: null,
    teamId: null,
    taskId,
    sealed: sealed.value,
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    createdBy: "test",
    createdAt: Date.now(),
  };
}

function subscribe(webhook: StoredWebhook, limits: WebhookLimits): Promise<boolean> {
  const db = getDatabase(env.DB);
  const insert = () => insertWebhook(db, webhook, limits, unaudited(db));
  return subscribeWebhook(env, webhook, insert);
}

describe("webhooks in another format", () => {
  it("webhooks for one task are limited in number and hidden from the REST API", async () => {
    const taskId = newTaskId();
    const receiver = new Receiver();
    const webhooks = [
      await quietWebhook(receiver, taskId),
      await quietWebhook(receiver, taskId),
      await quietWebhook(receiver, taskId),
    ] as const;
    const opened: boolean[] = [];
    for (const one of webhooks) opened.push(await subscribe(one, { countMax: 2 }));
    expect(opened).toEqual([true, true, false]);
    expect(await subscribe(await quietWebhook(receiver, newTaskId()), { countMax: 2 })).toBe(true);
    const ids = (await listTaskWebhooks(getDatabase(env.DB), "a2a", taskId)).map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set([webhooks[0].id, webhooks[1].id]));
    expect((await get(`/agents/webhooks/${webhooks[0].id}`)).status).toBe(404);
    expect((await get("/agents/webhooks")).body.data.total).toBe(0);
    expect(await removeWebhook(env, webhooks[0].id, ROOT_ACTOR)).toBe(false);
    expect(await removePushConfig(env, webhooks[0].id)).toBe(true);
  });

  it("webhooks for one task are found by the task and are not among the webhooks for all tasks", async () => {
    const [one, other] = [newTaskId(), newTaskId()];
    const { receiver, id } = await createWebhookWithReceiver();
    const bound = await quietWebhook(receiver, one);
    const disabled = { ...(await quietWebhook(receiver, one)), enabled: false };
    const ofOtherTask = await quietWebhook(receiver, other);
    for (const webhook of [bound, disabled, ofOtherTask])
      await subscribe(webhook, { countMax: 10 });
    const db = getDatabase(env.DB);
    const all = (await listEnabledWebhooks(db)).map((webhook) => webhook.id);
    expect(all).toContain(id);
    for (const webhook of [bound, disabled, ofOtherTask]) expect(all).not.toContain(webhook.id);
    const filter = { types: null, agentId: null, teamId: null, taskId: one };
    expect(await listEnabledTaskWebhooks(db, [one, newTaskId()])).toEqual([
      { id: bound.id, ...filter },
    ]);
    expect(await listEnabledTaskWebhooks(db, [one, other])).toHaveLength(2);
    expect(await listEnabledTaskWebhooks(db, [])).toEqual([]);
  });

  it("webhooks for one task that fail permanently are deleted with their objects", async () => {
    const taskId = newTaskId();
    const webhook = await quietWebhook(new Receiver(), taskId);
    await subscribe(webhook, { countMax: 10 });
    await publishEvents(taskId, ["created"]);
    // Simulate the subscription state after a 410 or the last attempt; see `updateSubscription`.
    await runInDurableObject(objectOf(webhook.id), (_, { storage: { kv } }) => {
      const closing = { kind: "disable", url: webhook.url, reason: "It is gone.", at: Date.now() };
      kv.put("standing", { ...kv.get<object>("standing"), closing });
    });
    await wakeHook(webhook.id);
    expect(await listTaskWebhooks(getDatabase(env.DB), "a2a", taskId)).toEqual([]);
    const keys = await runInDurableObject(objectOf(webhook.id), (_, { storage }) => [
      ...storage.kv.list(),
    ]);
    expect(keys).toEqual([]);
  });

  it("a webhook skips events for which its format has no message, and does not read them again", async () => {
    const taskId = newTaskId();
    const receiver = new Receiver();
    const webhook = await quietWebhook(receiver, taskId);
    await subscribe(webhook, { countMax: 10 });
    const object = webhookStub(env.WEBHOOKS, webhook.id);
    await publishEvents(newTaskId(), ["created"]);
    await publishEvents(taskId, ["created", "completed"]);
    expect(await object.readStats()).toMatchObject({ pending: 2 });
    await wakeHook(webhook.id);
    expect(await object.listDeliveries(null, Infinity, 10)).toEqual([]);
    await object.notify(webhook.id);
    expect(await object.readStats()).toMatchObject({ pending: 0 });
    expect(await receiver.seen()).toEqual([]);
  });

  it("after its last message, a webhook deletes itself once no delivery is pending", async () => {
    const { receiver, id } = await createWebhookWithReceiver();
    await publishEvents(newTaskId(), ["created"]);
    // Simulate the subscription state after delivery of a final message; see `updateSubscription`.
    await runInDurableObject(objectOf(id), (_, { storage: { kv } }) => {
      kv.put("standing", { ...kv.get<object>("standing"), closing: { kind: "end" } });
    });
    await receiver.answers({ status: 503 });
    await wakeHook(id);
    expect((await shown(id)).deliveries.pending).toBe(1);
    await receiver.answers({ status: 200 });
    passTime(6_000);
    await wakeHook(id);
    expect(await receiver.seen()).toHaveLength(2);
    expect((await get(`/agents/webhooks/${id}`)).status).toBe(404);
    const keys = await runInDurableObject(objectOf(id), (_, { storage }) => [...storage.kv.list()]);
    expect(keys).toEqual([]);
  });
});
