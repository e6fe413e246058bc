import * as z from "zod";
import { DELIVERY_STATUSES } from "../../../events/model/delivery.ts";
import { eventTypeSchema, feedEventSchema } from "./event.ts";
import * as schema from "./common.ts";
import { taskIdSchema } from "./task.ts";
import { CLIENT_FORMATS } from "../../../events/model/webhook.ts";

const id = schema.matching(/^whk_[0-9a-f]{16}$/, "The webhook's id.");

const webhookFieldSchemas = {
  id,
  url: schema.text("Where messages are posted to."),
  format: z
    .enum(CLIENT_FORMATS)
    .describe("The format of messages: Standard Webhooks or a chat service."),
  description: schema.text("What it is for; may be empty."),
  template: schema.optional.text(
    "The Liquid template of its messages; absent for the format's default.",
  ),
  headerNames: schema
    .textList("The names of the extra headers; values are not shown. Absent if there are none.")
    .optional(),
  types: schema
    .list(eventTypeSchema, "The types of events that it is told of; absent for all.")
    .optional(),
  agentId: schema.optional.text(
    "It is told of tasks that this agent has, and no others; absent for all.",
  ),
  teamId: schema.optional.text("It is told of tasks of this team, and no others; absent for all."),
  enabled: schema.flag("Whether it is told of anything."),
  disabled: z
    .strictObject({ reason: schema.text("Why, for people to read."), at: schema.instant("When.") })
    .optional()
    .describe(
      "Present only if the service disabled it: after failures, or because the key that created it was revoked or has expired.",
    ),
  createdBy: schema.text(
    "Id of the key that owns the webhook, `root` for the root key: the key that created it, that last changed its `url` or `headers` (the root key: only its `url`), or that enabled it after its owner ended. When this key ends, the webhook is disabled.",
  ),
  createdAt: schema.instant("When it was registered."),
};

export const webhookSchema = schema.component(
  "Webhook",
  "Somebody who is told of events. Never with its secret.",
  webhookFieldSchemas,
);

const secret = schema.text(
  "What messages are signed with, as Standard Webhooks writes it: `whsec_` and base64. Shown this once.",
  "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
);

/** POST /agents/webhooks. */
export const createdWebhookSchema = schema.component(
  "CreatedWebhook",
  "A new webhook, with its secret.",
  { ...webhookFieldSchemas, secret },
);

/** GET /agents/webhooks/:id. */
export const webhookDetailSchema = schema.component(
  "WebhookDetail",
  "A webhook, and how its deliveries fare.",
  {
    ...webhookFieldSchemas,
    lastUsedAt: schema.optional.instant("When a delivery last succeeded; absent if none has."),
    deliveries: z
      .strictObject({
        pending: schema.count("Deliveries that are still to be made."),
        consecutiveFailures: schema.count("Attempts that have failed since one succeeded."),
        lastSuccessAt: schema.optional.instant(
          "When an attempt last succeeded; absent where none has.",
        ),
        missed: z
          .strictObject({
            after: schema.instant("After this time."),
            upTo: schema.instant("Up to this time."),
          })
          .optional()
          .describe(
            "The feed dropped events of this period before the webhook read them, so they are never delivered. Absent if there are none.",
          ),
      })
      .describe("How its deliveries fare."),
  },
);

/** GET /agents/webhooks. */
export const webhookListSchema = schema.component("WebhookList", "One page of webhooks.", {
  webhooks: schema.list(webhookSchema, "The page, newest first."),
  total: schema.count("How many there are."),
  limit: schema.integer("The limit that was asked for."),
  offset: schema.integer("The offset that was asked for."),
});

/** DELETE /agents/webhooks/:id. */
export const deletedWebhookSchema = schema.component(
  "DeletedWebhook",
  "The webhook that was deleted.",
  { id, deleted: z.literal(true).describe("It is gone.") },
);

/** POST /agents/webhooks/:id/secret. */
export const rotatedSecretSchema = schema.component(
  "RotatedSecret",
  "The new secret of a webhook.",
  {
    id,
    secret,
    previousValidUntil: schema.optional.instant(
      "Until when the secret before signs beside the new one; absent where there was none that works.",
    ),
  },
);

/** What is posted to a webhook's URL. */
export const webhookMessageSchema = schema.component(
  "WebhookMessage",
  "What is posted to a webhook, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks.",
  {
    type: z
      .string()
      .regex(/^task\./)
      .meta({
        description: "The event's type with `task.` before it.",
        examples: ["task.completed"],
      }),
    timestamp: schema.instant("When it happened."),
    data: feedEventSchema,
  },
);

const attempt = schema.component("DeliveryAttempt", "One try to deliver.", {
  at: schema.instant("When it was begun."),
  durationMs: z.number().min(0).describe("How long it took, in milliseconds."),
  status: schema.optional.integer("The status of the answer; absent where there was none."),
  error: schema.optional.text("What went wrong, for people to read; absent where nothing did."),
  answer: schema.optional.text("How the body of the answer began, 400 characters of it at most."),
});

const deliveryFieldSchemas = {
  id: schema.matching(/^dlv_\d+$/, "The delivery's id."),
  event: z
    .strictObject({
      taskId: taskIdSchema,
      seq: z.int().min(1).describe("Its place in the task's log."),
      type: eventTypeSchema,
    })
    .describe("The event that is delivered."),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe("`pending` until it is `delivered`, or has `failed` for good."),
  reason: schema.optional.text("Why it failed for good, or was given up, for people to read."),
  createdAt: schema.instant("When the event came in."),
  nextAttemptAt: schema.optional.instant("When the next attempt is due; only while pending."),
  endedAt: schema.optional.instant("When it was delivered, or failed for good."),
  attempts: z.array(attempt).max(30).describe("The last thirty attempts, oldest first."),
};

export const deliverySchema = schema.component(
  "Delivery",
  "An event on its way to a webhook.",
  deliveryFieldSchemas,
);

/** GET …/deliveries/:deliveryId. */
export const deliveryDetailSchema = schema.component(
  "WholeDelivery",
  "A delivery of an event to a webhook. `body` is the posted message: a WebhookMessage, or the output of the webhook's format and template; absent if they produce none.",
  { ...deliveryFieldSchemas, body: z.union([webhookMessageSchema, z.json()]).optional() },
);

/** GET …/deliveries. */
export const deliveryListSchema = schema.component(
  "DeliveryList",
  "One page of a webhook's deliveries.",
  {
    deliveries: schema.list(deliverySchema, "The page, newest first."),
    limit: schema.integer("The limit that was asked for."),
    nextCursor: z
      .string()
      .nullable()
      .describe("What to send as `cursor` for the next page; null on the last one."),
  },
);

/** POST …/test. */
export const webhookTestSchema = schema.component("WebhookTest", "What came of a test message.", {
  delivered: schema.flag("Whether the receiver took it."),
  attempt,
});
