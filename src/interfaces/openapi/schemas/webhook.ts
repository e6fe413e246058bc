import * as z from "zod";
import { DELIVERY_STATUSES } from "../../../events/model/delivery.ts";
import { eventTypeSchema, feedEventSchema } from "./event.ts";
import { instantSchema } from "./common.ts";
import { taskIdSchema } from "./task.ts";
import { CLIENT_FORMATS } from "../../../events/model/webhook.ts";

const id = z
  .string()
  .regex(/^whk_[0-9a-f]{16}$/)
  .meta({ description: "The webhook's id." });

const webhookFieldSchemas = {
  id,
  url: z.string().meta({ description: "Where messages are posted to." }),
  format: z.enum(CLIENT_FORMATS).meta({
    description: "The format of messages: Standard Webhooks or a chat service.",
  }),
  description: z.string().meta({ description: "What it is for; may be empty." }),
  template: z.string().optional().meta({
    description: "The Liquid template of its messages; absent for the format's default.",
  }),
  headerNames: z.array(z.string()).optional().meta({
    description: "The names of the extra headers; values are not shown. Absent if there are none.",
  }),
  types: z.array(eventTypeSchema).optional().meta({
    description: "The types of events that it is told of; absent for all.",
  }),
  agentId: z.string().optional().meta({
    description: "It is told of tasks that this agent has, and no others; absent for all.",
  }),
  teamId: z.string().optional().meta({
    description: "It is told of tasks of this team, and no others; absent for all.",
  }),
  enabled: z.boolean().meta({ description: "Whether it is told of anything." }),
  disabled: z
    .strictObject({
      reason: z.string().meta({ description: "Why, for people to read." }),
      at: instantSchema("When."),
    })
    .optional()
    .meta({
      description:
        "Present only if the service disabled it: after failures, or because the key that created it was revoked or has expired.",
    }),
  createdBy: z.string().meta({
    description:
      "Id of the key that owns the webhook, `root` for the root key: the key that created it, that last changed its `url` or `headers` (the root key: only its `url`), or that enabled it after its owner ended. When this key ends, the webhook is disabled.",
  }),
  createdAt: instantSchema("When it was registered."),
};

export const webhookSchema = z
  .strictObject(webhookFieldSchemas)
  .meta({ id: "Webhook", description: "Somebody who is told of events. Never with its secret." });

const secret = z.string().meta({
  description:
    "What messages are signed with, as Standard Webhooks writes it: `whsec_` and base64. Shown this once.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

/** POST /agents/webhooks. */
export const createdWebhookSchema = z
  .strictObject({ ...webhookFieldSchemas, secret })
  .meta({ id: "CreatedWebhook", description: "A new webhook, with its secret." });

/** GET /agents/webhooks/:id. */
export const webhookDetailSchema = z
  .strictObject({
    ...webhookFieldSchemas,
    lastUsedAt: instantSchema("When a delivery last succeeded; absent if none has.").optional(),
    deliveries: z
      .strictObject({
        pending: z.int().min(0).meta({ description: "Deliveries that are still to be made." }),
        consecutiveFailures: z
          .int()
          .min(0)
          .meta({ description: "Attempts that have failed since one succeeded." }),
        lastSuccessAt: instantSchema(
          "When an attempt last succeeded; absent where none has.",
        ).optional(),
        missed: z
          .strictObject({
            after: instantSchema("After this time."),
            upTo: instantSchema("Up to this time."),
          })
          .optional()
          .meta({
            description:
              "The feed dropped events of this period before the webhook read them, so they are never delivered. Absent if there are none.",
          }),
      })
      .meta({ description: "How its deliveries fare." }),
  })
  .meta({ id: "WebhookDetail", description: "A webhook, and how its deliveries fare." });

/** GET /agents/webhooks. */
export const webhookListSchema = z
  .strictObject({
    webhooks: z.array(webhookSchema).meta({ description: "The page, newest first." }),
    total: z.int().min(0).meta({ description: "How many there are." }),
    limit: z.int().meta({ description: "The limit that was asked for." }),
    offset: z.int().meta({ description: "The offset that was asked for." }),
  })
  .meta({ id: "WebhookList", description: "One page of webhooks." });

/** DELETE /agents/webhooks/:id. */
export const deletedWebhookSchema = z
  .strictObject({ id, deleted: z.literal(true).meta({ description: "It is gone." }) })
  .meta({ id: "DeletedWebhook", description: "The webhook that was deleted." });

/** POST /agents/webhooks/:id/secret. */
export const rotatedSecretSchema = z
  .strictObject({
    id,
    secret,
    previousValidUntil: instantSchema(
      "Until when the secret before signs beside the new one; absent where there was none that works.",
    ).optional(),
  })
  .meta({ id: "RotatedSecret", description: "The new secret of a webhook." });

/** What is posted to a webhook's URL. */
export const webhookMessageSchema = z
  .strictObject({
    type: z
      .string()
      .regex(/^task\./)
      .meta({
        description: "The event's type with `task.` before it.",
        examples: ["task.completed"],
      }),
    timestamp: instantSchema("When it happened."),
    data: feedEventSchema,
  })
  .meta({
    id: "WebhookMessage",
    description:
      "What is posted to a webhook, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks.",
  });

const attempt = z
  .strictObject({
    at: instantSchema("When it was begun."),
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

const deliveryFieldSchemas = {
  id: z
    .string()
    .regex(/^dlv_\d+$/)
    .meta({ description: "The delivery's id." }),
  event: z
    .strictObject({
      taskId: taskIdSchema,
      seq: z.int().min(1).meta({ description: "Its place in the task's log." }),
      type: eventTypeSchema,
    })
    .meta({ description: "The event that is delivered." }),
  status: z
    .enum(DELIVERY_STATUSES)
    .meta({ description: "`pending` until it is `delivered`, or has `failed` for good." }),
  reason: z.string().optional().meta({
    description: "Why it failed for good, or was given up, for people to read.",
  }),
  createdAt: instantSchema("When the event came in."),
  nextAttemptAt: instantSchema("When the next attempt is due; only while pending.").optional(),
  endedAt: instantSchema("When it was delivered, or failed for good.").optional(),
  attempts: z
    .array(attempt)
    .max(30)
    .meta({ description: "The last thirty attempts, oldest first." }),
};

export const deliverySchema = z
  .strictObject(deliveryFieldSchemas)
  .meta({ id: "Delivery", description: "An event on its way to a webhook." });

/** GET …/deliveries/:deliveryId. */
export const deliveryDetailSchema = z
  .strictObject({
    ...deliveryFieldSchemas,
    body: z.union([webhookMessageSchema, z.json()]).optional(),
  })
  .meta({
    id: "WholeDelivery",
    description:
      "A delivery of an event to a webhook. `body` is the posted message: a WebhookMessage, or the output of the webhook's format and template; absent if they produce none.",
  });

/** GET …/deliveries. */
export const deliveryListSchema = z
  .strictObject({
    deliveries: z.array(deliverySchema).meta({ description: "The page, newest first." }),
    limit: z.int().meta({ description: "The limit that was asked for." }),
    nextCursor: z.string().nullable().meta({
      description: "What to send as `cursor` for the next page; null on the last one.",
    }),
  })
  .meta({ id: "DeliveryList", description: "One page of a webhook's deliveries." });

/** POST …/test. */
export const webhookTestSchema = z
  .strictObject({
    delivered: z.boolean().meta({ description: "Whether the receiver took it." }),
    attempt,
  })
  .meta({ id: "WebhookTest", description: "What came of a test message." });
