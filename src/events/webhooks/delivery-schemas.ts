import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { cursorText, pageQueryOf } from "../../http/validation.ts";
import { eventTypeSchema, feedEventSchema } from "../event-schemas.ts";
import { taskIdSchema } from "../../tasks/api/task-schemas.ts";
import { DELIVERY_STATUSES } from "../model/delivery.ts";

/** Query parameters of GET /agents/webhooks/:id/deliveries. */
export const listDeliveriesQuery = z.object({
  status: z.enum(DELIVERY_STATUSES).optional().describe("Only deliveries with this status."),
  limit: pageQueryOf("Deliveries").limit,
  cursor: cursorText.describe(
    "The `nextCursor` of the previous page, unchanged. Requires the same `status`.",
  ),
});

/** The body of a message sent to a webhook's URL. */
export const webhookMessageSchema = schema.component(
  "WebhookMessage",
  "The message posted to a webhook, with the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.",
  {
    type: z
      .string()
      .regex(/^(task|approval)\./)
      .meta({
        description: "The event's type, with the prefix `task.` if it is a task's event.",
        examples: ["task.completed"],
      }),
    timestamp: schema.instant("When the event occurred."),
    data: feedEventSchema,
  },
);

const attemptSchema = schema.component("DeliveryAttempt", "One delivery attempt.", {
  at: schema.instant("When the attempt started."),
  durationMs: z.number().min(0).describe("The duration of the attempt, in milliseconds."),
  status: schema.optional.integer("The response's status; absent if there was no response."),
  error: schema.optional.text("A human-readable error; absent if there was none."),
  answer: schema.optional.text("The beginning of the response body, at most 400 characters."),
});
export type DeliveryAttemptResponse = schema.ResponseOf<typeof attemptSchema>;

const deliveryFieldSchemas = {
  id: schema.matching(/^dlv_\d+$/, "The delivery's id."),
  event: z
    .strictObject({
      taskId: taskIdSchema
        .optional()
        .describe("The task; absent for the events of approvals and limits."),
      approvalId: schema.optional.text("The approval; absent for other events."),
      limitId: schema.optional.text("The spending limit; absent for other events."),
      seq: z
        .int()
        .min(1)
        .describe("The position of the event among the events of the task, approval or limit."),
      type: eventTypeSchema,
    })
    .describe("The event to deliver."),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe("`pending` until it is `delivered` or has `failed` permanently."),
  reason: schema.optional.text(
    "A human-readable reason why the delivery failed permanently or was abandoned.",
  ),
  createdAt: schema.instant("When the delivery was created."),
  nextAttemptAt: schema.optional.instant(
    "When the next attempt is due; present only while the delivery is pending.",
  ),
  endedAt: schema.optional.instant("When the delivery succeeded or failed permanently."),
  attempts: z.array(attemptSchema).max(30).describe("The last 30 attempts, oldest first."),
};

export const deliverySchema = schema.component(
  "Delivery",
  "The delivery of an event to a webhook.",
  deliveryFieldSchemas,
);
export type DeliveryResponse = schema.ResponseOf<typeof deliverySchema>;

export const deliveryDetailSchema = schema.component(
  "WholeDelivery",
  "The delivery of an event to a webhook. `body` is the message to post: a WebhookMessage, or what the webhook's format and template produce; absent if the message cannot be rendered.",
  { ...deliveryFieldSchemas, body: z.union([webhookMessageSchema, z.json()]).optional() },
);
export type DeliveryDetailResponse = schema.ResponseOf<typeof deliveryDetailSchema>;

export const deliveryListSchema = schema.component(
  "DeliveryList",
  "One page of a webhook's deliveries.",
  {
    deliveries: schema.list(deliverySchema, "The deliveries on the page, newest first."),
    limit: schema.integer("The requested limit."),
    nextCursor: z
      .string()
      .nullable()
      .describe("The `cursor` of the next page; null on the last page."),
  },
);

export const webhookTestSchema = schema.component("WebhookTest", "The result of a test message.", {
  delivered: schema.flag("Whether the receiver accepted the message."),
  attempt: attemptSchema,
});
