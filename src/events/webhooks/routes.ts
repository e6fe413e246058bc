import { Hono } from "hono";
import { webhookOperations } from "./operations.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { isSuccessfulAttempt } from "../model/delivery.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok } from "../../kernel/result.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { type AppContext, type AppEnv, readPathParam } from "../../http/envelope.ts";
import { decodeNumberCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";
import {
  attemptView,
  deliveryDetailView,
  deliveryView,
  parseDeliveryId,
  webhookStatsView,
  webhookView,
} from "./view.ts";
import { actorOf } from "../../governance/audit/actor.ts";
import { webhookStub } from "./webhook.rpc.ts";
import {
  changeWebhook,
  createWebhook,
  findClientWebhook,
  rotateWebhookSecret,
  webhookNotFound,
} from "./manage-webhooks.ts";
import { removeWebhook } from "./remove-webhook.ts";
import { listWebhooks } from "./webhooks.store.ts";
import { sendTestMessage } from "./sender.ts";

const list = defineEndpoint(webhookOperations.listWebhooks, async (c, { query }) => {
  const { webhooks, total } = await listWebhooks(getDatabase(c.env.DB), query);
  return ok({ data: { webhooks: webhooks.map(webhookView), total, ...query } });
});

const create = defineEndpoint(webhookOperations.createWebhook, async (c, { body }) => {
  const created = await createWebhook(c.env, body, actorOf(c));
  if (!created.ok) return created;
  const { webhook, secret } = created.value;
  const headers = { Location: new URL(`/agents/webhooks/${webhook.id}`, c.req.url).href };
  return ok({ data: { ...webhookView(webhook), secret }, status: 201 as const, headers });
});

const detail = defineEndpoint(webhookOperations.getWebhook, async (c) => {
  const webhook = await findClientWebhook(c.env, readPathParam(c, "id"));
  if (!webhook.ok) return webhook;
  const stats = await stubOf(c).readStats();
  return ok({ data: { ...webhookView(webhook.value), ...webhookStatsView(stats) } });
});

const change = defineEndpoint(webhookOperations.updateWebhook, async (c, { body }) => {
  const changed = await changeWebhook(c.env, readPathParam(c, "id"), body, actorOf(c));
  return changed.ok ? ok({ data: webhookView(changed.value) }) : changed;
});

const remove = defineEndpoint(webhookOperations.deleteWebhook, async (c) => {
  const id = readPathParam(c, "id");
  const removed = await removeWebhook(c.env, id, actorOf(c));
  return removed ? ok({ data: { id, deleted: true } }) : fail(webhookNotFound(id));
});

const rotate = defineEndpoint(webhookOperations.rotateWebhookSecret, async (c, { body }) => {
  const id = readPathParam(c, "id");
  const secrets = await rotateWebhookSecret(c.env, id, body.secret, actorOf(c));
  if (!secrets.ok) return secrets;
  const [{ secret }, previous] = secrets.value;
  const previousValidUntil = toIsoTime(previous?.until ?? null) ?? undefined;
  return ok({ data: { id, secret, previousValidUntil } });
});

const test = defineEndpoint(webhookOperations.testWebhook, async (c) => {
  const webhook = await findClientWebhook(c.env, readPathParam(c, "id"));
  if (!webhook.ok) return webhook;
  const outcome = await sendTestMessage(c.env, webhook.value);
  return ok({ data: { delivered: isSuccessfulAttempt(outcome), attempt: attemptView(outcome) } });
});

const deliveries = defineEndpoint(webhookOperations.listDeliveries, async (c, { query }) => {
  const webhook = await findClientWebhook(c.env, readPathParam(c, "id"));
  if (!webhook.ok) return webhook;
  const { status = null, limit, cursor } = query;
  const listing: CursorScope = { use: "deliveries", filter: [webhook.value.id, status ?? ""] };
  const below =
    cursor === undefined ? Infinity : decodeNumberCursor(c.env.SIGNING_KEY, listing, cursor);
  if (below === null) {
    const message = "must be a nextCursor from a request with the same webhook and status";
    return fail(createFieldFailure("cursor", message));
  }
  const entries = await stubOf(c).listDeliveries(status, below, limit + 1);
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    entries.length > limit && last !== undefined
      ? encodeCursor(c.env.SIGNING_KEY, listing, String(last.id))
      : null;
  return ok({ data: { deliveries: page.map(deliveryView), limit, nextCursor } });
});

const delivery = defineEndpoint(webhookOperations.getDelivery, async (c) => {
  const found = await findDelivery(c);
  if (!found.ok) return found;
  const { webhook, delivery: one } = found.value;
  return ok({ data: await deliveryDetailView(webhook, one) });
});

const redeliver = defineEndpoint(webhookOperations.redeliver, async (c) => {
  const found = await findDelivery(c);
  if (!found.ok) return found;
  const { webhook, delivery: one } = found.value;
  if (!webhook.enabled) return fail<Failure>({ kind: "webhook_disabled", webhookId: webhook.id });
  const again = await stubOf(c).redeliver(one.id);
  return again === null ? fail(deliveryNotFound(c)) : ok({ data: deliveryView(again) });
});

async function findDelivery(c: AppContext) {
  const webhook = await findClientWebhook(c.env, readPathParam(c, "id"));
  if (!webhook.ok) return webhook;
  const number = parseDeliveryId(readPathParam(c, "deliveryId"));
  const found = number === null ? null : await stubOf(c).findDelivery(number);
  return found === null
    ? fail(deliveryNotFound(c))
    : ok({ webhook: webhook.value, delivery: found });
}

function stubOf(c: AppContext) {
  return webhookStub(c.env.WEBHOOKS, readPathParam(c, "id"));
}

function deliveryNotFound(c: AppContext): Failure {
  return { kind: "not_found", what: "delivery", id: readPathParam(c, "deliveryId") };
}

export const webhookRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/webhooks", ...list)
    .post("/agents/webhooks", ...create)
    .get("/agents/webhooks/:id", ...detail)
    .patch("/agents/webhooks/:id", ...change)
    .delete("/agents/webhooks/:id", ...remove)
    .post("/agents/webhooks/:id/secret", ...rotate)
    .post("/agents/webhooks/:id/test", ...test)
    .get("/agents/webhooks/:id/deliveries", ...deliveries)
    .get("/agents/webhooks/:id/deliveries/:deliveryId", ...delivery)
    .post("/agents/webhooks/:id/deliveries/:deliveryId/redeliver", ...redeliver),
);
