import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";
import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { CLIENT_AUTHENTICATIONS } from "../model/credential.ts";

const toolId = schema.text("The tool that authenticates with them.");

const base = {
  toolId,
  keyId: schema.text(
    "The key of the secret `CREDENTIALS_KEY` under which they are sealed.",
    "2026-11",
  ),
  scopes: schema.textList(
    "What they may do, as far as it is known: the granted scopes if known, otherwise the requested ones. Empty for an API key.",
  ),
  updatedAt: schema.instant("When they were last set, renewed or connected."),
};

const client = {
  expiresAt: schema.optional.instant(
    "When the present access token ends; absent without one, or an end.",
  ),
  tokenUrl: z.url().describe("The token endpoint, without its query."),
  clientId: schema.text("The client's id at the authorization server."),
  clientAuthentication: z
    .enum(CLIENT_AUTHENTICATIONS)
    .describe(
      "Whether the client's secret goes into the header (`basic`) or the body (`post`); absent for a client without one.",
    )
    .optional(),
  audience: schema.optional.text("The requested audience."),
  resource: schema.optional.text("The requested resource (RFC 8707)."),
};

const connected = schema.flag(
  "Whether the tool can authenticate now: false before consent is given, and after it was revoked or has expired.",
);

const apiKey = schema.component("ApiKeyCredentials", null, {
  ...base,
  type: z.literal("api-key").describe("A secret that is sent unchanged."),
  in: z.enum(["header", "query"]).describe("The part of the request it goes into."),
  name: schema.text("Name of the header or the query parameter."),
  prefix: schema.optional.text("The text before the secret in the header; absent in a query."),
});

const clientCredentials = schema.component("ClientCredentials", null, {
  ...base,
  type: z
    .literal("oauth-client-credentials")
    .describe("The client gets its tokens by itself (RFC 6749, 4.4)."),
  ...client,
});

const refreshToken = schema.component("RefreshTokenCredentials", null, {
  ...base,
  type: z.literal("oauth-refresh-token").describe("A grant that exists already (RFC 6749, 6)."),
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
  authorizationUrl: z.url().describe("Where consent is given, without its query."),
  issuer: z
    .url()
    .describe("The expected issuer of the response (RFC 9207), if it was specified.")
    .optional(),
});

/** Credentials in responses. */
const credentialsSchema = z
  .discriminatedUnion("type", [apiKey, clientCredentials, refreshToken, authorizationCode])
  .meta({
    id: "Credentials",
    description: "The credentials of a tool, without the secrets, which are never shown.",
  });

const deletedCredentialsSchema = schema.component("DeletedCredentials", null, {
  toolId,
  deleted: z.literal(true).describe("The credentials were deleted."),
});

const connectedToolSchema = schema.component("ConnectedTool", "A connected tool.", {
  toolId,
  connected: z.literal(true).describe("The tool has a grant."),
});

const connectionSchema = schema.component("Connection", "A pending request for consent.", {
  url: z.url().describe("The address that a person who can give consent opens in a browser."),
  redirectUri: z
    .url()
    .describe("The URL to which the browser returns: register it at the authorization server."),
  expiresAt: schema.instant("When the link expires: ten minutes from now."),
});

/** The fields of all types of credentials. */
export const CREDENTIAL_FIELDS: Readonly<Record<string, string>> = {
  type: "`api-key`: a secret that is sent unchanged. `oauth-client-credentials`: the client gets its tokens by itself. `oauth-refresh-token`: a grant exists already. `oauth-authorization-code`: a person gives consent in a browser, by way of `connect`.",
  value: "Of `api-key`: the secret. It is never shown again.",
  in: "Of `api-key`: the part of the request it goes into. Needed where the tool does not say.",
  name: "Of `api-key`: name of the header or the query parameter. By default the secret is sent as `Authorization: Bearer <value>`.",
  prefix:
    "Of `api-key`: the text before the secret in the header, with a space at its end if needed.",
  tokenUrl: "Of all OAuth types: the token endpoint. It must be https, and the guard checks it.",
  clientId: "Of all OAuth types: the client's id at the authorization server.",
  clientSecret:
    "Of all OAuth types: the client's secret, which is never shown again. Needed for client credentials; left out for a public client.",
  clientAuthentication:
    "Of all OAuth types: whether the client's secret goes into the header (`basic`, the default) or into the body (`post`).",
  scopes:
    "Of all OAuth types: the scopes to request. If omitted: the scopes that the tool needs; with a refresh token, the granted ones.",
  audience: "Of all OAuth types: the audience to request, if the server requires one.",
  resource: "Of all OAuth types: the resource to request (RFC 8707), if the server requires one.",
  refreshToken: "Of `oauth-refresh-token`: the token. It is never shown again.",
  authorizationUrl:
    "Of `oauth-authorization-code`: where consent is given. Parameters in its query are kept, such as Google's `access_type=offline`.",
  issuer:
    "Of `oauth-authorization-code`: who must have answered (RFC 9207), where that is not of the origin of `authorizationUrl`.",
};

const consentPageSchema = schema.text(
  "A page with the result, without scripts and external resources.",
);

