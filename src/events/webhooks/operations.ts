import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";
import * as z from "zod";
import { DELIVERY_STATUSES } from "../model/delivery.ts";
import { eventTypeSchema, feedEventSchema } from "../../tasks/api/event-schemas.ts";
import * as schema from "../../http/schemas.ts";
import { taskIdSchema } from "../../tasks/api/task-schemas.ts";
import { CLIENT_FORMATS } from "../model/webhook.ts";

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
  headerNames: schema.optional.textList(
    "The names of the extra headers; values are not shown. Absent if there are none.",
  ),
  types: schema
    .list(eventTypeSchema, "The types of events that it receives; absent for all.")
    .optional(),
  agentId: schema.optional.text(
    "It receives only events of tasks that this agent has; absent for all.",
  ),
  teamId: schema.optional.text("It receives only events of tasks of this team; absent for all."),
  enabled: schema.flag("Whether it receives events."),
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

const webhookSchema = schema.component(
  "Webhook",
  "A receiver of events. Never with its secret.",
  webhookFieldSchemas,
);

const secret = schema.text(
  "What messages are signed with, as Standard Webhooks writes it: `whsec_` and base64. Shown only once.",
  "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
);

const createdWebhookSchema = schema.component("CreatedWebhook", "A new webhook, with its secret.", {
  ...webhookFieldSchemas,
  secret,
});

const webhookDetailSchema = schema.component(
  "WebhookDetail",
  "A webhook, and the state of its deliveries.",
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
      .describe("The state of its deliveries."),
  },
);

const webhookListSchema = schema.component("WebhookList", "One page of webhooks.", {
  webhooks: schema.list(webhookSchema, "The page, newest first."),
  total: schema.count("How many there are."),
  limit: schema.integer("The requested limit."),
  offset: schema.integer("The requested offset."),
});

const deletedWebhookSchema = schema.component("DeletedWebhook", "The webhook that was deleted.", {
  id,
  deleted: z.literal(true).describe("The webhook was deleted."),
});

const rotatedSecretSchema = schema.component("RotatedSecret", "The new secret of a webhook.", {
  id,
  secret,
  previousValidUntil: schema.optional.instant(
    "Until when the previous secret also signs; absent if there was no valid one.",
  ),
});

/** The body of a message to a webhook's URL. */
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

