import { defineOperation, respond } from "../../http/operation.ts";
import {
  deliveryDetailSchema,
  deliveryListSchema,
  deliverySchema,
  listDeliveriesQuery,
  webhookTestSchema,
} from "./delivery-schemas.ts";
import * as schemas from "./schemas.ts";

const WEBHOOKS = { tag: "Webhooks", scope: "webhooks:manage" } as const;

export const webhookOperations = {
  /** GET /agents/webhooks */
  listWebhooks: defineOperation({
    ...WEBHOOKS,
    operationId: "listWebhooks",
    query: schemas.listWebhooksQuery,
    summary: "List webhooks",
    description: "A page of all webhooks, newest first, without their secrets.",
    responses: [respond(200, "The page.", schemas.webhookListSchema)],
  }),

  /** POST /agents/webhooks */
  createWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "createWebhook",
    body: schemas.createWebhookBody,
    summary: "Register a webhook",
    description: `From now on, the events of tasks are posted to your URL, one event per message, according to [Standard Webhooks](https://www.standardwebhooks.com): any of its libraries verifies them with the \`secret\` in the response, which is shown only once.

**A message** is \`{"type": "task.<type>", "timestamp", "data"}\`, where \`data\` is the event as in the feed. \`webhook-id\` is \`evt_<taskId>_<seq>_<at>\`, with \`at\` in milliseconds since 1970: the same for all attempts, so that you can detect duplicates. \`webhook-timestamp\` and \`webhook-signature\` are those of the attempt.

**Delivered** means that you responded with a 2xx status within 15 seconds. After any other result except 410, the service retries, up to ten attempts in total. The pauses are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 13 h, 17 h and 20 h, each up to 5% longer; your \`Retry-After\` can extend a pause to at most a day. Redirects are not followed. At most five messages are sent to one webhook at the same time. Messages may come more than once, and out of order after failures: use \`seq\`.

**Disabled webhooks.** The service disables a webhook if its receiver responds with 410, or if all attempts of a delivery have failed and no other delivery has succeeded since the first of them. \`disabled\` contains the reason. Enable the webhook again with PATCH.

**Formats.** \`slack\`, \`teams\` (Workflows, an Adaptive Card) and \`discord\` post the task's title and what happened. A \`template\` replaces the text. Every value in a template is escaped, so that a task's text cannot mention anyone, add a link or format the message. In \`standard\`, the filter \`json\` writes a value as JSON, and \`escape_slack\`, \`escape_teams\` and \`escape_discord\` also escape for these services. The filter \`raw\` and the tags \`cycle\`, \`include\`, \`render\` and \`layout\` are rejected. If a template fails, renders too much, or in \`standard\` does not render JSON, the attempt fails with the reason. The content type is always \`application/json\`, and messages of every format are signed.

There can be 100 webhooks in total and 20 per key; for the root key, only the total applies. A slow receiver does not delay the others.`,
    responses: [
      respond(201, "The webhook receives events from now on.", schemas.createdWebhookSchema, {
        headers: { Location: "The URL of the webhook." },
      }),
    ],
    errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
  }),

  /** GET /agents/webhooks/:id */
  getWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "getWebhook",
    summary: "Read a webhook",
    description: "A webhook, and the state of its deliveries.",
    responses: [respond(200, "The webhook.", schemas.webhookDetailSchema)],
  }),

  /** PATCH /agents/webhooks/:id */
  updateWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "updateWebhook",
    body: schemas.changeWebhookBody,
    summary: "Change a webhook",
    description: `Changes the fields in the body; at least one is required. Attempts that begin after the response use the new settings, also for earlier events.

\`"enabled": false\` fails the pending deliveries. After \`"enabled": true\`, only new events are delivered. The events in between are in the feed, and earlier deliveries can be repeated.`,
    responses: [respond(200, "The changed webhook.", schemas.webhookSchema)],
    errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
  }),

  /** DELETE /agents/webhooks/:id */
  deleteWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    description: "Deletes a webhook with its secret, its pending deliveries and its delivery log.",
    responses: [respond(200, "The webhook was deleted.", schemas.deletedWebhookSchema)],
  }),

  /** POST /agents/webhooks/:id/secret */
  rotateWebhookSecret: defineOperation({
    ...WEBHOOKS,
    operationId: "rotateWebhookSecret",
    body: schemas.rotateSecretBody,
    bodyIsOptional: true,
    summary: "Rotate a webhook's secret",
    description: `Creates a new secret, or uses the given one, and returns it only once. For 24 hours, messages are also signed with the previous secret: each message has two signatures, so the receiver can switch at any time. \`createdBy\` does not change. The body is optional.`,
    responses: [
      respond(
        200,
        "The new secret, which signs messages from now on.",
        schemas.rotatedSecretSchema,
      ),
    ],
    errorCodes: ["WEBHOOK_LIMIT_REACHED"],
  }),

  /** POST /agents/webhooks/:id/test */
  testWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "testWebhook",
    summary: "Send a test message to a webhook",
    description: `Sends one signed message of the type \`webhook.test\` with the data \`{"webhookId", "data": {}}\`, in the webhook's format and with its template, and returns the result. The message is neither retried nor logged. A disabled webhook can also be tested.`,
    responses: [respond(200, "The result of the attempt.", webhookTestSchema)],
  }),

  /** GET /agents/webhooks/:id/deliveries */
  listDeliveries: defineOperation({
    ...WEBHOOKS,
    operationId: "listDeliveries",
    query: listDeliveriesQuery,
    summary: "Read a webhook's delivery log",
    description:
      "A page of the webhook's deliveries, ended and pending, newest first, with their attempts. Deliveries are kept for 30 days.",
    responses: [respond(200, "The page; empty if nothing matches.", deliveryListSchema)],
  }),

  /** GET /agents/webhooks/:id/deliveries/:deliveryId */
  getDelivery: defineOperation({
    ...WEBHOOKS,
    operationId: "getDelivery",
    summary: "Read one delivery",
    description: "A delivery with its attempts and its message.",
    responses: [respond(200, "The delivery.", deliveryDetailSchema)],
  }),

  /** POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver */
  redeliver: defineOperation({
    ...WEBHOOKS,
    operationId: "redeliver",
    summary: "Deliver an event again",
    description:
      "Starts a new round of ten attempts, the first immediately, whether the delivery has failed, was delivered or is pending. The message has the same `webhook-id` as before.",
    responses: [respond(200, "The delivery, which is pending again.", deliverySchema)],
    errorCodes: ["WEBHOOK_DISABLED"],
  }),
};
