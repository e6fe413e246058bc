import * as z from "zod";
import { HEADER_NAME_PATTERN, isFramingHeader, isHeaderName } from "../../kernel/header-name.ts";
import { decodeBase64 } from "../../kernel/bytes.ts";
import * as schema from "../../http/schemas.ts";
import { eventTypeSchema } from "../event-schemas.ts";
import { FEED_EVENT_TYPES } from "../model/feed.ts";
import { CLIENT_FORMATS } from "../model/webhook.ts";
import { eventTypeName } from "../schemas.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  URL_BYTES_MAX,
} from "../../kernel/limits.ts";
import { SECRET_CHARACTERS_MAX } from "../../http/limits.ts";
import {
  WEBHOOK_HEADERS_MAX,
  WEBHOOK_SECRET_BYTES_MAX,
  WEBHOOK_SECRET_BYTES_MIN,
  WEBHOOK_TEMPLATE_CHARACTERS_MAX,
} from "../limits.ts";
import {
  pageQueryOf,
  REDACT_INPUT,
  customIssue,
  redactedString,
  PRINTABLE_ASCII,
  PRINTABLE_ASCII_RULE,
  checkRedactedString,
  idText,
} from "../../http/validation.ts";

const SECRET_RULE = `must be a Standard Webhooks secret: whsec_ followed by ${WEBHOOK_SECRET_BYTES_MIN} to ${WEBHOOK_SECRET_BYTES_MAX} bytes in base64`;
/** Headers for signatures and the connection, and headers that Cloudflare sets. */
const RESERVED_HEADERS =
  /^(?:webhook-.*|cf-.*|x-forwarded-.*|forwarded|keep-alive|proxy-.*|accept-encoding)$/i;

const DESCRIPTION_MEANING = "The purpose of the webhook; can be empty.";
const enabled = schema.flag("Whether the webhook receives events.");

const url = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !text.includes("#"), {
    error: "must not have a fragment, because fragments are never sent",
    params: REDACT_INPUT,
  })
  .describe(
    "The receiver's URL, which must be a public `https` address. `http` and private addresses are accepted only if the deployment sets `ALLOW_PRIVATE_EGRESS`. Fragments are not allowed.",
  );
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX).describe(DESCRIPTION_MEANING);
const types = z
  .array(eventTypeName)
  .min(1)
  .max(2 * FEED_EVENT_TYPES.length)
  .transform((list) => [...new Set(list)]);
const format = z
  .enum(CLIENT_FORMATS)
  .describe(
    "The message format. `standard` is described above; `slack`, `teams` and `discord` are the formats for incoming webhooks of these services.",
  );
const template = z.string().min(1).max(WEBHOOK_TEMPLATE_CHARACTERS_MAX);
const headers = z
  .custom<Record<string, string>>()
  .meta({
    type: "object",
    maxProperties: WEBHOOK_HEADERS_MAX,
    propertyNames: { pattern: HEADER_NAME_PATTERN.source },
    additionalProperties: {
      type: "string",
      minLength: 1,
      maxLength: SECRET_CHARACTERS_MAX,
      pattern: PRINTABLE_ASCII.source,
    },
  })
  .check((ctx) => {
    ctx.issues.push(...findHeaderIssues(ctx.value));
  });
/** 24 to 64 bytes in canonical base64, for the OpenAPI document. Every four characters encode three bytes. */
const SECRET_PATTERN =
  "^whsec_(?:[A-Za-z0-9+/]{4}){8}(?:[A-Za-z0-9+/]{4}){0,12}(?:(?:[A-Za-z0-9+/]{4})?(?:[A-Za-z0-9+/][AQgw]==)?|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$";
const secret = redactedString(NAME_CHARACTERS_MAX, SECRET_RULE, isSigningSecret).meta({
  description:
    "Your own secret, in the Standard Webhooks format: `whsec_` followed by 24 to 64 bytes in base64. If omitted, the service creates one.",
  pattern: SECRET_PATTERN,
});

