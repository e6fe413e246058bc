import * as z from "zod";
import { HEADER_NAME_PATTERN, isFramingHeader, isHeaderName } from "../../kernel/header-name.ts";
import { decodeBase64 } from "../../kernel/bytes.ts";
import { DELIVERY_STATUSES } from "../model/delivery.ts";
import { TASK_EVENT_TYPES } from "../../tasks/model/events.ts";
import { CLIENT_FORMATS } from "../model/webhook.ts";
import { eventTypeName } from "../schemas.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  ID_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
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
  pageQuery,
  queryInteger,
  REDACT_INPUT,
  customIssue,
  redactedString,
  PRINTABLE_ASCII,
  PRINTABLE_ASCII_RULE,
  checkRedactedString,
} from "../../http/validation.ts";

const SECRET_RULE = `must be whsec_ and ${WEBHOOK_SECRET_BYTES_MIN} to ${WEBHOOK_SECRET_BYTES_MAX} bytes in base64, as Standard Webhooks has it`;
/** Headers for signatures and the connection, and headers that Cloudflare sets. */
const RESERVED_HEADERS =
  /^(?:webhook-.*|cf-.*|x-forwarded-.*|forwarded|keep-alive|proxy-.*|accept-encoding)$/i;
const CURSOR_CHARACTERS_MAX = 512;

const idText = z.string().min(1).max(ID_CHARACTERS_MAX);
const urlText = z
  .string()
  .min(1)
  .max(URL_BYTES_MAX)
  .refine((text) => !text.includes("#"), {
    error: "must have no fragment, as none is ever sent",
    params: REDACT_INPUT,
  });
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX);
const types = z
  .array(eventTypeName)
  .min(1)
  .max(2 * TASK_EVENT_TYPES.length)
  .transform((list) => [...new Set(list)]);
const format = z.enum(CLIENT_FORMATS);
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
/** 24 to 64 bytes in canonical base64, for the OpenAPI document: each four characters encode three bytes. */
const SECRET_PATTERN =
  "^whsec_(?:[A-Za-z0-9+/]{4}){8}(?:[A-Za-z0-9+/]{4}){0,12}(?:(?:[A-Za-z0-9+/]{4})?(?:[A-Za-z0-9+/][AQgw]==)?|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$";
const secret = redactedString(NAME_CHARACTERS_MAX, SECRET_RULE, isSigningSecret).meta({
  pattern: SECRET_PATTERN,
});

/** Body of POST /agents/webhooks. */
export const createWebhookBody = z.strictObject({
  url: urlText,
  types: types.optional(),
  agentId: idText.optional(),
  teamId: idText.optional(),
  description: description.default(""),
  format: format.default("standard"),
  template: template.optional(),
  headers: headers.optional(),
  secret: secret.optional(),
});
export type CreateWebhookBody = z.output<typeof createWebhookBody>;

/** Body of PATCH /agents/webhooks/:id: given fields are replaced; null removes a filter. */
export const changeWebhookBody = z
  .strictObject({
    url: urlText.optional(),
    types: types.nullable().optional(),
    agentId: idText.nullable().optional(),
    teamId: idText.nullable().optional(),
    description: description.optional(),
    format: format.optional(),
    template: template.nullable().optional(),
    headers: headers.nullable().optional(),
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .meta({ minProperties: 1 });
export type ChangeWebhookBody = z.output<typeof changeWebhookBody>;

/** Body of POST /agents/webhooks/:id/secret. */
export const rotateSecretBody = z.strictObject({ secret: secret.optional() });

/** Query of GET /agents/webhooks. */
export const listWebhooksQuery = z.object(pageQuery);

/** Query of GET /agents/webhooks/:id/deliveries. */
export const listDeliveriesQuery = z.object({
  status: z.enum(DELIVERY_STATUSES).optional(),
  limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT),
  cursor: z.string().min(1).max(CURSOR_CHARACTERS_MAX).optional(),
});

/** Problems with headers. No problem shows a value, because it may be a secret. */
function findHeaderIssues(given: unknown): z.core.$ZodRawIssue[] {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return [customIssue("must be an object of header names and values", null)];
  }
  const entries = Object.entries(given);
  if (entries.length > WEBHOOK_HEADERS_MAX) {
    return [
      customIssue(`must be at most ${WEBHOOK_HEADERS_MAX} headers, got ${entries.length}`, null),
    ];
  }
  const names = entries.map(([name]) => name.toLowerCase());
  return entries.flatMap(([name, value], index) => {
    const message =
      names.indexOf(name.toLowerCase()) === index
        ? (checkRedactedString(name, NAME_CHARACTERS_MAX, findHeaderNameProblem) ??
          checkRedactedString(value, SECRET_CHARACTERS_MAX, findHeaderValueProblem))
        : "is given twice: header names are case-insensitive";
    return message === null ? [] : [customIssue(message, null, name)];
  });
}

function findHeaderNameProblem(name: string): string | null {
  if (!isHeaderName(name)) return "must be a header name of letters, digits and - _ .";
  const isReserved = isFramingHeader(name) || RESERVED_HEADERS.test(name);
  return isReserved ? "is reserved: the service itself sets this header" : null;
}

function findHeaderValueProblem(value: string): string | null {
  return PRINTABLE_ASCII.test(value) ? null : PRINTABLE_ASCII_RULE;
}

function isSigningSecret(text: string): boolean {
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes === null || base64.length % 4 !== 0) return false;
  return (
    bytes.byteLength >= WEBHOOK_SECRET_BYTES_MIN && bytes.byteLength <= WEBHOOK_SECRET_BYTES_MAX
  );
}
