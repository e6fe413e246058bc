import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../../../support/client.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  deliveriesOf,
  publishEvents,
  receiveEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  Receiver,
  settle,
  shown,
  advanceToNextAttempt,
  verified,
  wakeHook,
} from "./fixtures.ts";

beforeAll(stopClock);

const DAY_MS = 86_400_000;

describe("the delivery log", () => {
  it("the delivery log shows deliveries newest first, in pages, and filters them by status", async () => {
    const { receiver, id } = await createWebhookWithReceiver();
    const taskId = newTaskId();
    await publishEvents(taskId, Array(5).fill("progressed"));
    await settle(id);
    await receiver.answers({ status: 500 });
    await publishEvents(newTaskId(), Array(2).fill("updated"));
    await settle(id);
    const all = await deliveriesOf(id);
    expect(all.map(({ status }) => status)).toEqual([
      ...Array(2).fill("pending"),
      ...Array(5).fill("delivered"),
    ]);
    expect(all.slice(2).map(({ event }) => event)).toEqual(
      [5, 4, 3, 2, 1].map((seq) => ({ taskId, seq, type: "progressed" })),
    );
    const paged: unknown[] = [];
    for (let cursor = ""; ;) {
      const page = await get(`/agents/webhooks/${id}/deliveries?limit=3${cursor}`);
      paged.push(...page.body.data.deliveries);
      if (page.body.data.nextCursor === null) break;
      cursor = `&cursor=${page.body.data.nextCursor}`;
    }
    expect(paged).toEqual(all);
    expect(await deliveriesOf(id, "?status=pending")).toEqual(all.slice(0, 2));
    expect(await deliveriesOf(id, "?status=delivered")).toEqual(all.slice(2));
    expect(await deliveriesOf(id, "?status=failed")).toEqual([]);
  });

  it("the delivery log rejects a malformed cursor and a cursor from another list", async () => {
    const { id } = await createWebhookWithReceiver();
    const other = await createWebhook(new Receiver());
    await publishEvents(newTaskId(), ["created", "completed"]);
    await settle(id);
    const page = await get(`/agents/webhooks/${id}/deliveries?limit=1`);
    const { nextCursor } = page.body.data;
    const good = `/agents/webhooks/${id}/deliveries?cursor=${nextCursor}`;
    expect((await get(good)).body.data.deliveries).toHaveLength(1);
    const bad = [
      `${good}&status=delivered`,
      `/agents/webhooks/${other.id}/deliveries?cursor=${nextCursor}`,
      `/agents/webhooks/${id}/deliveries?cursor=x`,
      `/agents/webhooks/${id}/deliveries?cursor=${nextCursor.slice(1)}`,
    ];
    for (const path of bad) {
      const answer = await get(path);
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, "cursor"]);
    }
  });

  it("the delivery log shows the body that was sent", async () => {
    const { receiver, id, secret } = await receiveEvents(["completed"]);
    const [line] = await deliveriesOf(id);
    // The event data in these tests is made up, so it does not match the documented format.
    const madeUp = { documented: false };
    const answer = await get(`/agents/webhooks/${id}/deliveries/${line.id}`, madeUp);
    const [arrived] = await receiver.seen();
    if (arrived === undefined) throw new Error("Nothing arrived");
    expect(answer.body.data).toEqual({ ...line, body: verified(arrived, secret) });
  });

  it("a delivery is deleted after 30 days, and later events are still delivered", async () => {
    const { receiver, id } = await receiveEvents(["created"]);
    passTime(30 * DAY_MS - 1);
    expect(await deliveriesOf(id)).toHaveLength(1);
    // No other event has occurred, so the alarm was set for this deletion.
    passTime(1);
    expect(await wakeHook(id)).toBe(true);
    expect(await deliveriesOf(id)).toEqual([]);
    expect(await wakeHook(id)).toBe(false);
    await publishEvents(newTaskId(), ["completed"]);
    await settle(id);
    expect(await receiver.seen()).toHaveLength(2);
  });
});

describe("redelivery", () => {
  it("a redelivery of a successful delivery sends the same message with a new signature", async () => {
    const { receiver, id, secret } = await receiveEvents(["completed"]);
    passTime(DAY_MS);
    const [{ id: deliveryId }] = await deliveriesOf(id);
    const answer = await post(`/agents/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      id: deliveryId,
      status: "pending",
      nextAttemptAt: new Date().toISOString(),
    });
    await settle(id);
    const [first, second] = await receiver.seen();
    if (first === undefined || second === undefined)
      throw new Error("The message did not arrive twice");
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.body).toBe(first.body);
    expect(verified(second, secret)).toMatchObject({ type: "task.completed" });
    expect((await deliveriesOf(id))[0]).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200 }, { status: 200 }],
    });
  });

  it("a redelivery of a failed delivery starts ten new attempts, and is rejected while the webhook is disabled", async () => {
    const { receiver, id } = await receiveEvents(["completed"], { status: 500 });
    while (await advanceToNextAttempt(id));
    const [{ id: deliveryId }] = await deliveriesOf(id, "?status=failed");
    const path = `/agents/webhooks/${id}/deliveries/${deliveryId}/redeliver`;
    const refused = await post(path);
    expect([refused.status, refused.body.error.code]).toEqual([409, "WEBHOOK_DISABLED"]);
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    expect((await post(path)).status).toBe(200);
    while (await advanceToNextAttempt(id));
    expect(await receiver.seen()).toHaveLength(20);
    expect((await shown(id)).enabled).toBe(false);
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    await receiver.answers({ status: 200 });
    await post(path);
    await settle(id);
    expect((await deliveriesOf(id))[0]).toMatchObject({ status: "delivered" });
    expect((await deliveriesOf(id))[0].attempts).toHaveLength(21);
  });
});

describe("a test message", () => {
  it("a test message is sent at once and signed, even to a disabled webhook, and is not logged", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver();
    await patch(`/agents/webhooks/${id}`, { enabled: false });
    const answer = await post(`/agents/webhooks/${id}/test`);
    expect(answer.body.data).toMatchObject({ delivered: true, attempt: { status: 200 } });
    const [arrived] = await receiver.seen();
    if (arrived === undefined) throw new Error("Nothing arrived");
    expect(verified(arrived, secret)).toEqual({
      type: "webhook.test",
      timestamp: expect.any(String),
      data: { webhookId: id, data: {} },
    });
    expect(await deliveriesOf(id)).toEqual([]);
    await receiver.answers({ status: 401, body: "Who are you?" });
    expect((await post(`/agents/webhooks/${id}/test`)).body.data).toMatchObject({
      delivered: false,
      attempt: { status: 401, answer: "Who are you?" },
    });
  });
});