/** GET /agents/tools/:id/credentials */
export const getCredentials = defineOperation({
  operationId: "getCredentials",
  tag: "Credentials",
  scope: "tools:manage",
  summary: "See what a tool authenticates with",
  description:
    "The credentials without the secrets, which are never shown: whether a grant is connected, when its token ends, what it may do, and under which key it is sealed. Queries of URLs are omitted, because they may contain secrets.",
  responses: [respond(200, "The credentials, without their secrets.", credentialsSchema)],
  errorCodes: ["CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
});

/** PUT /agents/tools/:id/credentials */
export const putCredentials = defineOperation({
  operationId: "putCredentials",
  tag: "Credentials",
  scope: "tools:manage",
  body: schemas.credentialBody,
  summary: "Give a tool its credentials",
  description: `Sets the credentials with which a tool authenticates to the system behind it; they replace earlier credentials. Secrets are encrypted (AES-256-GCM, bound to this tool) before they are stored, are never shown again, and are replaced by \`***\` where the other system echoes them.

| \`type\` | needs | may have |
|---|---|---|
| \`api-key\` | \`value\` | \`in\`, \`name\`, \`prefix\` where the tool does not say where it goes |
| \`oauth-client-credentials\` | \`tokenUrl\`, \`clientId\`, \`clientSecret\` | the fields of all OAuth types |
| \`oauth-refresh-token\` | \`tokenUrl\`, \`clientId\`, \`refreshToken\` | \`clientSecret\`, and the fields of all OAuth types |
| \`oauth-authorization-code\` | \`authorizationUrl\`, \`tokenUrl\`, \`clientId\` | \`clientSecret\`, \`issuer\`, and the fields of all OAuth types; then \`POST …/connect\` |

Fields of all OAuth types are \`scopes\`, \`audience\`, \`resource\` and \`clientAuthentication\`. Tokens are renewed a minute before they end, and once when the other system answers 401. A tool that is changed so that it goes to another origin loses its credentials. A tool with an \`http\` address cannot have credentials unless the deployment sets \`ALLOW_PRIVATE_EGRESS\`; change the tool's address first. Built-in tools need none.`,
  fields: CREDENTIAL_FIELDS,
  responses: [
    respond(201, "The tool had none, and has them now.", credentialsSchema),
    respond(200, "They replaced earlier credentials.", credentialsSchema),
  ],
  errorCodes: ["TOOL_CREDENTIALS_REQUIRED"],
});

/** DELETE /agents/tools/:id/credentials */
export const deleteCredentials = defineOperation({
  operationId: "deleteCredentials",
  tag: "Credentials",
  scope: "tools:manage",
  summary: "Delete a tool's credentials",
  description:
    "Deletes what a tool authenticates with. Its calls answer 424 from then on, where they need credentials. Nothing is revoked at the other system.",
  responses: [respond(200, "The credentials were deleted.", deletedCredentialsSchema)],
  errorCodes: ["CREDENTIALS_NOT_FOUND"],
});

/** POST /agents/tools/:id/credentials/connect */
export const connectCredentials = defineOperation({
  operationId: "connectCredentials",
  tag: "Credentials",
  scope: "tools:manage",
  body: z.strictObject({}),
  bodyIsOptional: true,
  summary: "Ask a person for consent",
  description:
    "Begins the authorization code flow (RFC 6749, 4.1, with PKCE) of credentials of type `oauth-authorization-code`: open the `url` in a browser within ten minutes. The link redirects to the authorization server, and only the browser that opened it can finish the flow. The browser returns to `redirectUri`, which must be registered at the authorization server. Nothing about an unfinished flow is stored, so a flow can be started any number of times; the first one to finish wins.",
  responses: [respond(200, "The URL for the person to open.", connectionSchema)],
  errorCodes: ["CREDENTIALS_NOT_FOUND", "TOOL_CREDENTIALS_REQUIRED"],
});

/** GET /agents/tools/:id/credentials/authorize */
export const openConnection = defineOperation({
  operationId: "openConnection",
  tag: "Credentials",
  query: schemas.authorizeQuery,
  summary: "Send a browser to give consent",
  description:
    "The link that `connect` returns, for a browser: it sets a cookie and redirects to the authorization server. The cookie is valid for this tool's callback only, until the link expires or the tool is connected. No key is needed: the sealed `ticket` authorises the request.",
  access: "public",
  parameters: {
    ticket:
      "The ticket from `connect`, unchanged; valid for ten minutes and while the key that created it is valid.",
  },
  responses: [
    {
      status: 302,
      description: "A redirect to the authorization server.",
      headers: { Location: "The authorization server's consent page." },
    },
  ],
  errorCodes: ["AUTHENTICATION_FAILED", "TOOL_CREDENTIALS_REQUIRED"],
  hasHtmlErrors: true,
});

/** GET /agents/tools/:id/credentials/callback */
export const finishConnection = defineOperation({
  operationId: "finishConnection",
  tag: "Credentials",
  query: schemas.callbackQuery,
  ignoresUnknownQuery: true,
  summary: "Return with a person's consent",
  description:
    "Where the authorization server sends the browser: nothing for clients to call. It checks `state` and `iss`, redeems the code and stores the grant; each consent is taken once. No key is needed: the sealed `state` and the cookie set by `authorize` authorise the request. No detail of the OAuth client is shown. A browser gets a page in HTML, also when it did not work; a program, which does not accept HTML or shows a key, gets JSON.",
  access: "public",
  parameters: {
    state: "The value from `connect`, unchanged; valid once, for ten minutes.",
    code: "The authorization code.",
    iss: "The issuer of the response (RFC 9207), if the server states it.",
    error: "Why there is no consent (RFC 6749, 4.1.2.1).",
  },
  responses: [
    respond(200, "The tool is connected.", connectedToolSchema, {
      content: { "text/html": { schema: consentPageSchema } },
    }),
  ],
  errorCodes: ["AUTHENTICATION_FAILED", "TOOL_CREDENTIALS_REQUIRED", "TOOL_UPSTREAM_ERROR"],
  hasHtmlErrors: true,
});
