import * as z from "zod";
import { DELIVERY_STATUSES } from "../../../domain/delivery.ts";
import { eventType } from "./event.ts";
import { instant } from "./instant.ts";
import { taskId } from "./task.ts";
import { webhookMessage } from "./webhook.ts";

const attempt = z
  .strictObject({
    at: instant("When it was begun."),
    durationMs: z.number().min(0).meta({ description: "How long it took, in milliseconds." }),
    status: z
      .int()
      .optional()
      .meta({ description: "The status of the answer; absent where there was none." }),
    error: z.string().optional().meta({
      description: "What went wrong, for people to read; absent where nothing did.",
    }),
    answer: z.string().optional().meta({
      description: "How the body of the answer began, 400 characters of it at most.",
    }),
  })
  .meta({ id: "DeliveryAttempt", description: "One try to deliver." });

const line = {
  id: z
    .string()
    .regex(/^dlv_\d+$/)
    .meta({ description: "The delivery's id." }),
  event: z
    .strictObject({
      taskId,
      seq: z.int().min(1).meta({ description: "Its place in the task's log." }),
      type: eventType,
    })
    .meta({ description: "The event that is delivered." }),
  status: z
    .enum(DELIVERY_STATUSES)
    .meta({ description: "`pending` until it is `delivered`, or has `failed` for good." }),
  reason: z.string().optional().meta({
    description: "Why it failed for good, or was given up, for people to read.",
  }),
  createdAt: instant("When the event came in."),
  nextAttemptAt: instant("When the next attempt is due; only while pending.").optional(),
  endedAt: instant("When it was delivered, or failed for good.").optional(),
  attempts: z
    .array(attempt)
    .max(30)
    .meta({ description: "The last thirty attempts, oldest first." }),
};

export const delivery = z
  .strictObject(line)
  .meta({ id: "Delivery", description: "An event on its way to a webhook." });

/** GET …/deliveries/:deliveryId. */
export const wholeDelivery = z
  .strictObject({ ...line, body: z.union([webhookMessage, z.json()]).optional() })
  .meta({
    id: "WholeDelivery",
    description:
      "A delivery of an event to a webhook. `body` is the posted message: a WebhookMessage, or the output of the webhook's format and template; absent if they produce none.",
  });

/** GET …/deliveries. */
export const deliveryList = z
  .strictObject({
    deliveries: z.array(delivery).meta({ description: "The page, newest first." }),
    limit: z.int().meta({ description: "The limit that was asked for." }),
    nextCursor: z.string().nullable().meta({
      description: "What to send as `cursor` for the next page; null on the last one.",
    }),
  })
  .meta({ id: "DeliveryList", description: "One page of a webhook's deliveries." });

/** POST …/test. */
export const triedOut = z
  .strictObject({
    delivered: z.boolean().meta({ description: "Whether the receiver took it." }),
    attempt,
  })
  .meta({ id: "WebhookTest", description: "What came of a test message." });
