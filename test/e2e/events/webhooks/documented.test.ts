import { beforeAll, describe, expect, it, vi } from "vitest";
import { webhookMessageSchema } from "../../../../src/events/webhooks/delivery-schemas.ts";
import { del, get, patch, post } from "../../../support/client.ts";
import { stopClock, taskIn } from "../../../support/tasks.ts";
import { expectSuccess } from "../../../interfaces/openapi/expect-success.ts";
import {
  deliveriesOf,
  publishEvents,
  createWebhookWithReceiver,
  createWebhook,
  newTaskId,
  Receiver,
  settle,
  wakeHook,
} from "./fixtures.ts";

beforeAll(stopClock);

describe("webhooks and the OpenAPI document", () => {
  it("the responses of webhook operations match the OpenAPI document, with and without optional fields", async () => {
    const { url } = new Receiver();
    const made = await post("/agents/webhooks", { url });
    expectSuccess(made);
    const filters = { types: ["completed"], agentId: "researcher", teamId: "insights" };
    expectSuccess(await post("/agents/webhooks", { url, ...filters, description: "All" }));
    const { id } = made.body.data;
    expectSuccess(await get(`/agents/webhooks/${id}`));
    expectSuccess(await get("/agents/webhooks?limit=1"));
    expectSuccess(await patch(`/agents/webhooks/${id}`, filters));
    expectSuccess(await patch(`/agents/webhooks/${id}`, { enabled: false }));
    expectSuccess(await get(`/agents/webhooks/${id}`));
    expectSuccess(await post(`/agents/webhooks/${id}/secret`));
    expectSuccess(await del(`/agents/webhooks/${id}`));
  });

  it("the delivery log and the messages of a webhook match the OpenAPI document", async () => {
    const { receiver, id } = await createWebhookWithReceiver();
    const taskId = await taskIn("failed", { deliverables: ["summary"] });
    const { events } = (await get(`/agents/tasks/${taskId}/events`)).body.data;
    // The feed receives the event shortly afterwards.
    await vi.waitUntil(async () => {
      await settle(id);
      return (await deliveriesOf(id, "?status=delivered")).length >= events.length;
    }, 10_000);
    const page = await get(`/agents/webhooks/${id}/deliveries?limit=100`);
    expectSuccess(page);
    expectSuccess(await get(`/agents/webhooks/${id}/deliveries?limit=1&status=delivered`));
    expect(page.body.data.deliveries.length).toBeGreaterThan(5);
    for (const delivery of page.body.data.deliveries) {
      const path = `/agents/webhooks/${id}/deliveries/${delivery.id}`;
      expectSuccess(await get(path));
    }
    for (const { body } of await receiver.seen(page.body.data.deliveries.length)) {
      expect(webhookMessageSchema.safeParse(JSON.parse(body)).error).toBeUndefined();
    }
    expectSuccess(await get(`/agents/webhooks/${id}`));
    const [{ id: last }] = page.body.data.deliveries;
    const again = `/agents/webhooks/${id}/deliveries/${last}/redeliver`;
    expectSuccess(await post(again));
  });

  it("webhook responses match the OpenAPI document even if the receiver fails or responds with 410 Gone", async () => {
    const { receiver, id } = await createWebhookWithReceiver({ status: 503, body: "No." });
    expectSuccess(await post(`/agents/webhooks/${id}/test`));
    await publishEvents(newTaskId(), ["cancelled"]);
    await wakeHook(id);
    expectSuccess(await get(`/agents/webhooks/${id}/deliveries`));
    expectSuccess(await get(`/agents/webhooks/${id}`));
    await receiver.answers({ status: 410 });
    const other = await createWebhook(receiver);
    await publishEvents(newTaskId(), ["cancelled"]);
    await wakeHook(other.id);
    const gone = await get(`/agents/webhooks/${other.id}`);
    expect(gone.body.data).toMatchObject({ enabled: false, disabled: { at: expect.any(String) } });
    expectSuccess(gone);
    expectSuccess(await get(`/agents/webhooks/${other.id}/deliveries`));
  });
});