/** Request body of POST /agents/webhooks. */
export const createWebhookBody = z.strictObject({
  url,
  types: types
    .optional()
    .describe(
      "The event types to deliver; all types if omitted. `failed` and `task.failed` are equivalent.",
    ),
  agentId: idText
    .optional()
    .describe(
      "Deliver only events of tasks that are assigned to this agent when the event occurs.",
    ),
  teamId: idText.optional().describe("Deliver only events of this team's tasks."),
  description: description.default(""),
  format: format.default("standard"),
  template: template
    .optional()
    .describe(
      "A [Liquid](https://liquidjs.com) template over `type`, `timestamp`, `title`, `text` and `data`. In `standard`, it renders the entire body, which must be JSON; in the other formats, it renders the text of the chat message. If the template cannot be parsed, the response is 400 and states the position of the error.",
    ),
  headers: headers
    .optional()
    .describe(
      "Headers to send with each message, such as the receiver's `Authorization`. Values are encrypted and never shown; `headerNames` shows the names. Headers that the service sets (`Host`, `Content-*`, `webhook-*` …) are reserved.",
    ),
  secret: secret.optional(),
});
export type CreateWebhookBody = z.output<typeof createWebhookBody>;

/** Request body of PATCH /agents/webhooks/:id. The fields it contains are replaced; null removes a filter. */
export const changeWebhookBody = z
  .strictObject({
    url: url.optional(),
    types: types.nullish().describe("The event types to deliver from now on; null for all."),
    agentId: idText
      .nullish()
      .describe(
        "Deliver only events of tasks that are assigned to this agent when the event occurs; null for all.",
      ),
    teamId: idText.nullish().describe("Deliver only events of this team's tasks; null for all."),
    description: description.optional(),
    format: format.optional(),
    template: template.nullish().describe("The new template; null for the format's default."),
    headers: headers
      .nullish()
      .describe(
        "All extra headers from now on; null for none. If the webhook has headers, this field is required when `url` changes to another origin, because stored values are not sent there.",
      ),
    enabled: enabled.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "must set at least one field" })
  .meta({ minProperties: 1 });
export type ChangeWebhookBody = z.output<typeof changeWebhookBody>;

/** Request body of POST /agents/webhooks/:id/secret. */
export const rotateSecretBody = z.strictObject({ secret: secret.optional() });

/** Query parameters of GET /agents/webhooks. */
export const listWebhooksQuery = z.object(pageQueryOf("Webhooks"));

const webhookId = schema.matching(/^whk_[0-9a-f]{16}$/, "The webhook's id.");

const webhookFieldSchemas = {
  id: webhookId,
  url: schema.text("The receiver's URL."),
  format: z
    .enum(CLIENT_FORMATS)
    .describe("The message format: Standard Webhooks or a chat service."),
  description: schema.text(DESCRIPTION_MEANING),
  template: schema.optional.text(
    "The Liquid template for messages; absent for the format's default.",
  ),
  headerNames: schema.optional.textList(
    "The names of the extra headers; their values are not shown. Absent if there are none.",
  ),
  types: schema
    .list(eventTypeSchema, "The event types that the webhook receives; absent for all.")
    .optional(),
  agentId: schema.optional.text(
    "The webhook receives only events of tasks that are assigned to this agent when the event occurs; absent for all.",
  ),
  teamId: schema.optional.text(
    "The webhook receives only events of this team's tasks; absent for all.",
  ),
  enabled,
  disabled: z
    .strictObject({
      reason: schema.text("A human-readable reason."),
      at: schema.instant("When the service disabled the webhook."),
    })
    .optional()
    .describe(
      "Present only if the service disabled the webhook, either after failures or because the key that owns it was revoked or expired.",
    ),
  createdBy: schema.text(
    "Id of the key that owns the webhook, `root` for the root key. The owner is the key that created the webhook, last changed its `url` or `headers` (for the root key, only its `url`), or enabled it after the previous owner was revoked or expired. If this key is revoked or expires, the webhook is disabled.",
  ),
  createdAt: schema.instant("When the webhook was registered."),
};

