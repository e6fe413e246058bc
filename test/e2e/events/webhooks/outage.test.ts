import { evictDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { messageIdOf } from "../../../../src/events/webhooks/message.ts";
import { HOUR_MS, MINUTE_MS, PAUSES_MS } from "../../../events/model/retry-pauses.ts";
import { patch } from "../../../support/client.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  deliveriesOf,
  publishEvents,
  receiveEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  objectOf,
  Receiver,
  settle,
  shown,
  advanceToNextAttempt,
  verified,
} from "./fixtures.ts";

beforeAll(stopClock);

/**
 * Returns a function that verifies the messages received since its previous call, using the clock
 * with which they were signed.
 */
function verifier(receiver: Receiver, secret: string) {
  let looked = 0;
  return async (): Promise<void> => {
    const arrived = await receiver.seen();
    for (const one of arrived.slice(looked)) verified(one, secret);
    looked = arrived.length;
  };
}

/** Asserts that the pauses between attempts are as documented, plus at most 5%. */
function expectSchedule(attempts: readonly { at: string }[]): void {
  const instants = attempts.map(({ at }) => Date.parse(at));
  instants.slice(1).forEach((at, index) => {
    const pauseMs = at - (instants[index] ?? 0);
    const promisedMs = PAUSES_MS[index] ?? 0;
    expect(pauseMs).toBeGreaterThanOrEqual(promisedMs);
    // The clock advances exactly to the earliest attempt that is due.
    expect(pauseMs).toBeLessThanOrEqual(promisedMs * 1.05 + 1);
  });
}

describe("a receiver that is down for hours", () => {
  it(
    "a receiver that was down gets each event exactly once, on the retry schedule, despite evictions",
    { timeout: 60_000 },
    async () => {
      const { receiver, id, secret } = await createWebhookWithReceiver({
        status: 503,
        body: "Down for maintenance",
      });
      const verify = verifier(receiver, secret);
      const downAt = Date.now();
      const names = new Set<string>();
      const more = async (count: number): Promise<void> => {
        const events = await publishEvents(newTaskId(), Array(count).fill("progressed"));
        for (const event of events) names.add(messageIdOf(event));
      };
      await more(3);
      await settle(id);
      await verify();
      // More events occur during the outage, and the object is evicted repeatedly.
      while (Date.now() < downAt + 3 * HOUR_MS) {
        if (names.size < 9) await more(2);
        await evictDurableObject(objectOf(id));
        expect(await advanceToNextAttempt(id)).toBe(true);
        await verify();
      }
      expect(await shown(id)).toMatchObject({
        enabled: true,
        deliveries: { pending: names.size, consecutiveFailures: expect.any(Number) },
      });
      const lost = await receiver.seen();
      await receiver.answers({ status: 200 });
      while (await advanceToNextAttempt(id)) await verify();
      const arrived = (await receiver.seen()).slice(lost.length);
      const delivered = arrived.map(({ headers }) => headers["webhook-id"]);
      expect(delivered).toHaveLength(names.size);
      expect(new Set(delivered)).toEqual(names);
      const log = await deliveriesOf(id, "?limit=100");
      expect(log).toHaveLength(names.size);
      for (const { status, attempts } of log) {
        expect(status).toBe("delivered");
        expectSchedule(attempts);
        expect(attempts.at(-1)).toMatchObject({ status: 200 });
        expect(attempts.slice(0, -1)).toEqual(
          attempts.slice(0, -1).map(() =>
            expect.objectContaining({
              status: 503,
              error: "The receiver responded with status 503.",
              answer: "Down for maintenance",
            }),
          ),
        );
      }
      expect(lost).toHaveLength(log.flatMap(({ attempts }) => attempts).length - names.size);
      expect((await shown(id)).deliveries).toMatchObject({ pending: 0, consecutiveFailures: 0 });
    },
  );

  it("a receiver that has moved gets the pending deliveries at its new address", async () => {
    const receiver = new Receiver();
    const hook = await createWebhook({ url: "http://127.0.0.1:1/" });
    await publishEvents(newTaskId(), ["created", "completed"]);
    await settle(hook.id);
    const [first] = await deliveriesOf(hook.id);
    expect(first).toMatchObject({
      status: "pending",
      attempts: [{ error: expect.stringContaining("cannot be reached") }],
    });
    expect((await patch(`/agents/webhooks/${hook.id}`, { url: receiver.url })).status).toBe(200);
    await advanceToNextAttempt(hook.id);
    while (await advanceToNextAttempt(hook.id));
    expect(await receiver.seen()).toHaveLength(2);
  });
});

describe("a receiver that stays down", () => {
  it("a receiver that stays down disables the webhook after ten attempts in about three days", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver({ status: 500, body: "Oops" });
    const verify = verifier(receiver, secret);
    const startedAt = Date.now();
    await publishEvents(newTaskId(), ["completed"]);
    await settle(id);
    await verify();
    // A lead of about seven hours exceeds all jitter, so the first delivery ends first.
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      await advanceToNextAttempt(id);
      await verify();
    }
    await publishEvents(newTaskId(), ["failed"]);
    while (await advanceToNextAttempt(id)) await verify();
    expect(Date.now() - startedAt).toBeLessThan(72 * HOUR_MS);
    const [later, first] = await deliveriesOf(id);
    expect(first.attempts).toHaveLength(10);
    expectSchedule(first.attempts);
    expect(first).toMatchObject({ status: "failed", reason: "All 10 attempts failed." });
    // When a webhook is disabled, its other pending deliveries fail.
    expect(later).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("The webhook was disabled"),
    });
    const { enabled, disabled, deliveries } = await shown(id);
    expect(enabled).toBe(false);
    expect(disabled.reason).toContain("All 10 attempts of a delivery failed");
    expect(disabled.reason).toContain("responded with status 500");
    expect(Date.parse(disabled.at)).toBe(Date.now());
    expect(deliveries.pending).toBe(0);
  });

  it("a failed delivery does not disable a webhook if another delivery succeeds in the meantime", async () => {
    const { receiver, id } = await receiveEvents(["completed"], { status: 500 });
    for (let attempt = 2; attempt <= 4; attempt += 1) await advanceToNextAttempt(id);
    // The receiver recovers briefly while no attempt of the first delivery is due.
    passTime(MINUTE_MS);
    await receiver.answers({ status: 200 });
    await publishEvents(newTaskId(), ["failed"]);
    await settle(id);
    await receiver.answers({ status: 500 });
    while (await advanceToNextAttempt(id));
    const [second, exhausted] = await deliveriesOf(id);
    expect(second.status).toBe("delivered");
    expect(exhausted).toMatchObject({ status: "failed", reason: "All 10 attempts failed." });
    const { enabled, deliveries } = await shown(id);
    expect(enabled).toBe(true);
    // These are the failures since the success. Four others came before it.
    expect(deliveries.consecutiveFailures).toBe(6);
  });
});
