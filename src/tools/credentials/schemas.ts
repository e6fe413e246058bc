import * as z from "zod";
import { CLIENT_AUTHENTICATIONS, CREDENTIAL_TYPES } from "../model/credential.ts";
import { OAUTH_CLIENT_TEXT_CHARACTERS_MAX } from "../limits.ts";
import { LIST_ITEMS_MAX, NAME_CHARACTERS_MAX } from "../../kernel/limits.ts";
import {
  customIssue,
  redactedString,
  PRINTABLE_ASCII,
  PRINTABLE_ASCII_RULE,
  credentialFieldName,
  secretText,
} from "../../http/validation.ts";

/** RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const PREFIX = /^[\x21-\x7e]*[ =:]?$/;
const PREFIX_RULE = "must be a word in printable ASCII, with one space, = or : at its end if any";

const printableText = redactedString(
  OAUTH_CLIENT_TEXT_CHARACTERS_MAX,
  PRINTABLE_ASCII_RULE,
  PRINTABLE_ASCII,
);
const urlSchema = redactedString(
  OAUTH_CLIENT_TEXT_CHARACTERS_MAX,
  "must be an absolute https URL without a user name, a password or a fragment",
  isPlainUrl,
);
const uriSchema = redactedString(
  OAUTH_CLIENT_TEXT_CHARACTERS_MAX,
  "must be an absolute URI without a fragment",
  (text) => PRINTABLE_ASCII.test(text) && URL.canParse(text) && !text.includes("#"),
);
const scopeSchema = redactedString(
  NAME_CHARACTERS_MAX,
  'must be one scope: printable ASCII without spaces, " and \\',
  SCOPE,
);

const clientFields = {
  tokenUrl: urlSchema,
  clientId: printableText,
  scopes: z.array(scopeSchema).max(LIST_ITEMS_MAX).optional(),
  clientAuthentication: z.enum(CLIENT_AUTHENTICATIONS).optional(),
  audience: printableText.optional(),
  resource: uriSchema.optional(),
};

/** The bodies by `type`. */
export const CREDENTIAL_BODIES = {
  "api-key": z.strictObject({
    type: z.literal("api-key"),
    value: secretText,
    in: z.enum(["header", "query"]).optional(),
    name: credentialFieldName.optional(),
    prefix: redactedString(NAME_CHARACTERS_MAX, PREFIX_RULE, PREFIX, {
      allowsEmpty: true,
    }).optional(),
  }),
  "oauth-client-credentials": z.strictObject({
    type: z.literal("oauth-client-credentials"),
    ...clientFields,
    clientSecret: secretText,
  }),
  "oauth-refresh-token": z.strictObject({
    type: z.literal("oauth-refresh-token"),
    ...clientFields,
    clientSecret: secretText.optional(),
    refreshToken: secretText,
  }),
  "oauth-authorization-code": z.strictObject({
    type: z.literal("oauth-authorization-code"),
    ...clientFields,
    clientSecret: secretText.optional(),
    authorizationUrl: urlSchema,
    issuer: urlSchema.optional(),
  }),
} as const;

const TYPED_BODY = z.looseObject({ type: z.enum(CREDENTIAL_TYPES) });

type Bodies = typeof CREDENTIAL_BODIES;
export type ApiKeyBody = z.output<Bodies["api-key"]>;
export type OauthBody = z.output<Bodies[Exclude<keyof Bodies, "api-key">]>;
export type CredentialBody = ApiKeyBody | OauthBody;

/** Body of PUT /agents/tools/:id/credentials. A discriminated union would repeat the secrets in its messages. */
export const credentialBody = z.custom<CredentialBody>().check((ctx) => {
  const given: unknown = ctx.value;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    ctx.issues.push(customIssue("must be an object", null));
    return;
  }
  const typed = TYPED_BODY.safeParse(given, { reportInput: true });
  const judged = typed.success
    ? CREDENTIAL_BODIES[typed.data.type].safeParse(given, { reportInput: true })
    : typed;
  for (const issue of judged.error?.issues ?? []) {
    if (issue.code !== "unrecognized_keys") ctx.issues.push(toOuterIssue(issue));
    else if (typed.success) ctx.issues.push(...listUnknownFields(issue.keys, typed.data.type));
  }
});

/** Converts an issue of an inner schema and drops the value, because people put secrets into wrong fields. */
function toOuterIssue(issue: z.core.$ZodIssue): z.core.$ZodRawIssue {
  const path = issue.path.map(String);
  if (issue.code === "invalid_value") {
    const rule = issue.input === undefined ? "is required:" : "must be";
    return customIssue(`${rule} one of ${issue.values.join(", ")}`, null, ...path);
  }
  if (issue.code === "invalid_type")
    return customIssue(`must be an ${issue.expected}`, null, ...path);
  return issue as z.core.$ZodRawIssue;
}

function listUnknownFields(keys: readonly string[], type: keyof Bodies) {
  const known = Object.keys(CREDENTIAL_BODIES[type].shape).join(", ");
  return keys.map((key) =>
    customIssue(`is not a known field of ${type}; it takes ${known}`, null, key),
  );
}

/** Query of GET /agents/tools/:id/credentials/authorize. */
export const authorizeQuery = z.object({ ticket: z.string().min(1) });

/** Query of GET /agents/tools/:id/credentials/callback (RFC 6749, RFC 9207). */
export const callbackQuery = z.object({
  state: z.string().min(1).optional(),
  code: z.string().min(1).optional(),
  iss: z.string().min(1).optional(),
  error: z.string().min(1).optional(),
});

function isPlainUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || text.includes("#")) return false;
  const isWeb = parsed.protocol === "https:" || parsed.protocol === "http:";
  return isWeb && parsed.username === "" && parsed.password === "";
}
