import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../../../support/client.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  publishEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  Receiver,
  settle,
  verified,
  type ReceivedRequest,
} from "./fixtures.ts";

beforeAll(stopClock);

const DAY_MS = 86_400_000;
const GIVEN = `whsec_${btoa("a-secret-that-a-client-has-chosen")}`;

/** Publishes an event and returns the message that the receiver gets. */
async function next(id: string, receiver: Receiver): Promise<ReceivedRequest> {
  await publishEvents(newTaskId(), ["completed"]);
  await settle(id);
  const arrived = (await receiver.seen()).at(-1);
  if (arrived === undefined) throw new Error("Nothing arrived");
  return arrived;
}

async function rotate(id: string, body?: { secret: string }) {
  const answer = await post(`/agents/webhooks/${id}/secret`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

describe("a webhook's secret", () => {
  it("a webhook's secret is 32 bytes long, shown once, and stored encrypted", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver();
    expect(atob(secret.replace("whsec_", ""))).toHaveLength(32);
    expect((await createWebhook(receiver)).secret).not.toBe(secret);
    const others = [
      await get(`/agents/webhooks/${id}`),
      await get("/agents/webhooks?limit=100"),
      await patch(`/agents/webhooks/${id}`, { description: "other" }),
      await post(`/agents/webhooks/${id}/test`),
      await get(`/agents/webhooks/${id}/deliveries`),
    ];
    for (const answer of others) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain("whsec_");
      expect(answer.text).not.toContain(secret.replace("whsec_", ""));
    }
    const row = await env.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(id).first();
    expect(JSON.stringify(row)).not.toContain(secret.replace("whsec_", ""));
  });

  it("a client can choose the secret of a webhook", async () => {
    const receiver = new Receiver();
    const { id, secret } = await createWebhook(receiver, { secret: GIVEN });
    expect(secret).toBe(GIVEN);
    expect(verified(await next(id, receiver), GIVEN).type).toBe("task.completed");
  });

  it("a message fails verification with another webhook's secret or with a changed body", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver();
    const other = await createWebhook(new Receiver());
    const arrived = await next(id, receiver);
    expect(() => verified(arrived, other.secret)).toThrow("No matching signature");
    const changed = { ...arrived, body: arrived.body.replace("completed", "failed") };
    expect(() => verified(changed, secret)).toThrow("No matching signature");
  });
});

describe("rotating a secret", () => {
  it("after a rotation, messages are signed with both secrets for a day, and then only with the new one", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver();
    const rotated = await rotate(id);
    expect(rotated).toEqual({
      id,
      secret: expect.stringMatching(/^whsec_/),
      previousValidUntil: new Date(Date.now() + DAY_MS).toISOString(),
    });
    const both = await next(id, receiver);
    expect(both.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    expect(verified(both, secret)).toEqual(verified(both, rotated.secret));
    passTime(DAY_MS - 1_000);
    expect(verified(await next(id, receiver), secret)).toMatchObject({ type: "task.completed" });
    passTime(1_000);
    const alone = await next(id, receiver);
    expect(alone.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    expect(verified(alone, rotated.secret)).toMatchObject({ type: "task.completed" });
    expect(() => verified(alone, secret)).toThrow("No matching signature");
  });

  it("concurrent rotations all take effect, including one to a secret chosen by the client", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver();
    const rotations = await Promise.all([rotate(id), rotate(id), rotate(id, { secret: GIVEN })]);
    const arrived = await next(id, receiver);
    for (const one of [secret, GIVEN, ...rotations.map((rotation) => rotation.secret)]) {
      expect(verified(arrived, one)).toMatchObject({ type: "task.completed" });
    }
    expect(arrived.headers["webhook-signature"]?.split(" ")).toHaveLength(4);
  });

  it("if a webhook's secret cannot be decrypted, its errors ask for a rotation, which repairs it", async () => {
    const { receiver, id } = await createWebhookWithReceiver();
    await env.DB.prepare("UPDATE webhooks SET sealed = 'e30..a.b.c' WHERE id = ?").bind(id).run();
    const tried = await post(`/agents/webhooks/${id}/test`);
    expect(tried.body.data).toMatchObject({
      delivered: false,
      attempt: { error: expect.stringContaining(`POST /agents/webhooks/${id}/secret`) },
    });
    const { secret } = await rotate(id);
    expect(verified(await next(id, receiver), secret)).toMatchObject({ type: "task.completed" });
  });
});
