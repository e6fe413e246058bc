import { beforeAll, describe, expect, it } from "vitest";
import { passTime, stopClock } from "../../../support/tasks.ts";
import { originOf } from "../../../support/server-tools.ts";
import {
  deliveriesOf,
  publishEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  nextAttemptAt,
  Receiver,
  settle,
  shown,
  wakeHook,
  type ResponseMode,
} from "./fixtures.ts";

beforeAll(stopClock);

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Publishes an event to a webhook whose receiver responds in this way, and returns the delivery.
 */
async function deliver(manner: ResponseMode) {
  const { receiver, id } = await createWebhookWithReceiver(manner);
  await publishEvents(newTaskId(), ["completed"]);
  await wakeHook(id);
  const [delivery] = await deliveriesOf(id);
  return { id, receiver, delivery };
}

describe("a response", () => {
  it.each([200, 201, 202, 204, 299])(
    "a response with status %i counts as a success",
    async (status) => {
      const { delivery } = await deliver({ status, ...(status === 204 ? {} : { body: "thanks" }) });
      expect(delivery).toMatchObject({ status: "delivered", attempts: [{ status }] });
      expect(delivery.attempts[0].answer).toBe(status === 204 ? undefined : "thanks");
      expect(delivery).not.toHaveProperty("nextAttemptAt");
    },
  );

  it.each([400, 401, 404, 429, 500, 503, 599])(
    "a response with status %i counts as a failure",
    async (status) => {
      const { delivery } = await deliver({ status, body: "no" });
      const error = `The receiver responded with status ${status}.`;
      expect(delivery).toMatchObject({
        status: "pending",
        attempts: [{ status, error, answer: "no" }],
      });
    },
  );

  it.each([301, 302, 303, 307, 308])(
    "a redirect with status %i counts as a failure and is not followed",
    async (status) => {
      const other = new Receiver();
      const { delivery } = await deliver({ status, headers: { Location: other.url } });
      expect(delivery.status).toBe("pending");
      expect(delivery.attempts).toMatchObject([
        { status, error: expect.stringContaining("a redirect") },
      ]);
      expect(await other.seen()).toEqual([]);
    },
  );

  it("the delivery log keeps the beginning of a long response", async () => {
    const { delivery } = await deliver({
      status: 500,
      body: `\u0000\u001b[31m${"é".repeat(100_000)}`,
    });
    const { answer } = delivery.attempts[0];
    expect(answer.length).toBeLessThanOrEqual(400);
    expect(answer).toMatch(/^\[31mé+…$/);
  });

  it("a response whose body never ends is judged by its status", async () => {
    const { id } = await createWebhook({ url: `${originOf("hostile")}/drip?everyMs=5` });
    await publishEvents(newTaskId(), ["completed"]);
    await wakeHook(id);
    expect((await deliveriesOf(id))[0]).toMatchObject({ status: "delivered" });
  });

  it.each(["reset", "garbage", "truncated", "bomb", "status?code=999"])(
    "a receiver that misbehaves (%s) gets one attempt, and its webhook stays enabled",
    async (path) => {
      const { id } = await createWebhook({ url: `${originOf("hostile")}/${path}` });
      await publishEvents(newTaskId(), ["completed"]);
      await wakeHook(id);
      const [{ attempts }] = await deliveriesOf(id);
      expect(attempts).toHaveLength(1);
      expect((await shown(id)).enabled).toBe(true);
    },
  );
});

describe("410 Gone", () => {
  it("a 410 response disables the webhook, ends pending deliveries, and is shown as the reason", async () => {
    const { id, receiver, delivery } = await deliver({ status: 410 });
    expect(delivery).toMatchObject({ status: "failed", reason: "The receiver is gone (410)." });
    expect(await shown(id)).toMatchObject({
      enabled: false,
      disabled: { reason: "The receiver responded with 410 Gone.", at: new Date().toISOString() },
      deliveries: { pending: 0 },
    });
    await publishEvents(newTaskId(), ["completed"]);
    await wakeHook(id);
    expect(await receiver.seen()).toHaveLength(1);
    expect(await deliveriesOf(id)).toHaveLength(1);
  });
});

describe("Retry-After", () => {
  it.each([429, 503, 500])(
    "a Retry-After header in seconds delays the next attempt after a response with status %i",
    async (status) => {
      const { id, receiver } = await deliver({ status, headers: { "Retry-After": "3600" } });
      expect(await nextAttemptAt(id)).toBe(Date.now() + HOUR_MS);
      passTime(HOUR_MS - 1);
      await wakeHook(id);
      expect(await receiver.seen()).toHaveLength(1);
      await receiver.answers({ status: 200 });
      passTime(1);
      await settle(id);
      expect(await receiver.seen()).toHaveLength(2);
      expect((await deliveriesOf(id))[0].status).toBe("delivered");
    },
  );

  it("a Retry-After header with a date delays the next attempt until then", async () => {
    const at = new Date(Date.now() + 2 * HOUR_MS);
    const { id } = await deliver({ status: 503, headers: { "Retry-After": at.toUTCString() } });
    const next = (await nextAttemptAt(id)) ?? 0;
    expect(Math.abs(next - at.getTime())).toBeLessThanOrEqual(SECOND_MS);
  });

  it.each(["0", "-5", "soon", "1.5", "Thu, 01 Jan 1970 00:00:00 GMT"])(
    "a Retry-After header of %s does not bring the next attempt forward",
    async (value) => {
      const { id } = await deliver({ status: 503, headers: { "Retry-After": value } });
      const pauseMs = ((await nextAttemptAt(id)) ?? 0) - Date.now();
      expect(pauseMs).toBeGreaterThanOrEqual(5 * SECOND_MS);
      expect(pauseMs).toBeLessThanOrEqual(5.25 * SECOND_MS + 1);
    },
  );

  it("a Retry-After header delays the next attempt by at most a day", async () => {
    const { id } = await deliver({ status: 503, headers: { "Retry-After": "999999999" } });
    expect(await nextAttemptAt(id)).toBe(Date.now() + 24 * HOUR_MS);
  });
});

describe("a receiver that hangs", () => {
  it(
    "a receiver that hangs times out after 15 seconds and does not delay other receivers",
    { timeout: 40_000 },
    async () => {
      const slow = new Receiver();
      const quick = new Receiver();
      await slow.answers({ hangs: true });
      const [slowHook, quickHook] = [await createWebhook(slow), await createWebhook(quick)];
      await publishEvents(newTaskId(), ["created"]);
      const hanging = wakeHook(slowHook.id);
      await slow.seen(1);
      // While this receiver hangs, the other one must still get all events for its webhook.
      for (let more = 2; more <= 4; more += 1) {
        await publishEvents(newTaskId(), ["completed"]);
        await settle(quickHook.id);
        expect(await quick.seen()).toHaveLength(more);
      }
      expect(await slow.seen()).toHaveLength(1);
      expect(await deliveriesOf(slowHook.id, "?status=pending")).toHaveLength(4);
      await hanging;
      const [first] = (await deliveriesOf(slowHook.id)).toReversed();
      expect(first.attempts).toMatchObject([
        { error: "The receiver did not respond within 15 seconds." },
      ]);
      await slow.answers({ status: 200 });
      await slow.release();
      passTime(6 * SECOND_MS);
      await settle(slowHook.id);
      expect(await deliveriesOf(slowHook.id, "?status=delivered")).toHaveLength(4);
    },
  );
});
