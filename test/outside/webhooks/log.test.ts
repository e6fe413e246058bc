import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import { passTime, stopClock } from "../../support/tasks.ts";
import {
  deliveriesOf,
  happen,
  heard,
  hooked,
  hookTo,
  newTaskId,
  Receiver,
  settle,
  shown,
  toNextAttempt,
  verified,
  wakeHook,
} from "./fixture.ts";

beforeAll(stopClock);

const DAY_MS = 86_400_000;

describe("the delivery log", () => {
  it("shows deliveries newest first, page by page, by status", async () => {
    const { receiver, id } = await hooked();
    const taskId = newTaskId();
    await happen(taskId, Array(5).fill("progressed"));
    await settle(id);
    await receiver.answers({ status: 500 });
    await happen(newTaskId(), Array(2).fill("updated"));
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

  it("refuses a cursor of another list", async () => {
    const { id } = await hooked();
    const other = await hookTo(new Receiver());
    await happen(newTaskId(), ["created", "completed"]);
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

  it("shows the body that was sent", async () => {
    const { receiver, id, secret } = await heard(["completed"]);
    const [line] = await deliveriesOf(id);
    // The events of these tests have data of their own.
    const madeUp = { documented: false };
    const answer = await get(`/agents/webhooks/${id}/deliveries/${line.id}`, madeUp);
    const [arrived] = await receiver.seen();
    if (arrived === undefined) throw new Error("Nothing arrived");
    expect(answer.body.data).toEqual({ ...line, body: verified(arrived, secret) });
  });

  it("keeps a delivery for 30 days, and what is behind it in the feed stays told", async () => {
    const { receiver, id } = await heard(["created"]);
    passTime(30 * DAY_MS - 1);
    expect(await deliveriesOf(id)).toHaveLength(1);
    // The alarm comes by itself: nothing else has happened.
    passTime(1);
    expect(await wakeHook(id)).toBe(true);
    expect(await deliveriesOf(id)).toEqual([]);
    expect(await wakeHook(id)).toBe(false);
    await happen(newTaskId(), ["completed"]);
    await settle(id);
    expect(await receiver.seen()).toHaveLength(2);
  });
});

describe("redelivery", () => {
  it("of what was delivered sends the same message again, signed anew", async () => {
    const { receiver, id, secret } = await heard(["completed"]);
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
    if (first === undefined || second === undefined) throw new Error("It did not arrive twice");
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.body).toBe(first.body);
    expect(verified(second, secret)).toMatchObject({ type: "task.completed" });
    expect((await deliveriesOf(id))[0]).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200 }, { status: 200 }],
    });
  });

  it("of what failed begins a new round of ten attempts, and is refused while disabled", async () => {
    const { receiver, id } = await heard(["completed"], { status: 500 });
    while (await toNextAttempt(id));
    const [{ id: deliveryId }] = await deliveriesOf(id, "?status=failed");
    const path = `/agents/webhooks/${id}/deliveries/${deliveryId}/redeliver`;
    const refused = await post(path);
    expect([refused.status, refused.body.error.code]).toEqual([409, "WEBHOOK_DISABLED"]);
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    expect((await post(path)).status).toBe(200);
    while (await toNextAttempt(id));
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
  it("is sent at once, signed, to a disabled webhook too, and is in no log", async () => {
    const { receiver, id, secret } = await hooked();
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