const attempt = schema.component("DeliveryAttempt", "One delivery attempt.", {
  at: schema.instant("When it was begun."),
  durationMs: z.number().min(0).describe("How long it took, in milliseconds."),
  status: schema.optional.integer("The status of the response; absent if there was none."),
  error: schema.optional.text("The error, for people to read; absent if there was none."),
  answer: schema.optional.text("The beginning of the response body, at most 400 characters."),
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
    .describe("`pending` until it is `delivered` or has `failed` permanently."),
  reason: schema.optional.text("Why it failed permanently or was abandoned, for people to read."),
  createdAt: schema.instant("When the event came in."),
  nextAttemptAt: schema.optional.instant("When the next attempt is due; only while pending."),
  endedAt: schema.optional.instant("When it was delivered or failed permanently."),
  attempts: z.array(attempt).max(30).describe("The last thirty attempts, oldest first."),
};

const deliverySchema = schema.component(
  "Delivery",
  "An event for a webhook.",
  deliveryFieldSchemas,
);

const deliveryDetailSchema = schema.component(
  "WholeDelivery",
  "A delivery of an event to a webhook. `body` is the posted message: a WebhookMessage, or the output of the webhook's format and template; absent if they produce none.",
  { ...deliveryFieldSchemas, body: z.union([webhookMessageSchema, z.json()]).optional() },
);

const deliveryListSchema = schema.component("DeliveryList", "One page of a webhook's deliveries.", {
  deliveries: schema.list(deliverySchema, "The page, newest first."),
  limit: schema.integer("The requested limit."),
  nextCursor: z
    .string()
    .nullable()
    .describe("What to send as `cursor` for the next page; null on the last one."),
});

const webhookTestSchema = schema.component("WebhookTest", "The result of a test message.", {
  delivered: schema.flag("Whether the receiver accepted it."),
  attempt,
});

const WEBHOOK_FIELDS = {
  url: "Where messages are posted to: an `https` address that the guard allows. `http` is accepted only if the deployment sets `ALLOW_PRIVATE_EGRESS`. No fragment.",
  types:
    "The types of events to deliver, such as `failed` or `task.failed`, which are equivalent; left out, all of them.",
  agentId: "Deliver only events of tasks that this agent has at that time.",
  teamId: "Deliver only events of tasks of this team.",
  format:
    "The format of messages: `standard` is described above; `slack`, `teams` and `discord` are accepted by incoming webhooks of that service.",
  template:
    "A [Liquid](https://liquidjs.com) template over `type`, `timestamp`, `title`, `text` and `data`. In `standard` it renders the whole body, which must be JSON; in the other formats, the text of the chat message. A template that cannot be parsed gets 400 with the position of the error.",
  headers:
    "Headers to send with each message, such as the receiver's `Authorization`. Values are encrypted and never shown; `headerNames` shows the names. Headers that the service itself sets (`Host`, `Content-*`, `webhook-*` …) are reserved.",
};

const SECRET_DESCRIPTION =
  "A secret of your own, as Standard Webhooks writes it: `whsec_` and 24 to 64 bytes in base64. Left out, the service makes one.";

/** GET /agents/webhooks */
export const listWebhooks = defineOperation({
  operationId: "listWebhooks",
  tag: "Webhooks",
  scope: "webhooks:manage",
  query: schemas.listWebhooksQuery,
  summary: "List webhooks",
  description: "A page of all webhooks, newest first, without their secrets.",
  parameters: {
    limit: "Webhooks on one page.",
    offset: "Webhooks to skip: those of the pages before.",
  },
  responses: [respond(200, "The page.", webhookListSchema)],
});

/** POST /agents/webhooks */
export const createWebhook = defineOperation({
  operationId: "createWebhook",
  tag: "Webhooks",
  scope: "webhooks:manage",
  body: schemas.createWebhookBody,
  summary: "Register a webhook",
  description: `From now on, the events of tasks are posted to your URL, one event per message, according to [Standard Webhooks](https://www.standardwebhooks.com): any of its libraries verifies them with the \`secret\` in the response, which is shown only once.

**A message** is \`{"type": "task.<type>", "timestamp", "data"}\`, where \`data\` is the event as in the feed. \`webhook-id\` is \`evt_<taskId>_<seq>_<at>\`, with \`at\` in milliseconds since 1970: the same for all attempts, so that you can detect duplicates. \`webhook-timestamp\` and \`webhook-signature\` are those of the attempt.

**Delivered** means that you respond with any 2xx within 15 seconds. Anything else is retried: ten attempts in total, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 13 h, 17 h and 20 h, each up to 5 % later, or later if your \`Retry-After\` requests it (at most a day). Redirects are not followed. At most five messages are sent to one webhook at the same time. Messages may come more than once, and out of order after failures: use \`seq\`.

**Disabled** is a webhook whose receiver answers 410, or that has failed all attempts of a delivery and has had no success since the first of them. \`disabled\` contains the reason; enable it again with PATCH.

**Formats.** \`slack\`, \`teams\` (Workflows, an Adaptive Card) and \`discord\` post the task's title and what happened. A \`template\` replaces the text. Every value in a template is escaped, so that a task's text cannot mention anyone, add a link or format the message. In \`standard\`, the filter \`json\` writes a value as JSON, and \`escape_slack\`, \`escape_teams\` and \`escape_discord\` also escape for these services. The filter \`raw\` and the tags \`cycle\`, \`include\`, \`render\` and \`layout\` are rejected. If a template fails, renders too much, or in \`standard\` does not render JSON, the attempt fails with the reason. The content type is always \`application/json\`, and messages of every format are signed.

There can be 100 webhooks in total and 20 per key; for the root key, only the total applies. A slow receiver does not delay the others.`,
  fields: { ...WEBHOOK_FIELDS, secret: SECRET_DESCRIPTION },
  fieldsLike: { "": "Webhook" },
  responses: [
    respond(201, "The webhook receives events from now on.", createdWebhookSchema, {
      headers: { Location: "Where the webhook is read." },
    }),
  ],
  errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
});

/** GET /agents/webhooks/:id */
export const getWebhook = defineOperation({
  operationId: "getWebhook",
  tag: "Webhooks",
  scope: "webhooks:manage",
  summary: "Read a webhook",
  description: "A webhook, and the state of its deliveries.",
  responses: [respond(200, "The webhook.", webhookDetailSchema)],
});

/** PATCH /agents/webhooks/:id */
export const updateWebhook = defineOperation({
  operationId: "updateWebhook",
  tag: "Webhooks",
  scope: "webhooks:manage",
  body: schemas.changeWebhookBody,
  summary: "Change a webhook",
  description: `Changes what is named in the body, at least one field. Attempts that begin after the response use the new settings, also for earlier events.

\`"enabled": false\` ends what is pending. \`"enabled": true\` starts with later events; events in between are in the feed, and earlier deliveries can be repeated.`,
  fields: {
    ...WEBHOOK_FIELDS,
    types: "The types of events to deliver from now on; null for all.",
    agentId: "Deliver only events of tasks that this agent has; null for all.",
    teamId: "Deliver only events of tasks of this team; null for all.",
    template: "The new template; null for the format's default.",
    headers:
      "All extra headers from now on; null for none. If the webhook has headers, they are required with a `url` of another origin, because stored values are not sent there.",
  },
  fieldsLike: { "": "Webhook" },
  responses: [respond(200, "The webhook with the change.", webhookSchema)],
  errorCodes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
});

/** DELETE /agents/webhooks/:id */
export const deleteWebhook = defineOperation({
  operationId: "deleteWebhook",
  tag: "Webhooks",
  scope: "webhooks:manage",
  summary: "Delete a webhook",
  description: "Deletes a webhook with its secret, what is pending and its delivery log.",
  responses: [respond(200, "The webhook was deleted.", deletedWebhookSchema)],
});

/** POST /agents/webhooks/:id/secret */
export const rotateWebhookSecret = defineOperation({
  operationId: "rotateWebhookSecret",
  tag: "Webhooks",
  scope: "webhooks:manage",
  body: schemas.rotateSecretBody,
  bodyIsOptional: true,
  summary: "Give a webhook a new secret",
  description: `Creates a new secret, or uses the given one, and returns it only once. For 24 hours, messages are also signed with the previous secret: each message has two signatures, so the receiver can switch at any time. \`createdBy\` does not change. The body is optional.`,
  fields: { secret: SECRET_DESCRIPTION },
  responses: [respond(200, "The new secret signs from now on.", rotatedSecretSchema)],
  errorCodes: ["WEBHOOK_LIMIT_REACHED"],
});

/** POST /agents/webhooks/:id/test */
export const testWebhook = defineOperation({
  operationId: "testWebhook",
  tag: "Webhooks",
  scope: "webhooks:manage",
  summary: "Send a webhook a test message",
  description: `Sends one signed message of the type \`webhook.test\` with the data \`{"webhookId", "data": {}}\`, in the webhook's format and with its template, and returns the result. The message is neither retried nor logged. A disabled webhook can also be tested.`,
  responses: [respond(200, "The result of the attempt.", webhookTestSchema)],
});

/** GET /agents/webhooks/:id/deliveries */
export const listDeliveries = defineOperation({
  operationId: "listDeliveries",
  tag: "Webhooks",
  scope: "webhooks:manage",
  query: schemas.listDeliveriesQuery,
  summary: "Read a webhook's delivery log",
  description:
    "A page of what the webhook was sent, or will be, newest first, with every attempt. Deliveries are kept for 30 days.",
  parameters: {
    status: "Only deliveries with this status.",
    limit: "Deliveries on one page.",
    cursor: "The `nextCursor` of the page before, as it is, with the same `status`.",
  },
  responses: [respond(200, "The page; empty if nothing matches.", deliveryListSchema)],
});

/** GET /agents/webhooks/:id/deliveries/:deliveryId */
export const getDelivery = defineOperation({
  operationId: "getDelivery",
  tag: "Webhooks",
  scope: "webhooks:manage",
  summary: "Read one delivery",
  description: "A delivery with its attempts and what is posted.",
  responses: [respond(200, "The delivery.", deliveryDetailSchema)],
});

/** POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver */
export const redeliver = defineOperation({
  operationId: "redeliver",
  tag: "Webhooks",
  scope: "webhooks:manage",
  summary: "Deliver an event again",
  description:
    "Begins a new round of ten attempts, the first at once, whether the delivery has failed, was delivered or is pending. The message has the same `webhook-id` as before.",
  responses: [respond(200, "The delivery, which is pending again.", deliverySchema)],
  errorCodes: ["WEBHOOK_DISABLED"],
});