export const webhookSchema = schema.component(
  "Webhook",
  "A receiver of events, without its secret.",
  webhookFieldSchemas,
);
export type WebhookResponse = schema.ResponseOf<typeof webhookSchema>;

const shownSecret = schema.text(
  "The secret used to sign messages, in the Standard Webhooks format: `whsec_` followed by base64. Shown only once.",
  "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
);

export const createdWebhookSchema = schema.component(
  "CreatedWebhook",
  "A new webhook, with its secret.",
  { ...webhookFieldSchemas, secret: shownSecret },
);

export const webhookDetailSchema = schema.component(
  "WebhookDetail",
  "A webhook and the state of its deliveries.",
  {
    ...webhookFieldSchemas,
    lastUsedAt: schema.optional.instant("When a delivery last succeeded; absent if none has."),
    deliveries: z
      .strictObject({
        pending: schema.count("Number of pending deliveries."),
        consecutiveFailures: schema.count("Number of failed attempts since the last success."),
        lastSuccessAt: schema.optional.instant(
          "When an attempt last succeeded; absent if none has.",
        ),
        missed: z
          .strictObject({
            after: schema.instant("The start of the period, exclusive."),
            upTo: schema.instant("The end of the period, inclusive."),
          })
          .optional()
          .describe(
            "The period whose events the feed dropped before the webhook read them. They are never delivered. Absent if there is none.",
          ),
      })
      .describe("The state of the webhook's deliveries."),
  },
);
export type WebhookDetailResponse = schema.ResponseOf<typeof webhookDetailSchema>;

export const webhookListSchema = schema.component("WebhookList", "One page of webhooks.", {
  webhooks: schema.list(webhookSchema, "The webhooks on the page, newest first."),
  total: schema.count("The number of webhooks."),
  limit: schema.integer("The requested limit."),
  offset: schema.integer("The requested offset."),
});

export const deletedWebhookSchema = schema.component(
  "DeletedWebhook",
  "The webhook that was deleted.",
  { id: webhookId, deleted: z.literal(true).describe("The webhook was deleted.") },
);

export const rotatedSecretSchema = schema.component("RotatedSecret", "A webhook's new secret.", {
  id: webhookId,
  secret: shownSecret,
  previousValidUntil: schema.optional.instant(
    "When the previous secret expires; absent if there was no valid one.",
  ),
});

/** Problems with headers. Messages never contain a value, because it may be a secret. */
function findHeaderIssues(given: unknown): z.core.$ZodRawIssue[] {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return [customIssue("must be an object of header names and values", null)];
  }
  const entries = Object.entries(given);
  if (entries.length > WEBHOOK_HEADERS_MAX) {
    return [
      customIssue(`must have at most ${WEBHOOK_HEADERS_MAX} headers, got ${entries.length}`, null),
    ];
  }
  const names = entries.map(([name]) => name.toLowerCase());
  return entries.flatMap(([name, value], index) => {
    const message =
      names.indexOf(name.toLowerCase()) === index
        ? (checkRedactedString(name, NAME_CHARACTERS_MAX, findHeaderNameProblem) ??
          checkRedactedString(value, SECRET_CHARACTERS_MAX, (text) =>
            PRINTABLE_ASCII.test(text) ? null : PRINTABLE_ASCII_RULE,
          ))
        : "is a duplicate; header names are case-insensitive";
    return message === null ? [] : [customIssue(message, null, name)];
  });
}

function findHeaderNameProblem(name: string): string | null {
  if (!isHeaderName(name))
    return "must be a header name (letters, digits, - _ . and some other symbols)";
  const isReserved = isFramingHeader(name) || RESERVED_HEADERS.test(name);
  return isReserved ? "is reserved because the service sets this header" : null;
}

function isSigningSecret(text: string): boolean {
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { byteLength = 0 } = decodeBase64(base64) ?? {};
  const isInRange =
    byteLength >= WEBHOOK_SECRET_BYTES_MIN && byteLength <= WEBHOOK_SECRET_BYTES_MAX;
  return isInRange && base64.length % 4 === 0;
}
