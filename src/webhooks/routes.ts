import type { Hono } from "hono";
import { database } from "../db/client.ts";
import { isSuccess } from "../domain/delivery.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import { fail, ok } from "../domain/result.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { endpoint, resource } from "../http/endpoint.ts";
import { param } from "../http/named.ts";
import { readDeliveryCursor, writeDeliveryCursor } from "./cursor.ts";
import { webhookOf } from "./port.ts";
import { changeWebhook, createWebhook, findStandard, removeWebhook, unknown } from "./register.ts";
import { rotateSecret } from "./rotate.ts";
import { listWebhooks } from "./store.ts";
import { tryOut } from "./try-out.ts";
import {
  attemptView,
  deliveryNumberOf,
  deliveryView,
  standingView,
  webhookView,
  wholeDeliveryView,
} from "./view.ts";
import {
  changeWebhookBody,
  createWebhookBody,
  deliveriesQuery,
  listWebhooksQuery,
  rotateBody,
} from "./wire.ts";

const scope = "webhooks:manage";

export function webhookRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/webhooks", { GET: list, POST: create });
  resource(app, "/agents/webhooks/:id", { GET: detail, PATCH: change, DELETE: remove });
  resource(app, "/agents/webhooks/:id/secret", { POST: rotate });
  resource(app, "/agents/webhooks/:id/test", { POST: test });
  resource(app, "/agents/webhooks/:id/deliveries", { GET: deliveries });
  resource(app, "/agents/webhooks/:id/deliveries/:deliveryId", { GET: delivery });
  resource(app, "/agents/webhooks/:id/deliveries/:deliveryId/redeliver", { POST: redeliver });
}

const list = endpoint({ scope, query: listWebhooksQuery }, async (c, { query }) => {
  const { limit, offset } = query;
  const page = await listWebhooks(database(c.env.DB), "standard", { limit, offset });
  const webhooks = page.webhooks.map(webhookView);
  return ok({ data: { webhooks, total: page.total, limit, offset } });
});

const create = endpoint({ scope, body: createWebhookBody }, async (c, { body }) => {
  const created = await createWebhook(c.env, body, c.get("key").id);
  if (!created.ok) return created;
  const { webhook, secret } = created.value;
  const headers = { Location: new URL(`/agents/webhooks/${webhook.id}`, c.req.url).href };
  return ok({ data: { ...webhookView(webhook), secret }, status: 201 as const, headers });
});

const detail = endpoint({ scope }, async (c) => {
  const webhook = await findStandard(c.env, param(c, "id"));
  if (!webhook.ok) return webhook;
  const standing = await objectOf(c).standing();
  return ok({ data: { ...webhookView(webhook.value), ...standingView(standing) } });
});

const change = endpoint({ scope, body: changeWebhookBody }, async (c, { body }) => {
  const changed = await changeWebhook(c.env, param(c, "id"), body, c.get("key").id);
  return changed.ok ? ok({ data: webhookView(changed.value) }) : changed;
});

const remove = endpoint({ scope }, async (c) => {
  const id = param(c, "id");
  const removed = await removeWebhook(c.env, "standard", id);
  return removed ? ok({ data: { id, deleted: true } }) : fail(unknown(id));
});

const rotate = endpoint({ scope, body: rotateBody, emptyBody: {} }, async (c, { body }) => {
  const id = param(c, "id");
  const secrets = await rotateSecret(c.env, id, body.secret);
  if (!secrets.ok) return secrets;
  const [present, previous] = secrets.value;
  const until = previous?.until ?? null;
  return ok({
    data: {
      id,
      secret: present?.secret,
      ...(until === null ? {} : { previousValidUntil: new Date(until).toISOString() }),
    },
  });
});

const test = endpoint({ scope }, async (c) => {
  const webhook = await findStandard(c.env, param(c, "id"));
  if (!webhook.ok) return webhook;
  const outcome = await tryOut(c.env, webhook.value);
  return ok({ data: { delivered: isSuccess(outcome), attempt: attemptView(outcome) } });
});

const deliveries = endpoint({ scope, query: deliveriesQuery }, async (c, { query }) => {
  const webhook = await findStandard(c.env, param(c, "id"));
  if (!webhook.ok) return webhook;
  const { status = null, limit, cursor } = query;
  const of = { webhookId: webhook.value.id, status };
  const below = cursor === undefined ? Infinity : readDeliveryCursor(c.env.SIGNING_KEY, of, cursor);
  if (below === null) {
    return fail(invalid("cursor", "must be a nextCursor of this list with the same status"));
  }
  const lines = await objectOf(c).deliveries(status, below, limit + 1);
  const page = lines.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    lines.length > limit && last !== undefined
      ? writeDeliveryCursor(c.env.SIGNING_KEY, of, last.id)
      : null;
  return ok({ data: { deliveries: page.map(deliveryView), limit, nextCursor } });
});

const delivery = endpoint({ scope }, async (c) => {
  const webhook = await findStandard(c.env, param(c, "id"));
  if (!webhook.ok) return webhook;
  const number = deliveryNumberOf(param(c, "deliveryId"));
  const found = number === null ? null : await objectOf(c).delivery(number);
  return found === null
    ? fail(unknownDelivery(c))
    : ok({ data: await wholeDeliveryView(webhook.value, found) });
});

const redeliver = endpoint({ scope }, async (c) => {
  const webhook = await findStandard(c.env, param(c, "id"));
  if (!webhook.ok) return webhook;
  const number = deliveryNumberOf(param(c, "deliveryId"));
  const found = number === null ? null : await objectOf(c).delivery(number);
  if (found === null) return fail(unknownDelivery(c));
  if (!webhook.value.enabled) {
    return fail<Failure>({ kind: "webhook_disabled", webhookId: webhook.value.id });
  }
  const again = await objectOf(c).redeliver(found.id);
  return again === null ? fail(unknownDelivery(c)) : ok({ data: deliveryView(again) });
});

function objectOf(c: AppContext) {
  return webhookOf(c.env.WEBHOOKS, param(c, "id"));
}

function unknownDelivery(c: AppContext): Failure {
  return { kind: "not_found", what: "delivery", id: param(c, "deliveryId") };
}
