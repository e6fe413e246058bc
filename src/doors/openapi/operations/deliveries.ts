import { DELIVERY_LIST, REDELIVERY, TRIED_OUT, WHOLE_DELIVERY } from "../examples/webhook.ts";
import type { Operations } from "../operation.ts";
import { delivery, deliveryList, triedOut, wholeDelivery } from "../schemas/delivery.ts";

/** A webhook named in a path. */
export const id = { description: "The webhook's id.", example: "whk_90af5d0b8d5ed2b1" };
const deliveryId = {
  description: "The delivery's id, as the webhook's log shows it.",
  example: "dlv_1795300089608000",
};

/** What a webhook was sent, and sending it. */
export const deliveryOperations: Operations = {
  "POST /agents/webhooks/:id/test": {
    operationId: "testWebhook",
    tag: "Webhooks",
    summary: "Send a webhook a test message",
    description: `Sends one signed message of the type \`webhook.test\` with the data \`{"webhookId", "data": {}}\`, in the webhook's format and with its template, and returns the result. The message is neither retried nor logged. A disabled webhook can also be tested.`,
    parameters: { id },
    answers: [
      {
        status: 200,
        description: "What came of it, be it good or bad.",
        data: triedOut,
        example: TRIED_OUT,
      },
    ],
    codes: ["WEBHOOK_NOT_FOUND"],
  },
  "GET /agents/webhooks/:id/deliveries": {
    operationId: "listDeliveries",
    tag: "Webhooks",
    summary: "Read a webhook's delivery log",
    description:
      "A page of what the webhook was sent, or will be, newest first, with every attempt. Deliveries are kept for 30 days.",
    parameters: {
      id,
      status: { description: "Only deliveries that stand there.", example: "delivered" },
      limit: { description: "Deliveries on one page.", example: 20 },
      cursor: {
        description: "The `nextCursor` of the page before, as it is, with the same `status`.",
      },
    },
    answers: [
      {
        status: 200,
        description: "The page; empty where nothing matches.",
        data: deliveryList,
        example: DELIVERY_LIST,
      },
    ],
    codes: ["WEBHOOK_NOT_FOUND"],
  },
  "GET /agents/webhooks/:id/deliveries/:deliveryId": {
    operationId: "getDelivery",
    tag: "Webhooks",
    summary: "Read one delivery",
    description: "A delivery with its attempts and what is posted.",
    parameters: { id, deliveryId },
    answers: [
      { status: 200, description: "The delivery.", data: wholeDelivery, example: WHOLE_DELIVERY },
    ],
    codes: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND"],
  },
  "POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver": {
    operationId: "redeliver",
    tag: "Webhooks",
    summary: "Deliver an event again",
    description:
      "Begins a new round of ten attempts, the first at once, whether the delivery has failed, was delivered or is pending. The message has the same `webhook-id` as before.",
    parameters: { id, deliveryId },
    answers: [
      {
        status: 200,
        description: "The delivery, which is pending again.",
        data: delivery,
        example: REDELIVERY,
      },
    ],
    codes: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "WEBHOOK_DISABLED"],
  },
};
