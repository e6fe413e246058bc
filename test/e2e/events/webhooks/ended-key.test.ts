import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { patch, post } from "../../../support/client.ts";
import { keyId, keyWith } from "../../../support/keys.ts";
import { passTime, stopClock } from "../../../support/tasks.ts";
import {
  deliveriesOf,
  publishEvents,
  newTaskId,
  Receiver,
  settle,
  shown,
  advanceToNextAttempt,
  wakeHook,
} from "./fixtures.ts";

beforeAll(stopClock);

/** Creates a receiver, and a webhook for it with this key. */
async function hookBy(key: string) {
  const receiver = new Receiver();
  const answer = await post("/agents/webhooks", { url: receiver.url }, { key });
  if (answer.status !== 201) throw new Error(`The webhook was not created: ${answer.text}`);
  return { receiver, id: answer.body.data.id };
}

describe("a webhook with a revoked or expired key", () => {
  it("a webhook with a revoked key makes no more attempts, even if it was not notified of the revocation", async () => {
    const key = await keyWith(["webhooks:manage"]);
    const { receiver, id } = await hookBy(key);
    await receiver.answers({ status: 500 });
    await publishEvents(newTaskId(), ["created"]);
    await settle(id);
    expect(await receiver.seen()).toHaveLength(1);
    await env.DB.prepare("UPDATE keys SET revoked_at = ? WHERE id = ?")
      .bind(Date.now(), keyId(key))
      .run();
    await advanceToNextAttempt(id);
    expect(await receiver.seen()).toHaveLength(1);
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ status: "failed" });
    expect(delivery.reason).toContain(`The key ${keyId(key)}, which owns the webhook, was revoked`);
  });

  it("a webhook delivers events until its key expires, and none after that", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { receiver, id } = await hookBy(await keyWith(["webhooks:manage"], { expiresAt }));
    passTime(59_999);
    await publishEvents(newTaskId(), ["created"]);
    await settle(id);
    passTime(1);
    await publishEvents(newTaskId(), ["created"]);
    await wakeHook(id);
    expect(await receiver.seen()).toHaveLength(1);
    expect(await shown(id)).toMatchObject({ enabled: false, deliveries: { pending: 0 } });
  });

  it("a webhook that is re-enabled with another key delivers only later events", async () => {
    const { receiver, id } = await hookBy(
      await keyWith(["webhooks:manage"], {
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      }),
    );
    passTime(60_000);
    await publishEvents(newTaskId(), ["created"]);
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    await publishEvents(newTaskId(), ["failed"]);
    await settle(id);
    const types = (await receiver.seen()).map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual(["task.failed"]);
  });
});
