import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { randomBytes } from "node:crypto";
import { EventFeed } from "../../../src/events/feed.object.ts";
import { feedStub } from "../../../src/events/feed.rpc.ts";
import { WebhookObject } from "../../../src/events/webhooks/webhook.object.ts";
import { generateWebhookId } from "../../../src/events/webhooks/manage-webhooks.ts";
import { webhookStub } from "../../../src/events/webhooks/webhook.rpc.ts";
import { del, get, patch, post } from "../../support/client.ts";
import { stopClock } from "../../support/tasks.ts";

beforeAll(stopClock);
vi.spyOn(console, "warn").mockImplementation(() => {});
vi.spyOn(console, "error").mockImplementation(() => {});

/** A public IP address, so no name is resolved. No request is sent to it. */
const URL = "https://93.184.216.34/hook";

/** Makes a method fail until the test ends or `restore` is called. */
function failMethod(whose: object, method: string): { restore: () => void } {
  const whole: unknown = Reflect.get(whose, method);
  const restore = (): void => void Reflect.set(whose, method, whole);
  Reflect.set(whose, method, () => Promise.reject(new Error("Network connection lost.")));
  onTestFinished(restore);
  return { restore };
}

async function happens(): Promise<void> {
  const taskId = randomBytes(32).toString("hex");
  const at = new Date().toISOString();
  const event = { taskId, seq: 1, type: "created", at, agentId: null, teamId: null } as const;
  await feedStub(env.FEED).publish([{ ...event, data: {} }], true);
}

async function deliveriesOf(id: string) {
  const { data } = (await get(`/agents/webhooks/${id}/deliveries`)).body;
  return data.deliveries;
}

const described = async (description: string) => {
  const { webhooks } = (await get("/agents/webhooks")).body.data;
  return webhooks.filter((one: { description: string }) => one.description === description);
};

const BREAKS: readonly [string, object, string][] = [
  ["the feed", EventFeed.prototype, "refreshSubscribers"],
  ["the webhook's object", WebhookObject.prototype, "reloadSettings"],
];

describe.each(BREAKS)("a webhook whose row is written while %s is unreachable", (_, of, method) => {
  it("a request to create a webhook succeeds, and repeating it with the same Idempotency-Key creates no second webhook", async () => {
    const broken = failMethod(of, method);
    const description = `made-without-${method}`;
    const headers = { "Idempotency-Key": description };
    const first = await post("/agents/webhooks", { url: URL, description }, { headers });
    broken.restore();
    const second = await post("/agents/webhooks", { url: URL, description }, { headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.data).toEqual(first.body.data);
    expect(await described(description)).toHaveLength(1);
    await feedStub(env.FEED).refreshSubscribers();
    await happens();
    expect(await deliveriesOf(first.body.data.id)).toHaveLength(1);
  });

  it("a webhook can be changed and deleted, and its object retains no state", async () => {
    const { id } = (await post("/agents/webhooks", { url: URL })).body.data;
    failMethod(of, method);
    const changed = await patch(`/agents/webhooks/${id}`, { description: "Still here" });
    expect([changed.status, changed.body.data.description]).toEqual([200, "Still here"]);
    expect((await del(`/agents/webhooks/${id}`)).status).toBe(200);
    const stub = env.WEBHOOKS.get(env.WEBHOOKS.idFromName(id));
    expect(await runInDurableObject(stub, (_one, { storage }) => [...storage.kv.list()])).toEqual(
      [],
    );
  });
});

describe("an unfinished operation", () => {
  it("a webhook that could not be enabled does not receive the events before it is enabled", async () => {
    const { id } = (await post("/agents/webhooks", { url: URL })).body.data;
    await patch(`/agents/webhooks/${id}`, { enabled: false });
    await env.DB.exec(
      "CREATE TRIGGER no_update BEFORE UPDATE ON webhooks BEGIN SELECT RAISE(ABORT, 'away'); END",
    );
    const failed = await patch(`/agents/webhooks/${id}`, { enabled: true });
    await env.DB.exec("DROP TRIGGER no_update");
    expect(failed.status).toBeGreaterThanOrEqual(500);
    await happens();
    await patch(`/agents/webhooks/${id}`, { enabled: true });
    expect(await deliveriesOf(id)).toEqual([]);
    await happens();
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  it("the alarm of a webhook that was never registered deletes its state", async () => {
    const id = generateWebhookId();
    await webhookStub(env.WEBHOOKS, id).startAt(id, 0);
    const stub = env.WEBHOOKS.get(env.WEBHOOKS.idFromName(id));
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await runInDurableObject(stub, (_one, { storage }) => [...storage.kv.list()])).toEqual(
      [],
    );
  });
});

it("a webhook whose object was not notified that it is disabled still skips the events until it is enabled", async () => {
  const { id } = (await post("/agents/webhooks", { url: URL })).body.data;
  await happens();
  expect(await deliveriesOf(id)).toHaveLength(1);
  const broken = failMethod(WebhookObject.prototype, "reloadSettings");
  expect((await patch(`/agents/webhooks/${id}`, { enabled: false })).status).toBe(200);
  broken.restore();
  await happens();
  expect((await patch(`/agents/webhooks/${id}`, { enabled: true })).status).toBe(200);
  expect(await deliveriesOf(id)).toHaveLength(1);
  await happens();
  expect(await deliveriesOf(id)).toHaveLength(2);
});
