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
    description: "Returns one page of webhooks, newest first, without their secrets.",
    responses: [respond(200, "A page of webhooks.", schemas.webhookListSchema)],
  }),

  /** POST /agents/webhooks */
  createWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "createWebhook",
    body: schemas.createWebhookBody,
    summary: "Register a webhook",
    description: `Registers a webhook. From then on, task events are posted to your URL, one event per message, as defined by [Standard Webhooks](https://www.standardwebhooks.com). Any Standard Webhooks library can verify them with the \`secret\` in the response, which is shown only once.

**A message** is \`{"type": "task.<type>", "timestamp", "data"}\`, where \`data\` is the event as it appears in the feed. \`webhook-id\` is \`evt_<taskId>_<seq>_<at>\`, with \`at\` in milliseconds since 1970. It is the same for all attempts, so you can detect duplicates. \`webhook-timestamp\` and \`webhook-signature\` are different for each attempt.

**Delivered** means that you responded with a 2xx status within 15 seconds. After any other result except 410, the service retries, with up to ten attempts in total. The pauses are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 13 h, 17 h and 20 h, each extended by up to 5% at random; your \`Retry-After\` can extend a pause to at most a day. Redirects are not followed. At most five messages are sent to one webhook at the same time. Messages may arrive more than once and, after failures, out of order; use \`seq\` to restore the order.

**Disabled webhooks.** The service disables a webhook if its receiver responds with 410, or if all attempts of a delivery have failed and no other delivery has succeeded since the first attempt. \`disabled\` contains the reason. Enable the webhook again with PATCH.

**Formats.** \`slack\`, \`teams\` (an Adaptive Card for Workflows) and \`discord\` post the task's title and what happened. A \`template\` replaces this text. Every value in a template is escaped, so a task's text cannot mention anyone, add a link or format the message. In \`standard\`, the filter \`json\` outputs a value as JSON, and \`escape_slack\`, \`escape_teams\` and \`escape_discord\` also escape values for these services. The filter \`raw\` and the tags \`cycle\`, \`include\`, \`render\` and \`layout\` are rejected. If a template fails, its output is too long, or its output is not JSON in \`standard\`, the attempt fails and its \`error\` states the reason. The content type is always \`application/json\`, and messages are signed in every format.

At most 100 webhooks can exist in total, and 20 per key; only the total limit applies to the root key. A slow receiver does not delay the others.`,
    responses: [
      respond(
        201,
        "The webhook was created and receives events from now on.",
        schemas.createdWebhookSchema,
        {
          headers: { Location: "The URL of the webhook." },
        },
      ),
    ],
    errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
  }),

  /** GET /agents/webhooks/:id */
  getWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "getWebhook",
    summary: "Read a webhook",
    description: "Returns a webhook and the state of its deliveries.",
    responses: [respond(200, "The webhook.", schemas.webhookDetailSchema)],
  }),

  /** PATCH /agents/webhooks/:id */
  updateWebhook: defineOperation({
    ...WEBHOOKS,
    operationId: "updateWebhook",
    body: schemas.changeWebhookBody,
    summary: "Change a webhook",
    description: `Replaces the fields in the request; at least one is required. Attempts that start after the response use the new settings, even for earlier events.

\`"enabled": false\` fails the pending deliveries. After \`"enabled": true\`, only new events are delivered. You can read the events in between from the feed, and repeat earlier deliveries.`,
    responses: [respond(200, "The updated webhook.", schemas.webhookSchema)],
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
    description: `Creates a new secret, or uses the one in the request, and returns it only once. For 24 hours, messages are also signed with the previous secret. Each message then has at least two signatures, so the receiver can switch at any time. \`createdBy\` does not change. The body is optional.`,
    responses: [
      respond(
        200,
        "The new secret, which is used to sign messages from now on.",
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
    description: `Sends one signed message with type \`webhook.test\` and data \`{"webhookId", "data": {}}\`, in the webhook's format and with its template, and returns the result. The message is neither retried nor logged. You can also test a disabled webhook.`,
    responses: [respond(200, "The result of the attempt.", webhookTestSchema)],
  }),

  /** GET /agents/webhooks/:id/deliveries */
  listDeliveries: defineOperation({
    ...WEBHOOKS,
    operationId: "listDeliveries",
    query: listDeliveriesQuery,
    summary: "Read a webhook's delivery log",
    description:
      "Returns one page of the webhook's deliveries, pending and ended, newest first, with their attempts. A delivery is kept for 30 days after it ends.",
    responses: [
      respond(200, "A page of deliveries; empty if nothing matches.", deliveryListSchema),
    ],
  }),

  /** GET /agents/webhooks/:id/deliveries/:deliveryId */
  getDelivery: defineOperation({
    ...WEBHOOKS,
    operationId: "getDelivery",
    summary: "Read one delivery",
    description: "Returns a delivery with its attempts and its message.",
    responses: [respond(200, "The delivery.", deliveryDetailSchema)],
  }),

  /** POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver */
  redeliver: defineOperation({
    ...WEBHOOKS,
    operationId: "redeliver",
    summary: "Deliver an event again",
    description:
      "Starts a new round of up to ten attempts, the first one immediately, whether the delivery is pending, delivered or failed. The message has the same `webhook-id` as before.",
    responses: [respond(200, "The delivery, which is pending again.", deliverySchema)],
    errorCodes: ["WEBHOOK_DISABLED"],
  }),
};
