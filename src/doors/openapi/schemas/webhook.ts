import * as z from "zod";
import { CLIENT_FORMATS } from "../../../domain/webhook.ts";
import { eventType, feedEvent } from "./event.ts";
import { instant } from "./instant.ts";

const id = z
  .string()
  .regex(/^whk_[0-9a-f]{16}$/)
  .meta({ description: "The webhook's id." });

const settings = {
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
  types: z.array(eventType).optional().meta({
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
      at: instant("When."),
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
  createdAt: instant("When it was registered."),
};

export const webhook = z
  .strictObject(settings)
  .meta({ id: "Webhook", description: "Somebody who is told of events. Never with its secret." });

const secret = z.string().meta({
  description:
    "What messages are signed with, as Standard Webhooks writes it: `whsec_` and base64. Shown this once.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

/** POST /agents/webhooks. */
export const createdWebhook = z
  .strictObject({ ...settings, secret })
  .meta({ id: "CreatedWebhook", description: "A new webhook, with its secret." });

/** GET /agents/webhooks/:id. */
export const webhookDetail = z
  .strictObject({
    ...settings,
    lastUsedAt: instant("When a delivery last succeeded; absent if none has.").optional(),
    deliveries: z
      .strictObject({
        pending: z.int().min(0).meta({ description: "Deliveries that are still to be made." }),
        consecutiveFailures: z
          .int()
          .min(0)
          .meta({ description: "Attempts that have failed since one succeeded." }),
        lastSuccessAt: instant("When an attempt last succeeded; absent where none has.").optional(),
        missed: z
          .strictObject({
            after: instant("After this time."),
            upTo: instant("Up to this time."),
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
export const webhookList = z
  .strictObject({
    webhooks: z.array(webhook).meta({ description: "The page, newest first." }),
    total: z.int().min(0).meta({ description: "How many there are." }),
    limit: z.int().meta({ description: "The limit that was asked for." }),
    offset: z.int().meta({ description: "The offset that was asked for." }),
  })
  .meta({ id: "WebhookList", description: "One page of webhooks." });

/** DELETE /agents/webhooks/:id. */
export const deletedWebhook = z
  .strictObject({ id, deleted: z.literal(true).meta({ description: "It is gone." }) })
  .meta({ id: "DeletedWebhook", description: "The webhook that was deleted." });

/** POST /agents/webhooks/:id/secret. */
export const rotatedSecret = z
  .strictObject({
    id,
    secret,
    previousValidUntil: instant(
      "Until when the secret before signs beside the new one; absent where there was none that works.",
    ).optional(),
  })
  .meta({ id: "RotatedSecret", description: "The new secret of a webhook." });

/** What is posted to a webhook's URL. */
export const webhookMessage = z
  .strictObject({
    type: z
      .string()
      .regex(/^task\./)
      .meta({
        description: "The event's type with `task.` before it.",
        examples: ["task.completed"],
      }),
    timestamp: instant("When it happened."),
    data: feedEvent,
  })
  .meta({
    id: "WebhookMessage",
    description:
      "What is posted to a webhook, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks.",
  });
