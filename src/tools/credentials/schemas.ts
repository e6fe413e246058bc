import * as z from "zod";
import * as schema from "../../http/schemas.ts";
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

/** A scope (RFC 6749, 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const PREFIX = /^[\x21-\x7e]*[ =:]?$/;
const PREFIX_RULE = "must be one word in printable ASCII, optionally followed by a space, = or :";

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
  'must be one scope: printable ASCII without spaces, " or \\',
  SCOPE,
);

const TYPE_MEANING =
  "`api-key`: a secret, sent unchanged. `oauth-client-credentials`: the client requests its tokens itself. `oauth-refresh-token`: a grant already exists. `oauth-authorization-code`: a person gives consent in a browser, through `connect`.";

const clientFields = {
  tokenUrl: urlSchema.describe(
    "For all OAuth types: the token endpoint. It must be an https URL with a public address, unless the deployment sets `ALLOW_PRIVATE_EGRESS`.",
  ),
  clientId: printableText.describe(
    "For all OAuth types: the client's id at the authorization server.",
  ),
  scopes: z
    .array(scopeSchema)
    .max(LIST_ITEMS_MAX)
    .optional()
    .describe(
      "For all OAuth types: the scopes to request. Default: the scopes that the tool needs or, with a refresh token, the scopes that were granted.",
    ),
  clientAuthentication: z
    .enum(CLIENT_AUTHENTICATIONS)
    .optional()
    .describe(
      "For all OAuth types: whether the client's secret is sent in the `Authorization` header (`basic`, the default) or in the body (`post`).",
    ),
  audience: printableText
    .optional()
    .describe("For all OAuth types: the audience to request, if the server requires one."),
  resource: uriSchema
    .optional()
    .describe(
      "For all OAuth types: the resource to request (RFC 8707), if the server requires one.",
    ),
};
const clientSecret = secretText.describe(
  "For all OAuth types: the client's secret, which is never shown again. Required for client credentials; omit it for a public client.",
);

/** The schemas of request bodies, by `type`. */
const CREDENTIAL_BODIES = {
  "api-key": schema.component("ApiKeyCredentialInput", null, {
    type: z.literal("api-key").describe(TYPE_MEANING),
    value: secretText.describe("For `api-key`: the secret. It is never shown again."),
    in: z
      .enum(["header", "query"])
      .optional()
      .describe(
        "For `api-key`: the part of the request that contains the secret. Default: the tool's setting, otherwise `header`.",
      ),
    name: credentialFieldName
      .optional()
      .describe(
        "For `api-key`: the name of the header or query parameter. Unless the tool or the request specifies another place, the secret is sent as `Authorization: Bearer <value>`.",
      ),
    prefix: redactedString(NAME_CHARACTERS_MAX, PREFIX_RULE, PREFIX, { allowsEmpty: true })
      .optional()
      .describe(
        "For `api-key`: the text before the secret in the header, with a trailing space if needed.",
      ),
  }),
  "oauth-client-credentials": schema.component("ClientCredentialsInput", null, {
    type: z.literal("oauth-client-credentials").describe(TYPE_MEANING),
    ...clientFields,
    clientSecret,
  }),
  "oauth-refresh-token": schema.component("RefreshTokenCredentialInput", null, {
    type: z.literal("oauth-refresh-token").describe(TYPE_MEANING),
    ...clientFields,
    clientSecret: clientSecret.optional(),
    refreshToken: secretText.describe(
      "For `oauth-refresh-token`: the refresh token. It is never shown again.",
    ),
  }),
  "oauth-authorization-code": schema.component("AuthorizationCodeCredentialInput", null, {
    type: z.literal("oauth-authorization-code").describe(TYPE_MEANING),
    ...clientFields,
    clientSecret: clientSecret.optional(),
    authorizationUrl: urlSchema.describe(
      "For `oauth-authorization-code`: the authorization endpoint. Parameters in its query, such as Google's `access_type=offline`, are kept.",
    ),
    issuer: urlSchema
      .optional()
      .describe(
        "For `oauth-authorization-code`: the expected issuer of the response (RFC 9207), if it is not the origin of `authorizationUrl`.",
      ),
  }),
} as const;

/** The documented schema of the bodies that `credentialBody` accepts. */
export const credentialInputSchema = z
  .discriminatedUnion("type", [
    CREDENTIAL_BODIES["api-key"],
    CREDENTIAL_BODIES["oauth-client-credentials"],
    CREDENTIAL_BODIES["oauth-refresh-token"],
    CREDENTIAL_BODIES["oauth-authorization-code"],
  ])
  .meta({ unusedIO: "input" });

const TYPED_BODY = z.looseObject({ type: z.enum(CREDENTIAL_TYPES) });

type Bodies = typeof CREDENTIAL_BODIES;
export type ApiKeyBody = z.output<Bodies["api-key"]>;
export type OauthBody = z.output<Bodies[Exclude<keyof Bodies, "api-key">]>;
export type CredentialBody = ApiKeyBody | OauthBody;

