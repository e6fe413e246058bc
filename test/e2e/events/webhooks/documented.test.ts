import { beforeAll, describe, expect, it, vi } from "vitest";
import { webhookMessageSchema } from "../../../../src/interfaces/openapi/schemas/webhook.ts";
import { del, get, patch, post } from "../../../support/client.ts";
import { stopClock, taskIn } from "../../../support/tasks.ts";
import { expectDocumented } from "../../../interfaces/openapi/expect-documented-task.ts";
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

const ONE = "/agents/webhooks/:id";

describe("a webhook is told as the document says", () => {
  it("when it is registered, with everything and with nothing", async () => {
    const { url } = new Receiver();
    const name = "POST /agents/webhooks";
    const made = await post("/agents/webhooks", { url });
    expectDocumented(name, made);
    const filters = { types: ["completed"], agentId: "researcher", teamId: "insights" };
    expectDocumented(name, await post("/agents/webhooks", { url, ...filters, description: "All" }));
    const { id } = made.body.data;
    expectDocumented(`GET ${ONE}`, await get(`/agents/webhooks/${id}`));
    expectDocumented("GET /agents/webhooks", await get("/agents/webhooks?limit=1"));
    expectDocumented(`PATCH ${ONE}`, await patch(`/agents/webhooks/${id}`, filters));
    expectDocumented(`PATCH ${ONE}`, await patch(`/agents/webhooks/${id}`, { enabled: false }));
    expectDocumented(`GET ${ONE}`, await get(`/agents/webhooks/${id}`));
    const rotation = `POST ${ONE}/secret`;
    expectDocumented(rotation, await post(`/agents/webhooks/${id}/secret`));
    expectDocumented(`DELETE ${ONE}`, await del(`/agents/webhooks/${id}`));
  });

  it("with all that was delivered to it, and the messages themselves", async () => {
    const { receiver, id } = await createWebhookWithReceiver();
    const taskId = await taskIn("failed", { deliverables: ["summary"] });
    const { events } = (await get(`/agents/tasks/${taskId}/events`)).body.data;
    // The feed hears of a task a moment later.
    await vi.waitUntil(async () => {
      await settle(id);
      return (await deliveriesOf(id, "?status=delivered")).length >= events.length;
    }, 10_000);
    const list = `GET ${ONE}/deliveries`;
    const page = await get(`/agents/webhooks/${id}/deliveries?limit=100`);
    expectDocumented(list, page);
    expectDocumented(list, await get(`/agents/webhooks/${id}/deliveries?limit=1&status=delivered`));
    expect(page.body.data.deliveries.length).toBeGreaterThan(5);
    for (const delivery of page.body.data.deliveries) {
      const path = `/agents/webhooks/${id}/deliveries/${delivery.id}`;
      // oxlint-disable-next-line no-await-in-loop -- a few, one after the other
      expectDocumented(`${list}/:deliveryId`, await get(path));
    }
    for (const { body } of await receiver.seen(page.body.data.deliveries.length)) {
      expect(webhookMessageSchema.safeParse(JSON.parse(body)).error).toBeUndefined();
    }
    expectDocumented(`GET ${ONE}`, await get(`/agents/webhooks/${id}`));
    const [{ id: last }] = page.body.data.deliveries;
    const again = `/agents/webhooks/${id}/deliveries/${last}/redeliver`;
    expectDocumented(`POST ${ONE}/deliveries/:deliveryId/redeliver`, await post(again));
  });

  it("when its receiver fails, and when it says that it is gone", async () => {
    const { receiver, id } = await createWebhookWithReceiver({ status: 503, body: "No." });
    const test = `POST ${ONE}/test`;
    expectDocumented(test, await post(`/agents/webhooks/${id}/test`));
    await publishEvents(newTaskId(), ["cancelled"]);
    await wakeHook(id);
    const list = `GET ${ONE}/deliveries`;
    expectDocumented(list, await get(`/agents/webhooks/${id}/deliveries`));
    expectDocumented(`GET ${ONE}`, await get(`/agents/webhooks/${id}`));
    await receiver.answers({ status: 410 });
    const other = await createWebhook(receiver);
    await publishEvents(newTaskId(), ["cancelled"]);
    await wakeHook(other.id);
    const gone = await get(`/agents/webhooks/${other.id}`);
    expect(gone.body.data).toMatchObject({ enabled: false, disabled: { at: expect.any(String) } });
    expectDocumented(`GET ${ONE}`, gone);
    expectDocumented(list, await get(`/agents/webhooks/${other.id}/deliveries`));
  });
});