/** Body of PUT /agents/tools/:id/credentials. Not a discriminated union, whose messages would repeat the secrets. */
export const credentialBody = z
  .custom<CredentialBody>()
  .meta({
    // A function, because zod-openapi copies an object into the document.
    override: ({ jsonSchema }) => {
      jsonSchema.$ref = "#/components/schemas/CredentialInput";
    },
  })
  .check((ctx) => {
    const given: unknown = ctx.value;
    const typed = TYPED_BODY.safeParse(given, { reportInput: true });
    const judged = typed.success
      ? CREDENTIAL_BODIES[typed.data.type].safeParse(given, { reportInput: true })
      : typed;
    for (const issue of judged.error?.issues ?? []) {
      if (issue.code !== "unrecognized_keys") ctx.issues.push(toOuterIssue(issue));
      else if (typed.success) {
        const { type } = typed.data;
        const known = Object.keys(CREDENTIAL_BODIES[type].shape).join(", ");
        const message = `is not a known field of ${type}; known fields: ${known}`;
        ctx.issues.push(...issue.keys.map((key) => customIssue(message, null, key)));
      }
    }
  });

/**
 * Converts an issue from an inner schema and omits the value, because people sometimes put secrets into the wrong
 * fields.
 */
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

export const connectBody = z.strictObject({});

export const authorizeQuery = z.object({
  ticket: z
    .string()
    .min(1)
    .describe(
      "The ticket from `connect`, unchanged. Valid for ten minutes, and only while the key with which it was created is valid.",
    ),
});

const callbackText = z.string().min(1).optional();

/** Query of GET /agents/tools/:id/credentials/callback (RFC 6749, RFC 9207). */
export const callbackQuery = z.object({
  state: callbackText.describe(
    "The `state` of the authorization request, unchanged. It can be used once, until the link from `connect` expires.",
  ),
  code: callbackText.describe("The authorization code."),
  iss: callbackText.describe("The issuer of the response (RFC 9207), if the server sends it."),
  error: callbackText.describe("The error code if consent was not given (RFC 6749, 4.1.2.1)."),
});

const toolId = schema.text("The tool's id.");

const base = {
  toolId,
  keyId: schema.text(
    "The id of the key in `CREDENTIALS_KEY` with which the credentials are sealed.",
    "2026-11",
  ),
  scopes: schema.textList(
    "The granted scopes if known, otherwise the requested scopes. Empty for an API key.",
  ),
  updatedAt: schema.instant("When the credentials were last set, renewed or connected."),
};

const client = {
  expiresAt: schema.optional.instant(
    "When the current access token expires; absent if there is no token or it does not expire.",
  ),
  tokenUrl: z.url().describe("The token endpoint, without its query."),
  clientId: schema.text("The client's id at the authorization server."),
  clientAuthentication: z
    .enum(CLIENT_AUTHENTICATIONS)
    .describe(
      "Whether the client's secret is sent in the `Authorization` header (`basic`) or in the body (`post`); absent for a public client.",
    )
    .optional(),
  audience: schema.optional.text("The requested audience."),
  resource: schema.optional.text("The requested resource (RFC 8707)."),
};

const connected = schema.flag(
  "Whether the tool can authenticate now: false before consent is given, and after it is revoked or expires.",
);

const apiKey = schema.component("ApiKeyCredentials", null, {
  ...base,
  type: z.literal("api-key").describe("A secret, sent unchanged."),
  in: z.enum(["header", "query"]).describe("The part of the request that contains the secret."),
  name: schema.text("The name of the header or query parameter."),
  prefix: schema.optional.text("The text before the secret in the header; absent in a query."),
});

const clientCredentials = schema.component("ClientCredentials", null, {
  ...base,
  type: z
    .literal("oauth-client-credentials")
    .describe("The client requests its tokens itself (RFC 6749, 4.4)."),
  ...client,
});

const refreshToken = schema.component("RefreshTokenCredentials", null, {
  ...base,
  type: z.literal("oauth-refresh-token").describe("An existing grant (RFC 6749, 6)."),
  connected,
  ...client,
});

const authorizationCode = schema.component("AuthorizationCodeCredentials", null, {
  ...base,
  type: z
    .literal("oauth-authorization-code")
    .describe("A person gives consent in a browser (RFC 6749, 4.1, with PKCE)."),
  connected,
  ...client,
  authorizationUrl: z.url().describe("The authorization endpoint, without its query."),
  issuer: z
    .url()
    .describe("The expected issuer of the response (RFC 9207), if specified.")
    .optional(),
});

export const credentialsSchema = z
  .discriminatedUnion("type", [apiKey, clientCredentials, refreshToken, authorizationCode])
  .meta({
    id: "Credentials",
    description: "A tool's credentials without the secrets, which are never shown.",
  });
export type CredentialsResponse = schema.ResponseOf<typeof credentialsSchema>;

export const deletedCredentialsSchema = schema.component("DeletedCredentials", null, {
  toolId,
  deleted: z.literal(true).describe("The credentials were deleted."),
});

export const connectedToolSchema = schema.component("ConnectedTool", "A connected tool.", {
  toolId,
  connected: z.literal(true).describe("The tool has a grant."),
});

export const connectionSchema = schema.component("Connection", "A pending request for consent.", {
  url: z.url().describe("The URL that the person giving consent opens in a browser."),
  redirectUri: z
    .url()
    .describe("The URL to which the browser returns. Register it with the authorization server."),
  expiresAt: schema.instant("When the link expires: ten minutes after it was created."),
});
export type ConnectionResponse = schema.ResponseOf<typeof connectionSchema>;

export const consentPageSchema = schema.text(
  "An HTML page with the result, without scripts or external resources.",
);

function isPlainUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || text.includes("#")) return false;
  const isWeb = parsed.protocol === "https:" || parsed.protocol === "http:";
  return isWeb && parsed.username === "" && parsed.password === "";
}
